/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.js: what the reader has chosen. It is in the address, so that a link shows what its sender saw,
 * and the browser's Back and Forward go through it. Only flame or icicle is remembered by the browser
 * instead, for all pictures.
 *
 *	z	the zoomed box		v	leaf, or around and f, the function's number
 *	s, i	search, match case	o c p r	order, colors, plumbing, recursion
 *	d	idle waits are hidden	t	the table is open: the column that orders it; with a - turned round
 *	x	what else is hidden: TREE.NODE, ...; TREE is r, l or a and a function's number, and p, c
 *
 * Boxes are numbered in the order of names, whatever is hidden and however they are ordered.
 */
const INITIAL = { view: "root", f: 0, order: "name", colors: "name", plumbing: false, recursion: false, idle: false, hidden: "", zoom: 0, search: "", matchCase: false, table: "" };
const state = { ...INITIAL };
const KEYS = { z: "zoom", v: "view", f: "f", o: "order", c: "colors", p: "plumbing", r: "recursion", d: "idle", x: "hidden", s: "search", i: "matchCase", t: "table" };

const keyOfState = () => state.view[0] + (state.view === "around" ? state.f : "") + (state.plumbing ? "p" : "") + (state.recursion ? "c" : "");
const idOf = (tree, i) => tree.id ? tree.id[i] : i;
const nodeOf = (tree, id) => tree.id ? tree.id.indexOf(id) : id;

const idleFrame = frames.findIndex(f => f.kind === "n" && f.name === "[idle]");
const BY_HAND = 1, IDLE = 2;

function idleStacks(hidden) {
	for (let i = 1; i < file.nr; i++)
		if (file.frame[i] === idleFrame)
			hidden.fill(IDLE, i, file.end[i]);
}

/* By node of the file: is its stack hidden, and why? */
function hiddenStacks() {
	const hidden = new Uint8Array(file.nr);

	if (state.idle)
		idleStacks(hidden);
	for (const entry of state.hidden ? state.hidden.split(",") : []) {
		const [key, id] = entry.split("."), tree = treeByKey(key);

		if (+id <= 0 || +id >= tree.nr)
			continue;
		for (let i = 0; i < file.nr; i++)
			if (isWithin(tree, leafIn(tree, i), +id) || (tree.callerOf && isWithin(tree, tree.callerOf[i], +id)))
				hidden[i] |= BY_HAND;
	}
	return hidden;
}

/* The self values of what is not hidden, where the tree has them. */
function fill(tree, hidden) {
	tree.self.fill(0);
	tree.before.fill(0);
	if (tree.events)
		tree.events.fill(0);
	for (let i = 0; i < file.nr; i++) {
		const leaf = leafIn(tree, i), caller = tree.callerOf ? tree.callerOf[i] : 0;

		for (const n of hidden[i] ? [] : caller > 0 ? [leaf, caller] : leaf >= 0 ? [leaf] : []) {
			tree.self[n] += original.self[i];
			if (differential)
				tree.before[n] += original.before[i];
			if (tree.events)
				tree.events[n] += original.events[i];
		}
	}
	weigh(tree);
}

let hiddenNow = new Uint8Array(file.nr), built = null, builtFor = "", filled = "";

function currentTree() {
	const hides = state.hidden + (state.idle ? " idle" : ""), wanted = [keyOfState(), hides, state.order].join(" ");

	if (wanted === builtFor)
		return built;
	if (filled !== hides) {
		hiddenNow = hiddenStacks();
		filled = hides;
	}
	const tree = treeByKey(keyOfState());

	fill(tree, hiddenNow);
	builtFor = wanted;
	return built = state.order === "width" ? byWidth(tree) : tree;
}

/* Shows the state, as soon as its tree is there. */
function apply(smoothly) {
	showTools();
	whenBuilt(keyOfState(), () => show(smoothly));
}

let begun = "";

function show(smoothly) {
	const tree = currentTree(), changed = tree !== shown.tree || !shown.seen, zoomed = nodeOf(tree, state.zoom);
	const begins = [state.view, state.f, icicle].join(" ");

	if (changed) {
		cursor = -1;
		for (const panel of panels)
			panel.lo = panel.hi = 0;
	}
	setTrees(tree);
	if (!(zoomed > 0 && zoomed < tree.nr && isThere(tree, zoomed)))
		state.zoom = 0;
	findMatches();
	showTools();
	ui.panel.hidden = !state.table;
	moveTo(state.zoom ? zoomed : 0, smoothly && !changed);
	showMatched();
	showTable();
	/* When the heading is as high as it will be. */
	if (begun !== begins)
		scrollToBegin();
	begun = begins;
}

function query() {
	const search = new URLSearchParams(location.search);

	for (const [key, name] of Object.entries(KEYS)) {
		const value = state[name];

		if (value === INITIAL[name])
			search.delete(key);
		else
			search.set(key, value === true ? "1" : value);
	}
	return search.toString();
}

/* Changes what the reader has chosen; with `step`, Back undoes it. */
function choose(change, step = true) {
	Object.assign(state, change);
	apply(true);
	const address = location.pathname + (query() && "?" + query()) + location.hash;

	try {
		step ? history.pushState(null, "", address) : history.replaceState(null, "", address);
	} catch (e) {
		/* A document without an address of its own, in a sandbox: nothing to keep it in. */
	}
}

const oneOf = (list, value) => list.some(([name]) => name === value) ? value : list[0][0];

/* What the address says, as far as it makes sense. */
function readAddress() {
	const search = new URLSearchParams(location.search), number = key => /^\d{1,9}$/.test(search.get(key) || "") ? +search.get(key) : 0;

	Object.assign(state, INITIAL, {
		view: isChart ? "root" : oneOf(views, search.get("v")), f: number("f"), zoom: number("z"),
		order: isChart ? "name" : oneOf(orders, search.get("o")), colors: oneOf(colorings, search.get("c")),
		plumbing: !isChart && search.get("p") === "1", recursion: !isChart && search.get("r") === "1",
		idle: idleFrame > 0 && search.get("d") === "1", search: search.get("s") || "", matchCase: search.get("i") === "1",
		table: columns.some(([name]) => name === (search.get("t") || "").replace(/^-/, "")) ? search.get("t") : "",
		hidden: (search.get("x") || "").split(",").filter(isHiddenEntry).join(","),
	});
	if (state.view !== "around")
		state.f = 0;
	else if (!state.f || state.f >= frames.length)
		Object.assign(state, { view: "root", f: 0 });
}

function isHiddenEntry(entry) {
	const match = /^([rl]|a(\d{1,9}))p?c?\.\d{1,9}$/.exec(entry);

	return match && !(match[2] && (+match[2] < 1 || +match[2] >= frames.length));
}

const zoom = i => choose({ zoom: idOf(shown.tree, i) });

/* Where the zoomed box is in a tree with other frames, if it is there. */
function chooseSimplified(change) {
	const i = shown.zoomed, { tree } = shown;

	if (!i || state.view !== "root")
		return choose({ ...change, zoom: 0 });
	let node = 0;

	while (node < file.nr && leafIn(tree, node) !== i)
		node++;
	Object.assign(state, change, { zoom: 0 });
	const other = currentTree();

	choose({ zoom: node < file.nr ? idOf(other, leafIn(other, node)) : 0 });
}

function hide(i) {
	if (i > 0)
		choose({ hidden: [state.hidden, `${keyOfState()}.${idOf(shown.tree, i)}`].filter(Boolean).join(","), zoom: isWithin(shown.tree, shown.zoomed, i) ? 0 : state.zoom });
}

/* The part of a differential with what is gone. */
const goneEntry = () => "r." + file.frame.findIndex((f, i) => file.parent[i] === 0 && isGone(file, i));
const hiddenEntries = () => state.hidden ? state.hidden.split(",") : [];
const showsGone = () => !hiddenEntries().includes(goneEntry());

function toggleGone() {
	const others = hiddenEntries().filter(entry => entry !== goneEntry());

	choose({ hidden: (showsGone() ? [...others, goneEntry()] : others).join(","), zoom: 0 });
}

const viewFrom = view => choose({ view, f: 0, zoom: 0 });
const viewAround = i => choose({ view: "around", f: shown.tree.frame[i], zoom: 0 });

/* One thing at a time, the last first; false: there is nothing to undo. */
function undo() {
	if (building)
		viewFrom("root");
	else if (state.search)
		setSearch("");
	else if (state.zoom)
		choose({ zoom: 0 });
	else if (state.hidden)
		choose({ hidden: state.hidden.split(",").slice(0, -1).join(",") });
	else if (state.view !== "root")
		viewFrom("root");
	else
		return false;
	return true;
}

const REMEMBERED = "wick-icicle";

function remembered() {
	try {
		return localStorage.getItem(REMEMBERED);
	} catch (e) {
		return null; /* no storage for this document */
	}
}

function setIcicle(on) {
	icicle = on;
	try {
		localStorage.setItem(REMEMBERED, on ? "1" : "0");
	} catch (e) {
		/* Then it lasts as long as the page. */
	}
	apply(false);
}

/* What the tools say. */
function showTools() {
	ui.view.value = state.view;
	ui.order.value = state.order;
	ui.colors.value = state.colors;
	ui.matchCase.setAttribute("aria-pressed", state.matchCase);
	ui.plumbing.setAttribute("aria-pressed", state.plumbing);
	ui.plumbing.textContent = state.plumbing ? `${withCommas(plumbingNodes())} of plumbing hidden` : "hide plumbing";
	ui.plumbing.disabled = !plumbingNodes();
	ui.recursion.setAttribute("aria-pressed", state.recursion);
	ui.idle.hidden = idleFrame < 0;
	ui.idle.setAttribute("aria-pressed", state.idle);
	ui.idle.textContent = state.idle ? `${idleShare()} idle hidden` : `hide idle (${idleShare()})`;
	ui.icicle.setAttribute("aria-pressed", icicle);
	ui.table.setAttribute("aria-pressed", state.table !== "");
	if (ui.gone)
		ui.gone.setAttribute("aria-pressed", showsGone());
	ui.reset.hidden = !state.zoom;
	ui.restore.hidden = !state.hidden;
	ui.restore.textContent = `show hidden (${hiddenShare()})`;
	if (document.activeElement !== ui.search)
		ui.search.value = state.search;
}

let nrPlumbing = -1;

function plumbingNodes() {
	if (nrPlumbing < 0)
		nrPlumbing = file.frame.reduce((nr, f) => nr + frames[f].plumbing, 0);
	return nrPlumbing;
}

let shareOfIdle = null;

function idleShare() {
	if (shareOfIdle === null) {
		const idle = new Uint8Array(file.nr);

		idleStacks(idle);
		const sum = which => original.self.reduce((all, value, i) => all + (which(i) ? value : 0), 0);

		shareOfIdle = share(sum(i => idle[i]), sum(() => true));
	}
	return shareOfIdle;
}

function hiddenShare() {
	let hidden = 0, all = 0;

	if (!state.hidden)
		return "";
	for (let i = 0; i < file.nr; i++) {
		all += original.self[i];
		hidden += hiddenNow[i] & BY_HAND ? original.self[i] : 0;
	}
	return share(hidden, all);
}
