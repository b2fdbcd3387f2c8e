/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.js: the data of the picture, as svg_data.c wrote it.
 *
 * A tree is a set of arrays by node, in preorder: the descendants of a node are those between it and
 * end[node]. Node 0 is the root. What a node has below it, and where it begins, follows from the self
 * values (weigh), which change when stacks are hidden; the shape does not.
 *
 * Names are strangers' bytes: they only ever become text nodes and attributes' values.
 */
const SVG = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const svg = document.currentScript.closest("svg");
const part = id => svg.querySelector("#" + id);

const ROW = +svg.dataset.row, CHAR = +svg.dataset.char, FONT_SIZE = +svg.dataset.size;
const fixedWidth = +(svg.dataset.width || 0);
const minWidth = +svg.dataset.min, minPercent = +(svg.dataset.minPercent || 0);
const isChart = svg.dataset.chart === "1", differential = svg.dataset.differential;
const knowsEvents = svg.dataset.events === "1";
/* Of a differential: before, now and the difference side by side. */
const isThree = svg.dataset.three === "1";
/* Of waits: what classes there are. */
const classes = svg.dataset.classes ? svg.dataset.classes.split(",") : [];
const nameType = svg.dataset.nametype || "";

const KINDS = { u: "user", k: "kernel", i: "inlined", j: "JIT", w: "waker", g: "group", n: "no function", x: "gone" };

/* "uf3a05cname", then after a tab the module, after another one the line of source. The first is the root's. */
const frames = part("frames").textContent.split("\n").map(line => {
	const [name, module, source] = line.slice(7).split("\t"), kind = line[0].toLowerCase();

	return { name, module: module || "", source: source || "", kind, color: parseInt(line.slice(1, 7), 16), plumbing: kind !== line[0] };
});

/* By frame: the first frame of the same function, which is inlined here and called there. */
let functions = null;

function functionOf(f) {
	if (!functions) {
		const first = new Map();

		functions = Uint32Array.from(frames, ({ name, kind }, i) => {
			if (!i || kind !== "u" && kind !== "i")
				return i;
			if (!first.has(name))
				first.set(name, i);
			return first.get(name);
		});
	}
	return functions[f];
}

function newTree(nr) {
	return {
		nr, frame: new Uint32Array(nr), parent: new Int32Array(nr), depth: new Int32Array(nr), end: new Uint32Array(nr),
		self: new Float64Array(nr), before: new Float64Array(differential ? nr : 0), lead: null,
		total: new Float64Array(nr), totalBefore: new Float64Array(differential ? nr : 0), start: new Float64Array(nr),
		/* Of sums in a differential: of how many events; null: not known. */
		events: knowsEvents ? new Float64Array(nr) : null, totalEvents: knowsEvents ? new Float64Array(nr) : null,
		/* Of one function's callers and callees: the first node of its callers, whose depths are negative. */
		callers: nr,
		/* What percentages are of: the root's value without the stacks that are gone. */
		all: 0,
		/* By the nodes of the file's own tree: where their self value went; null: where it was. */
		leafOf: null, callerOf: null,
		/* Of waits, of the file's own tree: which parts of its stacks are of which class. */
		parts: [],
		/* By node: its number in the tree in the order of names; null: the same. */
		id: null,
	};
}

/* Numbers in base 44, the least digit first, the last one in letters of its own. */
const BASE = 44;
const DIGITS = new Uint8Array(128);
[..."!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"].forEach((c, i) => {
	DIGITS[c.charCodeAt(0)] = i;
});

function readNodes(text, nr) {
	const tree = newTree(nr), { frame, parent, depth, self, before } = tree;
	let at = 0, seen = 0;

	function number() {
		for (let value = 0, scale = 1; ; scale *= BASE) {
			const digit = DIGITS[text.charCodeAt(at++)];

			if (digit < BASE)
				return value + digit * scale;
			value += (digit - BASE) * scale;
		}
	}

	function readClasses(node) {
		const code = number();

		if (code && code <= classes.length)
			tree.parts.push({ node, class: code - 1, value: self[node] });
		for (let left = code - classes.length; left > 0; left--)
			tree.parts.push({ node, class: number() - 1, value: number() });
	}

	if (isChart)
		tree.lead = new Float64Array(nr);
	for (let i = 0; i < nr; i++) {
		const head = number(), code = Math.floor(head / 4);
		let p = i - 1;

		for (let up = head & 2 ? number() : 0; up > 0; up--)
			p = parent[p];
		parent[i] = p;
		depth[i] = i ? depth[p] + 1 : 0;
		frame[i] = i ? code || ++seen : 0;
		if (head & 1)
			self[i] = number();
		if (head & 1 && classes.length)
			readClasses(i);
		if (differential)
			before[i] = number();
		if (knowsEvents)
			tree.events[i] = number();
		if (isChart)
			tree.lead[i] = number();
	}
	setEnds(tree);
	return tree;
}

function setDepths({ nr, parent, depth }) {
	for (let i = 1; i < nr; i++)
		depth[i] = depth[parent[i]] + 1;
}

function setEnds(tree) {
	const { nr, parent, end } = tree;

	for (let i = 0; i < nr; i++)
		end[i] = i + 1;
	for (let i = nr - 1; i > 0; i--)
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
}

/* Of a differential, stacks that are gone are drawn as wide as they were. */
const isGone = (tree, i) => frames[tree.frame[i]].kind === "x";

/* What shares of a zoomed box are of; 0: no box is zoomed. */
const allOf = (tree, zoomed) => zoomed ? tree.total[zoomed] : tree.all;

/* Where boxes begin. A function's callers stand beside its callees, not behind them. */
function setStarts({ nr, parent, total, start, lead, callers }) {
	const cursor = new Float64Array(nr);

	for (let i = 1; i < nr; i++) {
		if (i === callers)
			cursor[0] = 0;
		cursor[i] = start[i] = cursor[parent[i]] + (lead ? lead[i] : 0);
		cursor[parent[i]] += total[i];
	}
}

/* Totals and places, from the self values. */
function weigh(tree) {
	const { nr, parent, self, before, events, total, totalBefore, totalEvents, callers } = tree;

	total.set(self);
	totalBefore.set(before);
	if (events)
		totalEvents.set(events);
	for (let i = nr - 1; i > 0; i--) {
		if (i >= callers && parent[i] === 0)
			continue;
		total[parent[i]] += total[i];
		if (differential)
			totalBefore[parent[i]] += totalBefore[i];
		if (events)
			totalEvents[parent[i]] += totalEvents[i];
	}
	setStarts(tree);
	tree.all = total[0];
	tree.largestDelta = 0;
	for (let i = tree.frame[0] ? 0 : 1; differential && i < nr; i++) {
		if (isGone(tree, i)) {
			tree.all -= self[i];
			continue;
		}
		tree.largestDelta = Math.max(tree.largestDelta, Math.abs(total[i] - totalBefore[i]));
	}
}

const file = readNodes(part("nodes").textContent, +part("nodes").dataset.nr);
/* The values before anything is hidden. */
const original = { self: file.self.slice(), before: file.before.slice(), events: file.events && file.events.slice() };
