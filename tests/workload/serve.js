// SPDX-License-Identifier: GPL-2.0-or-later
// serve.js: `serve.js SECONDS`: handles requests, each of which is parsed and answered; says "ready" when these functions are compiled.
"use strict";
let state = 1;

function parse(x, rounds) {
	for (let i = 0; i < rounds; i++)
		x = (Math.imul(x, 1103515245) + i) >>> 1;
	return x;
}

function answer(x, rounds) {
	for (let i = 0; i < rounds; i++)
		x = (x ^ (x << 13)) + (x >>> 7) + i | 0;
	return x;
}

function handle(x) {
	return answer(parse(x, 1000), 500);
}

function serve(until) {
	while (Date.now() < until)
		for (let i = 0; i < 100; i++)
			state = handle(state);
}

const end = Date.now() + 1000 * Number(process.argv[2]);
for (let i = 0; i < 10; i++)
	serve(Date.now() + 30);
console.log("ready");
serve(end);
