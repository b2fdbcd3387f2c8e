/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.js: boxes, names and slivers, of those rows only that are in the pane, or near it. A zoom moves
 * the edges of the panels step by step.
 */
const STEP_MS = 220, MARGIN_ROWS = 8, SLOW_MS = 40;
const SMALL_ROW = Math.max(ROW, matchMedia("(pointer: coarse)").matches ? 24 : 0);
const attributesOf = new Map();

for (const e of svg.querySelectorAll("#attributes > *"))
	attributesOf.set(+e.dataset.frame, e);

let icicle = svg.dataset.inverted === "1", cursor = -1, active = shown, motion = 0;

const px = x => String(Math.round(x * 1000) / 1000);
const isAround = () => shown.tree.callerOf !== null;
const growsDown = () => icicle || isAround();
const rowTop = (depth, { top, least, most } = shown) => top + (growsDown() ? depth - least : most - depth) * SMALL_ROW;
const isDark = () => !shown.all && !ui.page.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
const background = () => isDark() ? 0x0d1117 : 0xffffff;

/* The color with fading and matches. */
function finalColor(tree, i) {
	const { zoomed } = shown, color = found.matches && found.matches[i] ? MATCH : colorOf(tree, i);

	return isAncestor(tree, i, zoomed) ? mix(color, background(), 0.5) : color;
}

/* What is gone: drawn once more, or where it was before. */
const isHatched = (tree, i) => tree.side === "before" ? !shown.tree.total[i] : isGone(tree, i);

const isPlainHatch = (tree, i) => isHatched(tree, i) && !(found.matches && found.matches[i]);

/* What a label is written on. */
const colorBehind = (tree, i) => isPlainHatch(tree, i) ? (isDark() ? GONE_DARK : GONE) : finalColor(tree, i);

function newBox({ i, x, w }, y, { tree, left }) {
	const color = finalColor(tree, i), rect = element("rect", { x: px(PAD + left + x), y, width: px(w), height: SMALL_ROW - 1, fill: hex(color) });
	const { zoomed } = shown;

	rect.node = i;
	if (isPlainHatch(tree, i))
		rect.setAttribute("fill", "url(#hatch)");
	if (isNew(tree, i))
		rect.classList.add("new");
	if (isAncestor(tree, i, zoomed))
		rect.classList.add("faded");
	if (!i && state.view === "around")
		rect.classList.add("middle-box");
	if (found.matches && found.matches[i])
		rect.classList.add("match");
	return rect;
}

/* What --nameattr says of a function is on its boxes: a link, a class, a text instead of the tooltip. */
function wrapped(rect) {
	const of = attributesOf.get(shown.tree.frame[rect.node]);

	if (!of || !rect.node)
		return rect;
	const copy = of.cloneNode(true);

	copy.removeAttribute("data-frame");
	copy.append(rect);
	return copy;
}

/* A root says which panel it is of. */
function labelOf(i, { name, tree }, columns) {
	const panel = i || !name ? "" : name + ": ";

	if (panel && !tree.frame[0])
		return cut(name, columns);
	return cut(panel + fitting(frameOf(tree, i).name, columns - panel.length), columns);
}

function newLabel({ i, x, w }, y, panel) {
	const columns = Math.floor((w - 6) / CHAR), f = frameOf(panel.tree, i);
	const text = columns >= 3 && labelOf(i, panel, columns);

	if (!text)
		return null;
	const label = element("text", { x: px(PAD + panel.left + x + 3), y: y + Math.floor((SMALL_ROW - 1) / 2 + FONT_SIZE * 0.36), class: f.kind });

	label.textContent = text;
	if (hasLightLabel(colorBehind(panel.tree, i)))
		label.classList.add("light");
	return label;
}

const hasMatch = run => found.matches && found.before[run.end] > found.before[run.first];
const SLIVER_COLOR = () => isDark() ? 0x59636e : 0xb1bac4;

/* At the side of the row where the callers are: y and height. */
function sliverPlace(run, y) {
	const height = Math.min(SLIVER, SMALL_ROW - 1), low = growsDown() !== run.depth < 0 ? 0 : SMALL_ROW - 1 - height;

	return [y + low, height];
}

function newSliver(run, y, { left }) {
	const [top, height] = sliverPlace(run, y);
	const rect = element("rect", { x: px(PAD + left + run.x), y: top, width: px(run.w), height });

	if (hasMatch(run))
		rect.classList.add("match");
	return rect;
}

/*
 * Boxes that are hardly a pixel wide are many, and have no name: those of one color are one path, and
 * neighbours one rectangle of it.
 */
class Narrow {
	constructor(className) {
		this.className = className;
		this.open = new Map();
		this.paths = new Map();
	}

	add(x, w, y, height, color) {
		const key = color + " " + y, last = this.open.get(key);

		if (last && Math.abs(last.end - x) < 0.002) {
			last.end = x + w;
			return;
		}
		if (last)
			this.close(last);
		this.open.set(key, { x, end: x + w, y, height, color });
	}

	close({ x, end, y, height, color }) {
		if (!this.paths.has(color))
			this.paths.set(color, []);
		this.paths.get(color).push(`M${px(PAD + x)} ${y}h${px(end - x)}v${height}H${px(PAD + x)}z`);
	}

	elements() {
		this.open.forEach(run => this.close(run));
		return [...this.paths].map(([color, d]) => element("path", { class: this.className, fill: hex(color), d: d.join("") }));
	}
}

const NARROW = 1.5;

/* One shade for all of a kind, so that neighbours are of one color; of other colorings, few shades. */
const shadeOfKind = new Map();

function narrowColor(tree, i) {
	const color = colorBehind(tree, i), { kind } = frameOf(tree, i), isPlain = state.colors === "name" && !differential;
	const key = kind + (found.matches ? found.matches[i] : "");

	if (!isPlain)
		return color & 0xe0e0e0 | 0x101010;
	if (!shadeOfKind.has(key))
		shadeOfKind.set(key, color);
	return shadeOfKind.get(key);
}

/* Which y are to be drawn. */
function drawnRange() {
	const margin = MARGIN_ROWS * SMALL_ROW;

	if (shown.strip)
		return shown.strip;
	return [ui.pane.scrollTop - margin, ui.pane.scrollTop + ui.pane.clientHeight + margin];
}

const newLayers = () => ({
	boxes: document.createDocumentFragment(), labels: document.createDocumentFragment(), slivers: document.createDocumentFragment(),
	narrow: new Narrow("narrow"), narrowSlivers: new Narrow("narrow"),
});

function drawBoxes(panel, [from, to], { boxes, labels, narrow }) {
	const { seen, tree, left } = panel;

	for (const box of seen.boxes) {
		const y = rowTop(tree.depth[box.i], panel);

		if (y < from || y > to)
			continue;
		if (box.w < NARROW && !attributesOf.size) {
			narrow.add(left + box.x, box.w, y, SMALL_ROW - 1, narrowColor(tree, box.i));
			continue;
		}
		const label = newLabel(box, y, panel);

		boxes.append(wrapped(newBox(box, y, panel)));
		if (label)
			labels.append(label);
	}
}

function drawSlivers(panel, [from, to], { slivers, narrowSlivers }) {
	for (const run of panel.seen.runs) {
		const y = rowTop(run.depth, panel);

		if (y < from || y > to)
			continue;
		if (run.w < NARROW)
			narrowSlivers.add(panel.left + run.x, run.w, ...sliverPlace(run, y), hasMatch(run) ? MATCH : SLIVER_COLOR());
		else
			slivers.append(newSliver(run, y, panel));
	}
}

function drawRows() {
	const range = shown.drawn = drawnRange(), layers = newLayers(), { boxes, labels, slivers, narrow, narrowSlivers } = layers;

	for (const panel of panels) {
		drawBoxes(panel, range, layers);
		drawSlivers(panel, range, layers);
	}
	shadeOfKind.clear();
	boxes.prepend(...narrow.elements());
	slivers.prepend(...narrowSlivers.elements());
	part("boxes").replaceChildren(boxes);
	part("labels").replaceChildren(labels);
	part("slivers").replaceChildren(slivers);
	ui.links.replaceChildren();
	drawCursor();
}

function setSize(room) {
	const width = room + 2 * PAD, height = heightOfPanels() + 2;

	svg.setAttribute("width", width);
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

const roomForBoxes = () => Math.max(100, (fixedWidth || ui.pane.clientWidth) - 2 * PAD);

/* Of a flame the lower end stays where it was, also when the pane changes: at first, roots are in sight. */
let belowPane = 0;

function keepLowerEnd() {
	const { pane } = ui;

	if (!growsDown())
		pane.scrollTop = pane.scrollHeight - pane.clientHeight - belowPane;
}

/* Another view begins at its root, in an icicle at the first panel's; one around a function has that in its middle. */
function scrollToBegin() {
	const { pane } = ui, part = isAround() ? 0.5 : growsDown() ? 0.25 : 0.75;
	const y = rowTop(shown.tree.depth[shown.zoomed], growsDown() ? panels[0] : shown);

	pane.scrollTop = y - part * pane.clientHeight;
	belowPane = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
	drawRowsIfMoved();
}

function draw() {
	const room = shown.all ? PRINTED_WIDTH : roomForBoxes(), span = spanOfPanels();

	shown.room = room;
	shown.width = widthOfPanel(room);
	for (const panel of panels) {
		panel.seen = layout(panel.tree, shown.zoomed, panel.lo, panel.hi, shown.width, span);
		Object.assign(panel, depthsOf(panel.seen));
	}
	placePanels(room);
	setSize(room);
	drawThin();
	keepLowerEnd();
	drawRows();
}

/* What is seen already, anew. */
function redraw() {
	if (shown.seen)
		draw();
}

function drawThin() {
	const thin = panels.filter(({ seen }) => seen.thin).map(({ name, seen, tree }) => (name ? name + ": " : "") +
		`${counted(seen.thin, "box", "boxes")} (${share(seen.thinTotal, tree.total[shown.zoomed])}) ${seen.thin === 1 ? "is" : "are"} too thin to draw`);

	ui.thin.textContent = thin.join("; ");
}

const ends = ({ start, total }, i) => [start[i], start[i] + total[i]];
const wantsMotion = () => !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden;

/* Moves the edges to those of the box; a picture that is slow to draw jumps. */
function moveTo(i, smoothly) {
	const moves = panels.map(panel => ({ panel, from: [panel.lo, panel.hi], to: ends(panel.tree, i) })), begin = performance.now();
	const isMove = ({ from, to }) => from[1] > from[0] && (from[0] !== to[0] || from[1] !== to[1]);

	cancelAnimationFrame(motion);
	motion = 0;
	shown.zoomed = i;
	function finish() {
		for (const { panel, to } of moves)
			[panel.lo, panel.hi] = to;
		motion = 0;
		draw();
	}
	function step(now) {
		const part = Math.min(1, (now - begin) / STEP_MS), eased = part * (2 - part), before = performance.now();

		if (part >= 1)
			return finish();
		for (const { panel, from, to } of moves)
			[panel.lo, panel.hi] = from.map((edge, side) => edge + (to[side] - edge) * eased);
		draw();
		if (performance.now() - before > SLOW_MS)
			return finish();
		motion = requestAnimationFrame(step);
	}
	if (smoothly && wantsMotion() && shown.seen && moves.some(isMove))
		motion = requestAnimationFrame(step);
	else
		finish();
}

/* A frame around a node's box in a panel that has it. */
function newMark(i, panel, attributes) {
	const { x, w } = boxOf(i, panel);
	const mark = element("rect", { ...attributes, x: px(PAD + panel.left + x), y: rowTop(panel.tree.depth[i], panel), width: px(Math.max(2, w)), height: SMALL_ROW - 1 });

	mark.node = i;
	return mark;
}

/* The other boxes of the node that is pointed at; -1: none is. */
function drawLinks(i, pointed) {
	const others = i > 0 ? panelsWith(i).filter(panel => panel !== pointed) : [];

	ui.links.replaceChildren(...others.map(panel => newMark(i, panel, { class: "linked" })));
}

/* Where the keyboard is: in the panel that was pointed at last, if the box is there. */
const panelOfCursor = () => [active, ...panels].find(panel => boxOf(cursor, panel));

function drawCursor() {
	const of = cursor >= 0 && panelOfCursor();

	ui.marks.replaceChildren();
	ui.pane.removeAttribute("aria-activedescendant");
	if (!of)
		return;
	const { tree } = shown, others = panelsWith(cursor).filter(panel => panel !== of);

	ui.marks.append(...others.map(panel => newMark(cursor, panel, { class: "linked" })), newMark(cursor, of, { id: "cursor",
		role: "treeitem", "aria-level": Math.abs(tree.depth[cursor]) + 1, "aria-label": title(tree, cursor), "aria-selected": "true" }));
	ui.pane.setAttribute("aria-activedescendant", "cursor");
}

function scrollToCursor() {
	const y = rowTop(shown.tree.depth[cursor], panelOfCursor()), { pane } = ui;

	if (y < pane.scrollTop)
		pane.scrollTop = y - SMALL_ROW;
	else if (y + SMALL_ROW * 2 > pane.scrollTop + pane.clientHeight)
		pane.scrollTop = y + SMALL_ROW * 2 - pane.clientHeight;
}

function setCursor(i) {
	cursor = i;
	if (i >= 0) {
		scrollToCursor();
		say(i);
		ui.announced.textContent = title(shown.tree, i);
	}
	drawRowsIfMoved();
	drawCursor();
}

function drawRowsIfMoved() {
	const [from, to] = shown.drawn || [0, 0], { scrollTop, clientHeight } = ui.pane;

	if (scrollTop < from || scrollTop + clientHeight > to)
		drawRows();
}

/* Of a name that is too long for the line, the end is left out, not the value. */
function say(i, before = "") {
	if (i < 0)
		return ui.details.replaceChildren();
	const [name, value] = titleParts(shown.tree, i);

	ui.details.replaceChildren(html("span", { class: "box" }, html("span", {}, before + name), html("span", {}, value)));
}
