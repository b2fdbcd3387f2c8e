/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print.js: on paper there is all of the picture, dark on white, as wide as the paper. */
const PRINTED_WIDTH = 1100;

function setPrinting(on) {
	shown.all = on;
	redraw();
}
