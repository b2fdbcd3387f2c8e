/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * panels.js: a picture has one panel, or three: what was before, what there is now, and the
 * difference. These have the same boxes in the same order, of one scale, each with its own values: a
 * node's number says which box is zoomed, found or pointed at in all of them. They stand side by side,
 * or where there is no room for that, one above the other.
 *
 * A panel is its tree, the edges of what is seen of it (lo, hi), the boxes, and where they are.
 */
const SIDE_BY_SIDE = 1200, PANEL_GAP = 10;

const newPanel = name => ({ name, tree: file, lo: 0, hi: 0, seen: null, least: 0, most: 0, left: 0, top: 0 });

/* The only panel, or the difference; what is the same in all of them is here. */
const shown = Object.assign(newPanel(isThree ? "difference" : ""), { zoomed: 0, width: 0, all: false, strip: null });
const panels = isThree ? [newPanel("before"), newPanel("now"), shown] : [shown];

/* One of the two profiles of a tree. */
function sideOf(tree, side) {
	const other = { ...tree, side };

	if (side === "before") {
		Object.assign(other, { self: tree.before, total: tree.totalBefore, start: new Float64Array(tree.nr), all: tree.totalBefore[0] });
		setStarts(other);
	}
	return other;
}

function setTrees(tree) {
	for (const panel of panels)
		panel.tree = panel === shown ? tree : sideOf(tree, panel.name);
}

/* Is there a box of it anywhere? */
const isThere = (tree, i) => tree.total[i] > 0 || (isThree && tree.totalBefore[i] > 0);

const boxOf = (i, panel = shown) => panel.seen.boxes.find(box => box.i === i);
const panelsWith = i => panels.filter(panel => boxOf(i, panel));

/* A pixel is as much in all panels. */
const spanOfPanels = () => Math.max(...panels.map(({ lo, hi }) => hi - lo));

/* The width of a panel in so much room. */
const widthOfPanel = room => isThree && room >= SIDE_BY_SIDE ? Math.floor((room - 2 * PANEL_GAP) / 3) : room;

const rowsOfPanel = ({ least, most }) => most - least + 1;

function placePanels(room) {
	const beside = shown.width < room, least = Math.min(...panels.map(p => p.least)), most = Math.max(...panels.map(p => p.most));
	let top = 0;

	panels.forEach((panel, at) => {
		if (beside)
			Object.assign(panel, { least, most });
		panel.left = beside ? at * (shown.width + PANEL_GAP) : 0;
		panel.top = beside ? 0 : top;
		top += rowsOfPanel(panel) * SMALL_ROW + PANEL_GAP;
	});
}

const heightOfPanels = () => Math.max(...panels.map(panel => panel.top + rowsOfPanel(panel) * SMALL_ROW));

/* Where a point of the picture is: undefined between two panels. */
const panelAt = (x, y) => panels.find(({ left, top, least, most }) =>
	left <= x && x < left + shown.width && top <= y && y < top + (most - least + 1) * SMALL_ROW);
