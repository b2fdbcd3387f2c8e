/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.js: on paper there is all of the picture, dark on white, as wide as the paper. To a browser a
 * picture is one piece: what does not fit below the heading begins on the next page, and pages end in the
 * middle of a row. So it is printed in strips of some rows.
 */
const PRINTED_WIDTH = 1100, STRIP_ROWS = 4;

/* The picture with what is drawn now, of which `height` from `y` on is seen. */
function stripOf(y, height) {
	const strip = svg.cloneNode(false);

	strip.setAttribute("height", height);
	strip.setAttribute("viewBox", `0 ${y} ${svg.getAttribute("width")} ${height}`);
	for (const id of ["slivers", "boxes", "labels"])
		strip.append(part(id).cloneNode(true));
	return strip;
}

/* Of panels one above the other, each has its own, so that no row is in two. */
function strips() {
	const all = html("div", { id: "strips" }), height = +svg.getAttribute("height"), most = STRIP_ROWS * SMALL_ROW;
	const tops = [...new Set(panels.map(panel => panel.top))];

	tops.forEach((top, at) => {
		const end = at + 1 < tops.length ? tops[at + 1] : height;

		for (let y = top; y < end; y += most) {
			const high = Math.min(most, end - y);

			shown.strip = [y, y + high - 1];
			drawRows();
			all.append(stripOf(y, high));
		}
	});
	shown.strip = null;
	return all;
}

function setPrinting(on) {
	if (!shown.seen || on === shown.all)
		return;
	shown.all = on;
	draw();
	if (on)
		svg.after(strips());
	else
		ui.pane.querySelector("#strips").remove();
	svg.toggleAttribute("hidden", on);
}
