/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * derive.js: other trees of the same stacks: from the leaf, around one function, without plumbing,
 * with recursion as one box, by width. Each is made from the file's own tree, as a whole, so that no
 * share of it is a guess. What can take long is a generator: it says now and then what part is done, if
 * it knows, and returns the tree in the end (build.js).
 */
const STEP = 1 << 16;


/* A tree that grows, in any order: a child is found by a hash of its parent and frame. */
class Sprout {
	constructor() {
		this.nr = 1;
		this.frame = new Uint32Array(1024);
		this.parent = new Int32Array(1024);
		this.slots = new Uint32Array(4096);
	}

	child(parent, frame) {
		const mask = this.slots.length - 1;
		let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b)) >>> 0;

		for (at = (at ^ at >>> 15) & mask; this.slots[at]; at = (at + 1) & mask)
			if (this.parent[this.slots[at]] === parent && this.frame[this.slots[at]] === frame)
				return this.slots[at];
		this.slots[at] = this.append(parent, frame);
		if (this.nr * 2 > this.slots.length)
			this.rehash();
		return this.nr - 1;
	}

	append(parent, frame) {
		if (this.nr === this.frame.length) {
			this.frame = grown(this.frame);
			this.parent = grown(this.parent);
		}
		this.frame[this.nr] = frame;
		this.parent[this.nr] = parent;
		return this.nr++;
	}

	rehash() {
		const mask = this.slots.length * 2 - 1;

		this.slots = new Uint32Array(mask + 1);
		for (let i = 1; i < this.nr; i++) {
			let at = (Math.imul(this.parent[i], 0x9e3779b1) ^ Math.imul(this.frame[i], 0x85ebca6b)) >>> 0;

			for (at = (at ^ at >>> 15) & mask; this.slots[at];)
				at = (at + 1) & mask;
			this.slots[at] = i;
		}
	}
}

function grown(array) {
	const larger = new array.constructor(array.length * 2);

	larger.set(array);
	return larger;
}

const SORTED_AT_ONCE = 1 << 13;

/* Sorts as much as it is asked for at a time; returns the sorted array. */
function* sorted(values, compare) {
	const nr = values.length;
	let from = values, to = values.slice(), since = 0;

	for (let i = 0; i < nr; i += SORTED_AT_ONCE) {
		from.subarray(i, i + SORTED_AT_ONCE).sort(compare);
		yield;
	}
	for (let size = SORTED_AT_ONCE; size < nr; size *= 2) {
		for (let left = 0; left < nr; left += 2 * size) {
			const middle = Math.min(left + size, nr), right = Math.min(left + 2 * size, nr);

			for (let a = left, b = middle, at = left; at < right; at++) {
				to[at] = b >= right || (a < middle && compare(from[a], from[b]) <= 0) ? from[a++] : from[b++];
				if (++since % SORTED_AT_ONCE === 0)
					yield;
			}
		}
		[from, to] = [to, from];
	}
	return from;
}

let ranks = null;

/* By frame: its place in the order of names, as in the file. */
function* rankFrames() {
	if (ranks)
		return ranks;
	const order = yield* sorted(Uint32Array.from(frames, (_, i) => i), (a, b) => {
		const x = frames[a].name, y = frames[b].name;

		return x < y ? -1 : x > y ? 1 : a - b;
	});
	const found = new Uint32Array(frames.length);

	order.forEach((f, i) => { found[f] = i; });
	return ranks = found;
}

function rankOfFrames() {
	const steps = rankFrames();

	while (!ranks)
		steps.next();
	return ranks;
}

function siblings(node, next) {
	const all = [];

	for (let i = node; i >= 0; i = next[i])
		all.push(i);
	return all;
}

/* The nodes in preorder, siblings by `compare`. */
function preorder(nr, parent, compare) {
	const first = new Int32Array(nr).fill(-1), next = new Int32Array(nr).fill(-1);
	const order = new Uint32Array(nr), stack = [0];
	let done = 0;

	for (let i = nr - 1; i > 0; i--) {
		next[i] = first[parent[i]];
		first[parent[i]] = i;
	}
	while (stack.length) {
		const node = stack.pop(), child = first[node];

		order[done++] = node;
		if (child >= 0 && next[child] < 0)
			stack.push(child);
		else if (child >= 0)
			for (const c of siblings(child, next).sort(compare).reverse())
				stack.push(c);
	}
	return order;
}

/* A tree of a sprout's nodes; place[its number] is its number in the tree. */
function treeOf(sprout, compare, root) {
	const { nr, frame, parent } = sprout, order = preorder(nr, parent, compare);
	const tree = newTree(nr), place = new Uint32Array(nr);

	for (let i = 0; i < nr; i++) {
		place[order[i]] = i;
		tree.frame[i] = i ? frame[order[i]] : root;
		tree.parent[i] = i ? place[parent[order[i]]] : -1;
		tree.depth[i] = i ? tree.depth[tree.parent[i]] + 1 : 0;
	}
	setEnds(tree);
	return { tree, place };
}

const byName = sprout => (a, b) => rankOfFrames()[sprout.frame[a]] - rankOfFrames()[sprout.frame[b]];
const leafIn = (tree, i) => tree.leafOf ? tree.leafOf[i] : i;

/* By node of the file: where it went, when `source` is moved on to `place`; -1: nowhere. */
function moved(source, at, place) {
	const leafOf = new Int32Array(file.nr);

	for (let i = 0; i < file.nr; i++) {
		const n = at[leafIn(source, i)];

		leafOf[i] = n < 0 ? -1 : place[n];
	}
	return leafOf;
}

/* What is hidden joins its caller. */
function simplified(plumbing, recursion) {
	const sprout = new Sprout(), at = new Int32Array(file.nr);

	for (let i = 1; i < file.nr; i++) {
		const p = at[file.parent[i]], f = file.frame[i];
		const joins = (plumbing && frames[f].plumbing) || (recursion && p && sprout.frame[p] === f);

		at[i] = joins ? p : sprout.child(p, f);
	}
	const { tree, place } = treeOf(sprout, byName(sprout), 0);

	tree.leafOf = moved(file, at, place);
	return tree;
}

/* Does a stack end here? */
const isStack = i => original.self[i] > 0 || (differential && original.before[i] > 0);

/* Which nodes of a tree have a stack that ends there. */
function stackEnds(tree) {
	const ends = new Uint8Array(tree.nr);

	for (let i = 0; i < file.nr; i++)
		if (isStack(i))
			ends[leafIn(tree, i)] = 1;
	return ends;
}

/*
 * The stacks in the order of their frames, the leaf's first: what begins alike stands together, so this order is the tree in
 * preorder. Groups of stacks that are alike so far are divided by their next frame, until each is alone.
 */
class Leaves {
	constructor(source) {
		const ends = stackEnds(source), nr = ends.reduce((sum, is) => sum + is, 0);

		this.source = source;
		this.sprout = new Sprout();
		this.leafOf = new Int32Array(source.nr);
		this.end = new Uint32Array(nr);		/* by stack: its node */
		this.next = new Uint32Array(nr);	/* by stack: the node that comes next, 0: none */
		this.order = new Float64Array(nr);	/* stacks; while they are sorted, rank * nr + stack */
		this.groups = [];			/* from, to, parent; the last is the next in preorder */
		this.nr = nr;
		this.done = 0;
		for (let i = 0, stack = 0; i < source.nr; i++)
			if (ends[i])
				this.end[stack++] = i;
		this.next.set(this.end);
		this.order.forEach((_, i) => { this.order[i] = i; });
		this.divide(0, nr, 0);
	}

	/* Groups of the stacks between `from` and `to`, by their next frames. */
	divide(from, to, parent) {
		const { order, next, end, nr, groups } = this, { frame } = this.source, rank = rankOfFrames();
		const first = groups.length;

		for (let i = from; i < to; i++)
			order[i] += next[order[i]] ? (rank[frame[next[order[i]]]] + 1) * nr : 0;
		if (to - from > FEW)
			order.subarray(from, to).sort();
		else
			insertionSort(order, from, to);
		for (let i = from; i < to; i++)
			order[i] %= nr;
		for (let i = from, begin = from; i < to; i++) {
			const stack = order[i], isLast = i + 1 === to;

			if (!next[stack]) {
				this.leafOf[end[stack]] = parent;
				this.done++;
				begin = i + 1;
			} else if (isLast || frame[next[order[i + 1]]] !== frame[next[stack]]) {
				groups.push({ from: begin, to: i + 1, parent });
				begin = i + 1;
			}
		}
		for (let a = first, b = groups.length - 1; a < b; a++, b--)
			[groups[a], groups[b]] = [groups[b], groups[a]];
	}

	/* Makes some more nodes; false: there are no more. */
	grow(nr) {
		const { groups, sprout, order, next, source } = this, until = sprout.nr + nr;

		while (groups.length && sprout.nr < until) {
			const { from, to, parent } = groups.pop(), node = sprout.append(parent, source.frame[next[order[from]]]);

			if (to - from === 1) {
				this.finish(order[from], node);
				continue;
			}
			for (let i = from; i < to; i++)
				next[order[i]] = source.parent[next[order[i]]];
			this.divide(from, to, node);
		}
		return groups.length > 0;
	}

	/* The rest of a stack that is alone. */
	finish(stack, node) {
		const { frame, parent } = this.source;

		for (let j = parent[this.next[stack]]; j > 0; j = parent[j])
			node = this.sprout.append(node, frame[j]);
		this.leafOf[this.end[stack]] = node;
		this.done++;
	}
}

const FEW = 12;

function insertionSort(values, from, to) {
	for (let i = from + 1; i < to; i++) {
		const value = values[i];
		let at = i;

		for (; at > from && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

function* fromLeaf(source) {
	yield* rankFrames();
	const leaves = new Leaves(source);

	while (leaves.grow(STEP))
		yield leaves.done / leaves.nr;
	const { sprout } = leaves, tree = newTree(sprout.nr);

	tree.frame.set(sprout.frame.subarray(0, tree.nr));
	tree.parent.set(sprout.parent.subarray(0, tree.nr));
	setDepths(tree);
	setEnds(tree);
	tree.leafOf = source === file ? leaves.leafOf : file.frame.map((_, i) => leaves.leafOf[leafIn(source, i)]);
	return tree;
}

/* Callees below it, callers above it; where it calls itself, its outermost call counts. */
function* around(source, f) {
	const down = new Sprout(), up = new Sprout(), wanted = functionOf(f);
	const outermost = new Int32Array(source.nr).fill(-1), at = new Int32Array(source.nr).fill(-1), upAt = new Int32Array(source.nr).fill(-1);

	for (let i = 1; i < source.nr; i++) {
		const p = source.parent[i];

		if (i % STEP === 0)
			yield i / source.nr;
		if (outermost[p] >= 0) {
			outermost[i] = outermost[p];
			at[i] = down.child(at[p], source.frame[i]);
			upAt[i] = upAt[p];
		} else if (functionOf(source.frame[i]) === wanted) {
			outermost[i] = i;
			at[i] = upAt[i] = 0;
			for (let j = p; j > 0; j = source.parent[j])
				upAt[i] = up.child(upAt[i], source.frame[j]);
		}
	}
	return bothWays(source, treeOf(down, byName(down), f), treeOf(up, byName(up), f), at, upAt);
}

function bothWays(source, down, up, at, upAt) {
	const tree = newTree(down.tree.nr + up.tree.nr - 1), shift = down.tree.nr - 1;

	tree.callers = down.tree.nr;
	for (const key of ["frame", "parent", "depth"])
		tree[key].set(down.tree[key]);
	for (let i = 1; i < up.tree.nr; i++) {
		const p = up.tree.parent[i];

		tree.frame[shift + i] = up.tree.frame[i];
		tree.parent[shift + i] = p ? shift + p : 0;
		tree.depth[shift + i] = -up.tree.depth[i];
	}
	setEnds(tree);
	tree.leafOf = moved(source, at, down.place);
	tree.callerOf = moved(source, upAt, up.place.map(n => n ? shift + n : 0));
	return tree;
}

/* Siblings, the widest first. The callers stay behind the callees. */
function byWidth(tree) {
	const side = i => i >= tree.callers ? 1 : 0;
	const order = preorder(tree.nr, tree.parent, (a, b) => side(a) - side(b) || tree.total[b] - tree.total[a] || a - b);
	const other = newTree(tree.nr), place = new Int32Array(tree.nr);

	order.forEach((node, i) => { place[node] = i; });
	other.id = order;
	other.callers = tree.callers;
	for (const key of ["frame", "depth", "self", ...differential ? ["before"] : [], ...knowsEvents ? ["events"] : []])
		for (let i = 0; i < tree.nr; i++)
			other[key][i] = tree[key][order[i]];
	for (let i = 0; i < tree.nr; i++)
		other.parent[i] = i ? place[tree.parent[order[i]]] : -1;
	setEnds(other);
	const mapped = of => of && of.map(n => n < 0 ? n : place[n]);
	other.leafOf = tree.leafOf ? mapped(tree.leafOf) : place;
	other.callerOf = mapped(tree.callerOf);
	weigh(other);
	return other;
}
