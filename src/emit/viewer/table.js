/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.js: the functions of the zoomed box, by self or total. A function that calls itself counts
 * once. The search narrows it.
 */
const MOST_ROWS = 500;
const columns = [["self", "self"], ["total", "total"], ["name", "function"]];
let sortedBy = "self", rising = false;

/* By frame: what it has itself, and with all that it calls. */
function sumFunctions() {
	/* From the leaf, a box's value is what its callee has of it: the stacks themselves say more. */
	const tree = state.view === "leaf" ? treeOfStacks() : shown.tree, zoomed = tree === shown.tree ? shown.zoomed : 0;
	const self = new Float64Array(frames.length), total = new Float64Array(frames.length), inside = new Uint32Array(frames.length);
	const from = zoomed, to = zoomed ? tree.end[zoomed] : tree.callers, path = [];

	for (let i = from; i < to; i++) {
		while (path.length && tree.end[path[path.length - 1]] <= i)
			inside[tree.frame[path.pop()]]--;
		const f = tree.frame[i];

		self[f] += tree.self[i];
		if (!inside[f]++)
			total[f] += tree.total[i];
		path.push(i);
	}
	return { self, total, all: tree.total[zoomed] };
}

function treeOfStacks() {
	const tree = treeByKey("r" + (state.plumbing ? "p" : "") + (state.recursion ? "c" : ""));

	fill(tree, hiddenNow);
	return tree;
}

function rowsOf({ self, total }) {
	const regexp = found.matches ? new RegExp(state.search, state.matchCase ? "" : "i") : null, rows = [];

	for (let f = 1; f < frames.length; f++)
		if (total[f] > 0 && (!regexp || regexp.test(frames[f].name)))
			rows.push(f);
	const by = { self: (a, b) => self[a] - self[b], total: (a, b) => total[a] - total[b],
		name: (a, b) => rankOfFrames()[a] - rankOfFrames()[b] }[sortedBy];

	return rows.sort((a, b) => (rising ? by(a, b) : by(b, a)) || a - b);
}

function headOf([key, text]) {
	const sort = html("button", { type: "button", "data-by": key }, text + (key !== sortedBy ? "" : rising ? " \u25b2" : " \u25bc"));

	sort.addEventListener("click", () => {
		rising = key === sortedBy ? !rising : key === "name";
		sortedBy = key;
		showTable();
		ui.panel.querySelector(`[data-by="${key}"]`).focus();
	});
	return html("th", { scope: "col", "aria-sort": key !== sortedBy ? "none" : rising ? "ascending" : "descending" }, sort);
}

function rowOf(f, { self, total, all }) {
	const { name, module } = frames[f], link = html("button", { type: "button", class: "link", title: "callers and callees" }, name);

	link.addEventListener("click", () => {
		isChart ? setSearch(`^${quoted(name)}$`, true) : choose({ view: "around", f, zoom: 0 });
	});
	const cell = value => html("td", { title: amount(value) }, share(value, all));

	return html("tr", {}, cell(self[f]), cell(total[f]), html("th", { scope: "row" }, link, module ? html("small", {}, ` ${module}`) : ""));
}

function showTable() {
	const { panel } = ui;

	if (panel.hidden)
		return;
	const sums = sumFunctions(), rows = rowsOf(sums);

	panel.replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, ...columns.map(headOf))),
		html("tbody", {}, ...rows.slice(0, MOST_ROWS).map(f => rowOf(f, sums)))));
	if (rows.length > MOST_ROWS)
		panel.append(html("p", {}, `and ${counted(rows.length - MOST_ROWS, "other", "others")}: search for them`));
}

function toggleTable() {
	ui.panel.hidden = !ui.panel.hidden;
	ui.table.setAttribute("aria-pressed", !ui.panel.hidden);
	showTable();
	redraw();
}
