/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.js: which boxes match, the share of the samples whose stack has a match, and the way from one
 * match to the next. What was too thin to draw counts like the rest.
 */
const found = {
	expression: null, tree: null, hidden: null, problem: null,
	matches: null,	/* by node; null: no search */
	before: null,	/* by node: how many match before it */
	through: null,	/* by node: does it match, or one between it and node 0? */
};

/* Node 0, "all", is no function, but for the one that its callers and callees are around. */
function findMatches() {
	const { tree } = shown, wanted = state.search + "/" + state.matchCase;
	let regexp;

	if (found.expression === wanted && found.tree === tree && found.hidden === hiddenNow)
		return;
	Object.assign(found, { expression: wanted, tree, hidden: hiddenNow, problem: null, matches: null });
	if (!state.search)
		return;
	try {
		regexp = new RegExp(state.search, state.matchCase ? "" : "i");
	} catch (e) {
		found.problem = "no regular expression: " + e.message.replace(/^Invalid regular expression: .*: /, "");
		return;
	}
	Object.assign(found, markMatches(tree, Uint8Array.from(frames, (f, i) => i > 0 && regexp.test(f.name))));
}

/* What has no box, since it is hidden, does not match. */
function markMatches(tree, hit) {
	const { nr, frame, parent } = tree;
	const matches = new Uint8Array(nr), through = new Uint8Array(nr), before = new Uint32Array(nr + 1);

	for (let i = 0; i < nr; i++) {
		matches[i] = hit[frame[i]] && isThere(tree, i) ? 1 : 0;
		through[i] = matches[i] | (i ? through[parent[i]] : 0);
		before[i + 1] = before[i] + matches[i];
	}
	return { matches, through, before };
}

/* Of a tree that is one function's callers and callees a stack is in two places. */
function matchedAround(tree, zoomed) {
	const value = tree.side === "before" ? original.before : original.self;
	let sum = 0;

	for (let i = 0; i < file.nr; i++) {
		const callee = tree.leafOf[i], caller = tree.callerOf[i];

		if (callee < 0 || hiddenNow[i] || !(isWithin(tree, callee, zoomed) || isWithin(tree, caller, zoomed)))
			continue;
		if (found.through[callee] || found.through[caller])
			sum += value[i];
	}
	return sum;
}

function matchedValue(tree, zoomed) {
	const { self, end, callerOf } = tree, { through } = found;
	let sum = 0;

	if (callerOf)
		return matchedAround(tree, zoomed);
	for (let i = zoomed; i < end[zoomed]; i++)
		if (through[i] && (zoomed || !isGone(tree, i)))
			sum += self[i];
	return sum;
}

/* "before 12.34%, now 10.00%": the difference has the widths of what there is now. */
function matchedShares(zoomed) {
	const of = isThree ? panels.filter(panel => panel !== shown) : panels;

	return of.map(({ name, tree }) => (name ? name + " " : "") + share(matchedValue(tree, zoomed), allOf(tree, zoomed))).join(", ");
}

function showMatched() {
	const { zoomed } = shown, { problem, matches } = found, nr = matches ? found.before[shown.tree.end[zoomed]] - found.before[zoomed] : 0;

	ui.matched.classList.toggle("bad", problem !== null);
	ui.search.setAttribute("aria-invalid", problem !== null);
	ui.next.disabled = ui.previous.disabled = !nr;
	if (problem)
		ui.matched.textContent = problem;
	else
		ui.matched.textContent = matches ? `matched: ${matchedShares(zoomed)}${zoomed ? " of the zoomed box" : ""}` : "";
}

let typing = 0;

function setSearch(text, matchCase = state.matchCase) {
	clearTimeout(typing);
	if (ui.search.value !== text)
		ui.search.value = text;
	choose({ search: text, matchCase }, false);
}

function searchSoon() {
	clearTimeout(typing);
	typing = setTimeout(() => setSearch(ui.search.value), 80);
}

/* To the next box that matches, in the order in which they are read; what is too thin is zoomed to. */
function goToMatch(by) {
	const { tree, zoomed } = shown, from = zoomed, to = tree.end[zoomed];
	let i = cursor >= from && cursor < to ? cursor : by > 0 ? from - 1 : to;

	if (building || !found.matches || found.before[to] === found.before[from])
		return;
	do {
		i += by;
		if (i >= to)
			i = from;
		else if (i < from)
			i = to - 1;
	} while (!found.matches[i]);
	if (!panelsWith(i).length)
		zoom(i);
	setCursor(i);
	say(i, `match ${withCommas(found.before[i] + 1)} of ${withCommas(found.before[tree.nr])}: `);
}
