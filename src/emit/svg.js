/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.js: zoom and search in a flame graph.
 *
 * The file has the whole call tree, in preorder, in <metadata id="nodes">, also the boxes that were too
 * thin to draw; the <rect>s are those that were not. So shares are those of the tree, not those of what
 * is drawn, and zooming in shows what was too thin before. Everything is drawn by render(), by
 * the rules of svg.c, which draws the first picture for those who have no script.
 *
 * Names are strangers' bytes: they only ever become text nodes.
 */
(function () {
"use strict";

const SVG = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const PAD = 10, BAR = 46, SEARCH = 280;
const svg = document.currentScript.ownerSVGElement;
const part = id => svg.querySelector("#" + id);
const { unit, inverted, time, bytes } = svg.dataset;
const ROW = +(svg.dataset.row || 16), BOX = ROW - 1, SLIVER = Math.min(4, BOX), CHAR = +(svg.dataset.char || 6.7);
const factor = +(svg.dataset.factor || 1), differential = svg.dataset.differential, nameType = svg.dataset.nametype;
const minPercent = +(svg.dataset.minPercent || 0);
const divisor = +svg.dataset.divisor, minWidth = +svg.dataset.min;
const top = +svg.dataset.top, firstRows = +svg.dataset.rows;
const fullWidth = svg.viewBox.baseVal.width, width = fullWidth - 2 * PAD;
const firstHeight = svg.viewBox.baseVal.height;
const base = Math.floor(BOX / 2 + part("labels").getAttribute("font-size") * 0.36);

/* "u" kind, "f3a05c" colour, "name", then after a tab the module. */
const frames = part("frames").textContent.split("\n").map(line => {
	const [name, module] = line.slice(7).split("\t");
	return { color: "#" + line.slice(1, 7), name, module };
});

/* A node's descendants are the nodes between it and end[it]. */
const lines = part("nodes").textContent.split("\n"), nr = lines.length;
const frame = new Uint32Array(nr), parent = new Int32Array(nr), depth = new Uint32Array(nr);
const lead = new Float64Array(nr), before = new Float64Array(nr);
const end = new Uint32Array(nr), total = new Float64Array(nr), start = new Float64Array(nr);
const rects = new Array(nr).fill(null);
let shown = [], zoomed = 0, rows = firstRows;

function readNodes() {
	const drawn = part("boxes").children;
	let next = 0;

	lines.forEach((line, i) => {
		const [f, self, up, was, left] = line.split(" ");
		let p = i - 1;

		for (let n = +(up || 0); n > 0; n--)
			p = parent[p];
		frame[i] = Math.abs(f);
		parent[i] = p;
		depth[i] = i ? depth[p] + 1 : 0;
		total[i] = +(self || 0);
		before[i] = +(was || 0);
		lead[i] = +(left || 0);
		end[i] = i + 1;
		if (line[0] !== "-") {
			rects[i] = drawn[next++].lastChild;
			rects[i].node = i;
			shown.push(i);
		}
	});
	for (let i = nr - 1; i > 0; i--) {
		total[parent[i]] += total[i];
		before[parent[i]] += before[i];
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
	}
	for (let i = 1; i < nr; i++)
		largest = Math.max(largest, Math.abs(total[i] - before[i]));
	const cursor = new Float64Array(nr);
	for (let i = 1; i < nr; i++) {
		cursor[i] = start[i] = cursor[parent[i]] + lead[i];
		cursor[parent[i]] += total[i];
	}
}

const element = (name, attributes) => {
	const e = document.createElementNS(SVG, name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	return e;
};
const px = x => String(Math.round(x * 1000) / 1000);
const share = (value, all) => (all ? 100 * value / all : 0).toFixed(2) + "%";
const withCommas = value => value.toString().replace(/\B(?=(\d{3})+$)/g, ",");

const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const SIZES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]];

/* What add_scaled() of numbers.c does. */
function scaled(value, units) {
	const [size, name] = units.find(u => value >= u[0]) || units[units.length - 1];
	const digits = size === 1 || value >= 100 * size ? 0 : value >= 10 * size ? 1 : 2, scale = 10 ** digits;
	const rounded = Math.floor((value * scale + Math.floor(size / 2)) / size);
	const rest = digits ? "." + (rounded % scale).toString().padStart(digits, "0") : "";

	return withCommas(Math.floor(rounded / scale)) + rest + " " + name;
}

const scale = time ? TIMES : bytes ? SIZES : null;
const amount = value => scale ? scaled(Math.floor(value * factor + (factor === 1 ? 0 : 0.5)), scale)
	: withCommas(Math.round(value * factor / divisor)) + " " + unit;

/* Of a differential: more is red, less is blue, and the change of all that there is now. */
let largest = 0;
const deltaOf = i => (differential === "negated" ? -1 : 1) * (total[i] - before[i]);

function colorOf(i) {
	const delta = deltaOf(i), pale = Math.floor(210 * (largest - Math.abs(delta)) / largest);

	if (!differential || !i || /^--?$/.test(frames[frame[i]].name))
		return frames[frame[i]].color;
	return delta ? `rgb(${delta > 0 ? `255,${pale},${pale}` : `${pale},${pale},255`})` : "#fff";
}

function change(i) {
	const delta = deltaOf(i);

	return differential && i ? `; ${delta > 0 ? "+" : delta < 0 ? "-" : ""}${share(Math.abs(delta), total[0])}` : "";
}

function title(i) {
	const f = frames[frame[i]];
	return `${f.name} (${amount(total[i])}, ${i ? share(total[i], total[0]) : "100%"}${change(i)})` +
		(f.module ? "\n" + f.module : "");
}

/* A <g> of tooltip and box, as in the file: see there. */
function withTitle(rect, text) {
	const g = element("g");

	g.appendChild(element("title")).textContent = text;
	g.appendChild(rect);
	return g;
}

function newRect(i) {
	const rect = element("rect", { height: BOX, fill: colorOf(i) });

	rect.node = i;
	part("boxes").appendChild(withTitle(rect, title(i)));
	return rect;
}

/* What label.c does. */
function withoutParameters(name) {
	const text = name.replace(/ const$/, "");
	let open = 0, i = text.length;

	if (!text.endsWith(")"))
		return name;
	while (i-- > 0) {
		open += (text[i] === ")") - (text[i] === "(");
		if (!open)
			break;
	}
	return i > 0 && !text.slice(0, i).endsWith("operator") ? text.slice(0, i) : name;
}

const wide = c => c.codePointAt(0) >= 0x1100 ? 2 : 1;

function cut(text, columns) {
	let need = 0, kept = "";

	for (const c of text)
		need += wide(c);
	if (need <= columns)
		return text;
	columns -= 2;
	for (const c of text) {
		columns -= wide(c);
		if (columns < 0)
			break;
		kept += c;
	}
	return kept + "..";
}

const rowTop = d => top + (inverted ? d : rows - 1 - d) * ROW;

/* The boxes to draw when `root` has the full width, and the runs of siblings that are too thin. */
function visible(root) {
	const boxes = [], runs = [], scale = total[root] ? width / total[root] : 0;
	const edge = value => Math.floor((value - start[root]) * scale * 1000 + 1e-6) / 1000;
	const isWide = value => value * scale >= minWidth && value * 100 >= minPercent * total[root];
	let run = null, thin = 0, thinTotal = 0;

	for (let p = parent[root]; p >= 0; p = parent[p])
		boxes.push({ i: p, x: 0, w: width, faded: true });
	boxes.push({ i: root, x: 0, w: width });
	for (let i = root + 1; i < end[root];) {
		const x = edge(start[i]);

		if (total[i] && isWide(total[i])) {
			boxes.push({ i, x, w: edge(start[i] + total[i]) - x });
			i++;
			continue;
		}
		if (!run || run.end !== i || parent[run.first] !== parent[i] || start[run.first] + run.total !== start[i])
			runs.push(run = { first: i, x, w: 0, total: 0 });
		run.total += total[i];
		run.w = edge(start[run.first] + run.total) - run.x;
		run.end = end[i];
		thin += end[i] - i;
		thinTotal += total[i];
		i = end[i];
	}
	return { boxes, runs: runs.filter(r => r.total && isWide(r.total)), thin, thinTotal };
}

let pattern = null, matches = null, matchesBefore = null;

function classOf(i, faded) {
	return (faded ? "faded " : "") + (matches && matches[i] ? "match" : "");
}

function drawBoxes(boxes) {
	const labels = document.createDocumentFragment(), before = shown;
	const keep = new Set(boxes.map(b => b.i));

	for (const i of before)
		if (!keep.has(i))
			rects[i].setAttribute("display", "none");
	for (const { i, x, w, faded } of boxes) {
		const rect = rects[i] || (rects[i] = newRect(i)), y = rowTop(depth[i]);
		const columns = Math.floor((w - 6) / CHAR);

		rect.setAttribute("x", px(PAD + x));
		rect.setAttribute("y", y);
		rect.setAttribute("width", px(w));
		rect.setAttribute("class", classOf(i, faded));
		rect.removeAttribute("display");
		if (columns >= 3)
			labels.appendChild(element("text", { x: px(PAD + x + 3), y: y + base }))
				.textContent = cut(withoutParameters(frames[frame[i]].name), columns);
	}
	part("labels").replaceChildren(labels);
	shown = boxes.map(b => b.i);
}

function drawSlivers(runs) {
	const slivers = document.createDocumentFragment();

	for (const { first, end: last, x, w, total: value } of runs) {
		const y = rowTop(depth[first]) + (inverted ? 0 : BOX - SLIVER);
		const rect = element("rect", { x: px(PAD + x), y, width: px(w), height: SLIVER });

		if (matches && matchesBefore[last] > matchesBefore[first])
			rect.setAttribute("class", "match");
		slivers.appendChild(withTitle(rect, `too thin to draw: ${last - first} boxes (${amount(value)}, ${share(value, total[0])})`));
	}
	part("slivers").replaceChildren(slivers);
}

/* What becomes visible may be deeper than all that was drawn before. */
function resize(seen) {
	let deepest = firstRows - 1;

	for (const { i } of seen.boxes)
		deepest = Math.max(deepest, depth[i]);
	for (const { first } of seen.runs)
		deepest = Math.max(deepest, depth[first]);
	rows = deepest + 1;
	const height = firstHeight + (rows - firstRows) * ROW;
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", `0 0 ${fullWidth} ${height}`);
	part("background").setAttribute("height", height);
	placeBar();
}

/* The bar with the details stays in sight in a picture that is taller than the window. */
function placeBar() {
	const height = svg.viewBox.baseVal.height;
	let y = height - firstHeight;

	if (svg === document.documentElement)
		y = Math.min(y, window.scrollY + window.innerHeight - firstHeight);
	part("bar").setAttribute("transform", `translate(0 ${Math.max(y, BAR - firstHeight)})`);
}

function render(root) {
	const seen = visible(root);

	zoomed = root;
	resize(seen);
	drawBoxes(seen.boxes);
	drawSlivers(seen.runs);
	part("thin").textContent = seen.thin === 0 ? "" :
		`${seen.thin.toLocaleString("en")} boxes (${share(seen.thinTotal, total[root])}) are too thin to draw`;
	part("reset").setAttribute("display", root ? "inline" : "none");
	showMatched();
}

/* Of the samples in the zoomed box, the share of those whose stack has a match. */
function matchedShare() {
	let sum = 0;

	for (let i = zoomed; i > 0; i = parent[i])
		if (matches[i])
			return share(total[zoomed], total[zoomed]);
	for (let i = zoomed + 1; i < end[zoomed];) {
		if (matches[i])
			sum += total[i];
		i = matches[i] ? end[i] : i + 1;
	}
	return share(sum, total[zoomed]);
}

function showMatched() {
	const text = part("matched");

	text.classList.remove("bad");
	text.textContent = matches ? `matched: ${matchedShare()}${zoomed ? " of the zoomed box" : ""}` : "";
}

/* Returns what is wrong with the expression, or null. Node 0, "all", is no function. */
function find(expression) {
	let regexp, hit, problem = null;

	pattern = expression;
	matches = matchesBefore = null;
	try {
		regexp = new RegExp(expression);
	} catch (e) {
		problem = e.message;
	}
	if (!expression || problem)
		return problem;
	hit = frames.map(f => regexp.test(f.name));
	matches = new Uint8Array(nr);
	matchesBefore = new Uint32Array(nr + 1);
	for (let i = 0; i < nr; i++) {
		matches[i] = i > 0 && hit[frame[i]];
		matchesBefore[i + 1] = matchesBefore[i] + matches[i];
	}
	return null;
}

function search(expression) {
	const problem = find(expression);

	render(zoomed);
	if (!problem)
		return;
	part("matched").classList.add("bad");
	part("matched").textContent = cut(problem, Math.floor((fullWidth - SEARCH) / 2 / CHAR));
}

/* The state is in the address, so that a link shows what its sender saw: ?s=regexp, ?z=node. */
function save() {
	const query = new URLSearchParams(location.search);

	for (const [key, value] of [["s", pattern], ["z", zoomed]])
		value ? query.set(key, value) : query.delete(key);
	try {
		history.replaceState(null, "", location.pathname + (query.toString() && "?" + query) + location.hash);
	} catch (e) {
		/* A document without an address of its own, in a sandbox: nothing to keep it in. */
	}
}

function load() {
	const query = new URLSearchParams(location.search), z = Number(query.get("z"));

	if (Number.isInteger(z) && z > 0 && z < nr)
		render(z);
	if (query.get("s")) {
		input.value = query.get("s");
		search(input.value);
	}
	/* Roots are at the bottom: a graph that is taller than the window is read from there. */
	if (!inverted)
		window.scrollTo(0, svg.getBoundingClientRect().height);
}

function zoom(i) {
	render(i);
	save();
}

function details(i) {
	const f = frames[frame[i]];
	const text = `${nameType ? nameType + " " : ""}${f.name}${f.module ? " [" + f.module + "]" : ""} (${amount(total[i])}, ${i ? share(total[i], total[0]) : "100%"}${change(i)}` +
		(zoomed ? `; ${share(total[i], total[zoomed])} of the zoomed box)` : ")");

	part("details").textContent = cut(text, Math.floor(width / CHAR));
}

function newInput() {
	const box = element("foreignObject", { x: fullWidth - PAD - SEARCH, y: firstHeight - 26, width: SEARCH, height: 24 });
	const field = document.createElementNS(XHTML, "input");
	let timer = 0;

	field.setAttribute("placeholder", "search: regular expression (Ctrl-F)");
	field.setAttribute("aria-label", "search");
	field.setAttribute("spellcheck", "false");
	field.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(() => { search(field.value); save(); }, 80);
	});
	box.appendChild(field);
	part("bar").appendChild(box);
	return field;
}

function reset() {
	input.value = "";
	input.blur();
	find("");
	zoom(0);
}

function onKey(event) {
	const wants = event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f");

	if (event.key === "Escape")
		reset();
	/* Twice: the browser's own. */
	if (!wants || document.activeElement === input)
		return;
	event.preventDefault();
	input.focus();
	input.select();
}

function listen() {
	const nodeOf = event => event.target.node;

	svg.addEventListener("click", event => {
		const i = nodeOf(event);
		if (event.target === part("reset"))
			zoom(0);
		else if (i !== undefined)
			zoom(i);
	});
	svg.addEventListener("mouseover", event => {
		const i = nodeOf(event);
		if (i !== undefined)
			details(i);
		else
			part("details").textContent = "";
	});
	window.addEventListener("keydown", onKey);
	window.addEventListener("scroll", placeBar);
	window.addEventListener("resize", placeBar);
}

readNodes();
const input = newInput();
listen();
placeBar();
load();
})();
