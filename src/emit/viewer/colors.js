/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * colors.js: what colour a box has, as 0xRRGGBB, and whether its label is black or white. Of the two
 * the one with more contrast has 4.58:1 or more on any colour (WCAG 2.2).
 */
const DELTA_HUES = svg.dataset.colorBlind ? [0x5e3c99, 0xe66101] : [0x0000ff, 0xff0000];
/* Of one lightness, so that all labels are white. */
const DELTA_HUES_DARK = svg.dataset.colorBlind ? [0x7b5cc4, 0xb35806] : [0x3355ff, 0xcf222e];
const DELTA_PALE = 210, GONE = 0xe6e9ec, GONE_DARK = 0x30363d, UNCHANGED_DARK = 0x484f58, MATCH = 0xd63ad6, ROOT_HEAT = [0xfff3c4, 0xd9480f];

function mix(a, b, part) {
	const channel = shift => Math.round((a >> shift & 255) * (1 - part) + (b >> shift & 255) * part) << shift;

	return channel(16) | channel(8) | channel(0);
}

function luminance(color) {
	const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;

	return 0.2126 * linear((color >> 16) / 255) + 0.7152 * linear((color >> 8 & 255) / 255) + 0.0722 * linear((color & 255) / 255);
}

const lightLabels = new Map();

function hasLightLabel(color) {
	if (!lightLabels.has(color))
		lightLabels.set(color, luminance(color) < 0.1791);
	return lightLabels.get(color);
}

const hex = color => "#" + color.toString(16).padStart(6, "0");

/* Of the legend. */
const darkOfDelta = new Map(differential ? DELTA_HUES.map((hue, i) => [hex(hue), hex(DELTA_HUES_DARK[i])]) : []);

/* Hues by a hash of the module's name; light, so that labels are black. */
function colorOfModule(f) {
	let hash = 0;

	if (!f.module || f.module === "kernel")
		return f.module || f.kind === "k" ? 0xe9a07c : 0xd0d7de;
	for (const c of f.module)
		hash = Math.imul(hash ^ c.codePointAt(0), 0x01000193) >>> 0;
	return fromHue(hash % 360, 0.55 + (hash >>> 9) % 20 / 100, 0.72);
}

function fromHue(hue, saturation, light) {
	const channel = n => {
		const k = (n + hue / 30) % 12, a = saturation * Math.min(light, 1 - light);

		return Math.round(255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};

	return channel(0) << 16 | channel(8) << 8 | channel(4);
}

/* Pale for a thousandth of all, or less; the rest by orders of magnitude. */
function heat(value, all) {
	const part = value > 0 ? Math.max(0, 1 + Math.log10(value / all) / 3) : 0;

	return mix(ROOT_HEAT[0], ROOT_HEAT[1], part);
}

/* More is red, less is blue; or orange and purple. What has hardly changed is near to the page's own color. */
function colorOfDelta(tree, i) {
	const delta = deltaOf(tree, i), pale = Math.floor(DELTA_PALE * (tree.largestDelta - Math.abs(delta)) / tree.largestDelta);
	const hue = (isDark() ? DELTA_HUES_DARK : DELTA_HUES)[+(delta > 0)], channel = shift => {
		const c = hue >> shift & 255;

		return c + Math.floor((255 - c) * pale / 255) << shift;
	};

	if (isDark())
		return delta ? mix(hue, UNCHANGED_DARK, pale / 255) : UNCHANGED_DARK;
	return delta ? channel(16) | channel(8) | channel(0) : 0xffffff;
}

function colorOf(tree, i) {
	const f = frameOf(tree, i);

	if (f.kind === "x")
		return f.color;
	if (f.kind === "n" && !(differential && !tree.side && state.colors === "name" && i && !/^--?$/.test(f.name)))
		return f.color;
	if (state.colors === "module")
		return colorOfModule(f);
	if (state.colors === "total")
		return heat(tree.total[i], tree.total[0]);
	if (state.colors === "self")
		return heat(tree.self[i], tree.total[0]);
	return differential && !tree.side && tree.frame[i] ? colorOfDelta(tree, i) : f.color;
}
