/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.js: everything is there; the page takes the first screen's place. */
function listen() {
	const on = (e, name, run) => e.addEventListener(name, run);

	on(window, "keydown", onKey);
	on(window, "popstate", () => { readAddress(); ui.search.value = state.search; apply(true); });
	on(window, "beforeprint", () => setPrinting(true));
	on(window, "afterprint", () => setPrinting(false));
	on(matchMedia("(prefers-color-scheme: dark)"), "change", redraw);
	on(ui.menu, "keydown", onMenuKey);
	on(ui.search, "input", searchSoon);
	on(ui.search, "keydown", onSearchKey);
	on(ui.matchCase, "click", () => setSearch(ui.search.value, !state.matchCase));
	on(ui.next, "click", () => goToMatch(1));
	on(ui.previous, "click", () => goToMatch(-1));
	on(ui.view, "change", () => ui.view.value !== "around" ? viewFrom(ui.view.value) : aroundCursor());
	on(ui.order, "change", () => choose({ order: ui.order.value }));
	on(ui.colors, "change", () => choose({ colors: ui.colors.value }));
	on(ui.plumbing, "click", () => chooseSimplified({ plumbing: !state.plumbing }));
	on(ui.recursion, "click", () => chooseSimplified({ recursion: !state.recursion }));
	on(ui.idle, "click", () => choose({ idle: !state.idle }));
	if (ui.gone)
		on(ui.gone, "click", toggleGone);
	on(ui.icicle, "click", () => setIcicle(!icicle));
	on(ui.table, "click", toggleTable);
	on(ui.reset, "click", () => choose({ zoom: 0 }));
	on(ui.restore, "click", () => choose({ hidden: "" }));
	listenToPointer();
	new ResizeObserver(onResize).observe(ui.pane);
}

function onResize() {
	if (!shown.all && roomForBoxes() !== shown.room)
		return redraw();
	keepLowerEnd();
	drawRowsIfMoved();
}

/* Around the box that was pointed at last, or what is zoomed. */
function aroundCursor() {
	const i = cursor > 0 ? cursor : shown.zoomed;

	if (i > 0)
		return viewAround(i);
	ui.view.value = state.view;
	ui.details.textContent = "click the box of a function first, or open its menu";
}

function start() {
	icicle = remembered() === null ? icicle : remembered() === "1";
	takePlace();
	readAddress();
	listen();
	apply(false);
	/* For tests, and for a document that has the picture in it. */
	svg.viewer = { shown, panels, state, frames, title: i => title(shown.tree, i), particulars: i => particulars(shown.tree, i), choose, search: setSearch, limits, isBuilding: () => building !== null, name: i => frameOf(shown.tree, i).name };
}

if (document.readyState === "loading" && svg === document.documentElement)
	document.addEventListener("DOMContentLoaded", start);
else
	start();
