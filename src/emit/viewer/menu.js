/* SPDX-License-Identifier: GPL-2.0-or-later */
/* menu.js: what can be done with one box; and the clipboard. */

/* Where the browser's clipboard is not for scripts, the reader can copy it from a box. */
function copy(text) {
	const done = () => { ui.announced.textContent = ui.details.textContent = "copied: " + cut(text, 200); };
	const ask = () => window.prompt("to copy:", text);

	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(done, ask);
	else
		ask();
}

const quoted = name => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const items = [
	{ text: "Zoom", run: zoom },
	{ text: "Reset zoom", run: () => choose({ zoom: 0 }), fits: () => state.zoom > 0 },
	{ text: "Callers and callees", run: viewAround, fits: i => !isChart && shown.tree.frame[i] > 0 },
	{ text: "Back to all stacks", run: () => viewFrom("root"), fits: () => state.view !== "root" },
	{ text: "Copy name", run: i => copy(frameOf(shown.tree, i).name) },
	{ text: "Copy stack", run: i => copy(stackOf(shown.tree, i)) },
	{ text: "Search this name", run: i => setSearch(`^${quoted(frameOf(shown.tree, i).name)}$`, true), fits: i => shown.tree.frame[i] > 0 },
	{ text: "Hide this stack (Alt-click)", run: hide, fits: i => i > 0 },
	{ text: "Show hidden stacks", run: () => choose({ hidden: "" }), fits: () => state.hidden !== "" },
];

function openMenu(i, x, y) {
	const { menu } = ui;

	hideTip();
	menu.replaceChildren(html("p", {}, cut(frameOf(shown.tree, i).name, 60)));
	for (const { text, run, fits } of items) {
		if (fits && !fits(i))
			continue;
		const item = html("button", { role: "menuitem", type: "button" }, text);

		item.addEventListener("click", () => { closeMenu(); run(i); });
		menu.append(item);
	}
	menu.hidden = false;
	menu.style.left = Math.max(0, Math.min(x, window.innerWidth - menu.offsetWidth - 4)) + "px";
	menu.style.top = Math.max(0, Math.min(y, window.innerHeight - menu.offsetHeight - 4)) + "px";
	menu.querySelector("button").focus();
}

/* False: it was not open. */
function closeMenu() {
	const { menu } = ui, was = !menu.hidden;

	menu.hidden = true;
	if (was && menu.contains(document.activeElement))
		ui.pane.focus({ preventScroll: true });
	return was;
}

function menuAtCursor() {
	const panel = cursor >= 0 && panelOfCursor(), box = panel && boxOf(cursor, panel), { left, top } = svg.getBoundingClientRect();

	if (box)
		openMenu(cursor, left + PAD + panel.left + box.x + Math.min(box.w / 2, 80), top + rowTop(panel.tree.depth[cursor], panel) + SMALL_ROW);
}

function onMenuKey(event) {
	const all = [...ui.menu.querySelectorAll("button")], at = all.indexOf(document.activeElement);
	const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];

	if (event.key === "Tab")
		closeMenu();
	if (!by)
		return;
	event.preventDefault();
	all[(at + by + all.length) % all.length].focus();
}
