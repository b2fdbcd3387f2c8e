/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.js: which boxes of a tree are seen when the values from `lo` to `hi` have the full width,
 * and where. The rules are picture.c's: an edge is floor(offset * width / all) in thousandths, so boxes
 * touch exactly; siblings that are too thin to draw are a run. Where a panel beside it has more to show,
 * `span` is that: then the values from `lo` to `hi` have a part of the width.
 */

/* Is `node` at `of`, or below it? */
const isWithin = (tree, node, of) => node >= of && node < tree.end[of];
const isAncestor = (tree, node, of) => node < of && tree.end[node] > of;

/* Of a function's callers and callees only one side can be zoomed. */
const isOtherSide = (tree, node, zoomed) => zoomed > 0 && node > 0 && (node >= tree.callers) !== (zoomed >= tree.callers);

function layout(tree, zoomed, lo, hi, width, span = hi - lo) {
	const { end, parent, start, total, depth } = tree, isPart = span > hi - lo;
	const scale = span > 0 ? width / span : 0, limit = isPart ? (hi - lo) * scale : width;
	const boxes = [{ i: 0, x: 0, w: zoomed || hi <= lo ? width : limit }], runs = [];
	const edge = value => Math.min(limit, Math.max(0, Math.floor((value - lo) * scale * 1000 + 1e-6) / 1000));
	const isWide = value => value * scale >= minWidth && value * 100 >= minPercent * span;
	let run = null, thin = 0, thinTotal = 0;

	for (let i = 1; i < tree.nr;) {
		const value = total[i], from = start[i];

		if (isPart && value && isAncestor(tree, i, zoomed)) {
			boxes.push({ i: i++, x: 0, w: width });
			continue;
		}
		if (!value || from >= hi || from + value <= lo || isOtherSide(tree, i, zoomed)) {
			/* The last of the callees has the callers behind it. */
			i = end[i];
			continue;
		}
		const x = edge(from);

		if (isWide(value)) {
			boxes.push({ i, x, w: edge(from + value) - x });
			i++;
			continue;
		}
		if (!run || run.end !== i || parent[run.first] !== parent[i] || i === tree.callers)
			runs.push(run = { first: i, x, w: 0, total: 0, depth: depth[i] });
		run.total += value;
		run.w = edge(start[run.first] + run.total) - run.x;
		run.end = end[i];
		thin += end[i] - i;
		thinTotal += i < tree.callers || zoomed >= tree.callers ? value : 0;
		i = end[i];
	}
	return { boxes, runs: runs.filter(r => isWide(r.total)), thin, thinTotal };
}

/* The smallest and the largest depth of what is seen. */
function depthsOf(seen) {
	let least = 0, most = 0;

	for (const { i } of seen.boxes) {
		least = Math.min(least, shown.tree.depth[i]);
		most = Math.max(most, shown.tree.depth[i]);
	}
	for (const { depth } of seen.runs) {
		least = Math.min(least, depth);
		most = Math.max(most, depth);
	}
	return { least, most };
}
