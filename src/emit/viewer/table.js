/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.js: the functions of the zoomed box, by self or total; of a differential, those first that have
 * changed most. A function that calls itself counts once. The search narrows it.
 */
const MOST_ROWS = 500;
const columns = differential ? [["self", "self"], ["selfChange", "change"], ["total", "total"], ["totalChange", "change"], ["name", "function"]]
	: [["self", "self"], ["total", "total"], ["name", "function"]];
const FIRST_ORDER = differential ? "selfChange" : "self";

/* Names rise, values fall, or turned round. */
const sortedBy = () => state.table.replace(/^-/, "");
const isRising = () => (sortedBy() === "name") !== state.table.startsWith("-");

/* Values by frame; of a differential also those before, and the numbers of events, if they are known. */
const newSums = tree => ({ now: new Float64Array(frames.length), before: new Float64Array(frames.length), events: tree.events && new Float64Array(frames.length) });

function addTo({ now, before, events }, f, i, values, valuesBefore, nrs) {
	now[f] += values[i];
	if (differential)
		before[f] += valuesBefore[i];
	if (events)
		events[f] += nrs[i];
}

/* By function: what it has itself, and with all that it calls. What is gone counts where it was, not a second time above its note. */
function sumFunctions() {
	/* From the leaf, a box's value is what its callee has of it: the stacks themselves say more. */
	const tree = state.view === "leaf" ? treeOfStacks() : shown.tree, zoomed = tree === shown.tree ? shown.zoomed : 0;
	const self = newSums(tree), total = newSums(tree), inside = new Uint32Array(frames.length);
	const from = zoomed, to = zoomed ? tree.end[zoomed] : tree.callers, path = [];

	for (let i = from; i < to; i++) {
		while (path.length && tree.end[path[path.length - 1]] <= i)
			inside[functionOf(tree.frame[path.pop()])]--;
		const f = functionOf(tree.frame[i]);

		if (isGone(tree, i) && !isGone(tree, zoomed))
			continue;
		addTo(self, f, i, tree.self, tree.before, tree.events);
		if (!inside[f]++)
			addTo(total, f, i, tree.total, tree.totalBefore, tree.totalEvents);
		path.push(i);
	}
	return { self, total, all: allOf(tree, zoomed) };
}

function treeOfStacks() {
	const tree = treeByKey("r" + (state.plumbing ? "p" : "") + (state.recursion ? "c" : ""));

	fill(tree, hiddenNow);
	return tree;
}

function rowsOf({ self, total }) {
	const regexp = found.matches ? new RegExp(state.search, state.matchCase ? "" : "i") : null, rows = [];

	for (let f = 1; f < frames.length; f++)
		if ((total.now[f] > 0 || total.before[f] > 0) && (!regexp || regexp.test(frames[f].name)))
			rows.push(f);
	const changed = ({ now, before }, f) => Math.abs(now[f] - before[f]);
	const by = { self: (a, b) => self.now[a] - self.now[b], total: (a, b) => total.now[a] - total.now[b],
		selfChange: (a, b) => changed(self, a) - changed(self, b) || changed(total, a) - changed(total, b), totalChange: (a, b) => changed(total, a) - changed(total, b),
		name: (a, b) => rankOfFrames()[a] - rankOfFrames()[b] }[sortedBy()], rising = isRising();

	return rows.sort((a, b) => (rising ? by(a, b) : by(b, a)) || a - b);
}

function headOf([key, text]) {
	const isOrder = key === sortedBy(), sort = html("button", { type: "button", "data-by": key }, text + (!isOrder ? "" : isRising() ? " \u25b2" : " \u25bc"));

	sort.addEventListener("click", () => {
		choose({ table: (state.table === key ? "-" : "") + key }, false);
		ui.panel.querySelector(`[data-by="${key}"]`).focus();
	});
	return html("th", { scope: "col", "aria-sort": !isOrder ? "none" : isRising() ? "ascending" : "descending" }, sort);
}

/* "+1.23", "~-0.10": in percent of the same; the second may be noise. */
function changeOf({ now, before, events }, f, all) {
	const delta = (differential === "negated" ? -1 : 1) * (now[f] - before[f]), part = share(Math.abs(delta), all).slice(0, -1);
	const isNoise = knowsNoise && !isMoreThanNoise(now[f], before[f], events && events[f]);

	return +part === 0 ? part : (isNoise ? "~" : "") + (delta < 0 ? "-" : "+") + part;
}

function cellsOf(sums, f, all) {
	const cell = (text, title) => html("td", { title }, text), { now, before } = sums;

	if (!differential || frames[f].kind === "x")
		return [cell(share(now[f], all), amount(now[f])), ...differential ? [cell("gone", "")] : []];
	return [cell(share(now[f], all), amount(now[f])), cell(changeOf(sums, f, all), `before: ${amount(before[f])}; now: ${amount(now[f])}`)];
}

/* Of a differential of two profiles. */
const standingOf = ({ now, before }, f) => beforeFactor && !before[f] && frames[f].kind !== "x" ? " (new)" : beforeFactor && !now[f] ? " (gone)" : "";

function rowOf(f, { self, total, all }) {
	const { name, module, kind } = frames[f], link = html("button", { type: "button", class: "link " + kind, title: "callers and callees" }, cut(name, LONG_NAME));

	link.addEventListener("click", () => {
		isChart ? setSearch(`^${quoted(name)}$`, true) : choose({ view: "around", f, zoom: 0 });
	});
	return html("tr", {}, ...cellsOf(self, f, all), ...cellsOf(total, f, all),
		html("th", { scope: "row" }, link, html("small", {}, (module && ` ${module}`) + standingOf(total, f))));
}

function showTable() {
	const { panel } = ui;

	if (panel.hidden)
		return;
	const sums = sumFunctions(), rows = rowsOf(sums), note = differential && knowsNoise ? "~: no more than chance may make of it (95 %)" : "";

	panel.replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, ...columns.map(headOf))),
		html("tbody", {}, ...rows.slice(0, MOST_ROWS).map(f => rowOf(f, sums)))));
	if (rows.length > MOST_ROWS)
		panel.append(html("p", {}, `and ${counted(rows.length - MOST_ROWS, "other", "others")}: search for them`));
	if (note)
		panel.append(html("p", {}, note));
}

const toggleTable = () => choose({ table: state.table ? "" : FIRST_ORDER }, false);
