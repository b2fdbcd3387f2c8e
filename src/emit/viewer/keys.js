/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.js: what a reader does with the keyboard, the mouse and fingers.
 *
 * The arrows go where they point: up and down a row, left and right to the next box of the row. A
 * finger that stays gets the menu.
 */
const HOLD_MS = 500;

/* The box, or the run of what is too thin, that is there: both may have no element of their own. */
function pointedAt(event) {
	const { left, top } = svg.getBoundingClientRect(), x = event.clientX - left - PAD, y = event.clientY - top, panel = panelAt(x, y);

	if (!panel || event.target === svg || !event.target.closest("#boxes, #slivers"))
		return { panel };
	const row = Math.floor((y - panel.top) / SMALL_ROW), depth = growsDown() ? row + panel.least : panel.most - row;
	const has = (of, d) => d === depth && of.x <= x - panel.left && x - panel.left < of.x + of.w;

	return { panel, box: panel.seen.boxes.find(b => has(b, panel.tree.depth[b.i])), run: panel.seen.runs.find(r => has(r, r.depth)) };
}

function nodeAt(event) {
	const { node } = event.target, { box } = node === undefined ? pointedAt(event) : {};

	return node !== undefined ? node : box ? box.i : -1;
}

/* The nearest box of the row above (-1) or below (1) in the picture, or beside the cursor. */
function neighbour(key) {
	const panel = panelOfCursor();

	if (!panel)
		return shown.zoomed;
	const { tree, seen } = panel, from = boxOf(cursor, panel);
	const depth = tree.depth[cursor], vertical = key === "ArrowUp" || key === "ArrowDown";
	const wanted = depth + (!vertical ? 0 : (key === "ArrowDown") === growsDown() ? 1 : -1), middle = from.x + from.w / 2;
	let best = -1, least = Infinity;

	for (const { i, x, w } of seen.boxes) {
		if (tree.depth[i] !== wanted || i === cursor)
			continue;
		if (vertical && !(isAncestor(tree, i, cursor) || isWithin(tree, i, cursor)))
			continue;
		if (!vertical && (x > from.x) !== (key === "ArrowRight"))
			continue;
		const distance = vertical ? -w : Math.abs(x + w / 2 - middle);

		if (distance < least) {
			least = distance;
			best = i;
		}
	}
	return best;
}

function move(key) {
	const i = neighbour(key);

	if (i >= 0)
		setCursor(i);
	ui.pane.focus({ preventScroll: true });
}

const actions = {
	Enter: () => cursor >= 0 && zoom(cursor),
	" ": () => cursor >= 0 && zoom(cursor),
	Home: () => setCursor(0),
	n: () => goToMatch(1),
	N: () => goToMatch(-1),
	"/": toSearch,
	Delete: () => hide(cursor),
	h: () => hide(cursor),
	a: () => cursor > 0 && viewAround(cursor),
	c: () => cursor >= 0 && copy(frameOf(shown.tree, cursor).name),
	C: () => cursor >= 0 && copy(stackOf(shown.tree, cursor)),
	i: () => setIcicle(!icicle),
	t: () => toggleTable(),
	ContextMenu: () => menuAtCursor(),
};

for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
	actions[key] = () => move(key);

function toSearch() {
	ui.search.focus();
	ui.search.select();
}

const isTool = e => e && e.closest && e.closest("input, select, button, #menu");

function onKey(event) {
	const { key } = event, find = key === "F3" || ((event.ctrlKey || event.metaKey) && key === "f");

	if (find && document.activeElement !== ui.search) {
		/* Twice: the browser's own. */
		event.preventDefault();
		return toSearch();
	}
	if (key === "Escape") {
		hideTip();
		if (!closeMenu() && undo())
			event.preventDefault();
		return;
	}
	if (key === "F10" && event.shiftKey) {
		event.preventDefault();
		return menuAtCursor();
	}
	if (event.ctrlKey || event.metaKey || event.altKey || isTool(event.target) || !actions[key] || building)
		return;
	event.preventDefault();
	actions[key]();
}

function onSearchKey(event) {
	if (event.key !== "Enter")
		return;
	event.preventDefault();
	setSearch(ui.search.value);
	goToMatch(event.shiftKey ? -1 : 1);
}

/* ---- what is pointed at */

function showTip(event, heading, lines) {
	const { tip } = ui, { innerWidth, innerHeight } = window;

	tip.replaceChildren(html("b", {}, cut(heading, LONG_NAME)), ...lines.map(line => html("span", {}, line)));
	tip.hidden = false;
	const { offsetWidth, offsetHeight } = tip, x = event.clientX + 14, y = event.clientY + 18;

	tip.style.left = Math.max(4, Math.min(x, innerWidth - offsetWidth - 8)) + "px";
	tip.style.top = (y + offsetHeight > innerHeight ? Math.max(4, event.clientY - offsetHeight - 10) : y) + "px";
}

function hideTip() {
	ui.tip.hidden = true;
}

function onPoint(event) {
	const i = nodeAt(event), { panel, run: thin } = pointedAt(event), run = i < 0 && thin, { tree } = shown;

	drawLinks(i, panel);
	if (run) {
		const text = `too thin to draw: ${counted(run.end - run.first, "box", "boxes")} (${amount(run.total)}, ${share(run.total, panel.tree.all)})`;

		ui.details.textContent = text;
		return showTip(event, text, []);
	}
	say(i);
	if (i < 0)
		return hideTip();
	const own = attributesOf.get(tree.frame[i]), instead = own && own.querySelector("title");

	showTip(event, instead ? instead.textContent : frameOf(tree, i).name, instead ? [] : particulars(tree, i));
}

function onClick(event) {
	const i = nodeAt(event);

	if (i < 0 || event.target.closest("a"))
		return;
	hideTip();
	active = pointedAt(event).panel || shown;
	if (event.altKey)
		return hide(i);
	zoom(i);
	cursor = i;
	drawCursor();
}

let hold = 0;

function onPress(event) {
	const i = nodeAt(event), { clientX, clientY, pointerType } = event;

	clearTimeout(hold);
	if (pointerType === "touch" && i >= 0)
		hold = setTimeout(() => openMenu(i, clientX, clientY), HOLD_MS);
}

const release = () => clearTimeout(hold);

function listenToPointer() {
	const { pane } = ui;

	svg.addEventListener("click", onClick);
	svg.addEventListener("pointermove", event => event.pointerType !== "touch" && onPoint(event));
	svg.addEventListener("pointerleave", () => { hideTip(); drawLinks(-1); say(-1); });
	svg.addEventListener("pointerdown", onPress);
	for (const name of ["pointerup", "pointercancel", "pointerleave"])
		svg.addEventListener(name, release);
	pane.addEventListener("scroll", () => {
		belowPane = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
		release();
		drawRowsIfMoved();
		hideTip();
	});
	svg.addEventListener("contextmenu", event => {
		if (nodeAt(event) < 0 || event.shiftKey)
			return;
		event.preventDefault();
		openMenu(nodeAt(event), event.clientX, event.clientY);
	});
	window.addEventListener("pointerdown", event => !event.target.closest("#menu") && closeMenu());
}
