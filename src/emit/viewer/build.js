/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.js: trees that were made, and the making of one. Of many stacks that takes seconds: then it is
 * done in pieces between which the page lives, and what was seen stays, dimmed, until the tree is there.
 * Another choice gives it up.
 *
 * A tree's key is as in x of state.js: r, l or a and a function's number, and p, c.
 */
const trees = new Map();
const MOST_TREES = 4, MOST_KEPT_NODES = 3e6;
/* How long the first piece may take, and each of the others. */
const limits = { first: 60, piece: 25 };

function* treeSteps(key) {
	const [, view, f, plumbing, recursion] = /^([rla])(\d*)(p?)(c?)$/.exec(key);
	const source = plumbing || recursion ? simplified(plumbing, recursion) : file;

	return view === "l" ? yield* fromLeaf(source) : view === "a" ? yield* around(source, +f) : source;
}

/* Some are kept, the newest: of large ones only the last. */
function keep(key, tree) {
	let nodes = tree.nr;

	trees.set(key, tree);
	[...trees].reverse().forEach(([other, { nr }], i) => {
		nodes += i ? nr : 0;
		if (i && (nodes > MOST_KEPT_NODES || i >= MOST_TREES))
			trees.delete(other);
	});
	return tree;
}

/* The tree of a key in the order of names, now. */
function treeByKey(key) {
	const steps = trees.has(key) ? null : treeSteps(key);

	if (!steps)
		return trees.get(key);
	for (;;) {
		const { done, value } = steps.next();

		if (done)
			return keep(key, value);
	}
}

/* What is being made: its key, what to do then, the timer of the next piece. */
let building = null;

function setBuilding(next) {
	const { pane, details } = ui, had = pane.contains(document.activeElement) || document.activeElement === document.body;

	if (building)
		clearTimeout(building.timer);
	building = next;
	pane.inert = Boolean(next);
	pane.setAttribute("aria-busy", Boolean(next));
	if (!next) {
		details.textContent = "";
		if (had)
			pane.focus({ preventScroll: true });
	}
}

/* Does something with the tree of a key, in the end; if it is being made already, only that is new. */
function whenBuilt(key, then) {
	if (building && building.key === key) {
		building.then = then;
		return;
	}
	if (building)
		setBuilding(null);
	if (trees.has(key))
		return then();
	const steps = treeSteps(key);

	if (!pieceOf(steps, key, limits.first))
		return then();
	setBuilding({ key, then, timer: 0 });
	const goOn = () => {
		const { then } = building;

		if (pieceOf(steps, key, limits.piece)) {
			building.timer = setTimeout(goOn, 0);
			return;
		}
		setBuilding(null);
		then();
	};

	building.timer = setTimeout(goOn, 0);
}

/* Makes a tree until the time is over; false: it is there. */
function pieceOf(steps, key, ms) {
	const until = performance.now() + ms;

	do {
		const { done, value } = steps.next();

		if (done) {
			keep(key, value);
			return false;
		}
		if (value !== undefined)
			ui.details.textContent = `${Math.floor(value * 100)}% of the stacks are in place`;
	} while (performance.now() < until);
	return true;
}
