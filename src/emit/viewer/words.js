/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.js: names and values as they are read; the same as label.c and numbers.c write. */
const divisor = +svg.dataset.divisor, factor = +(svg.dataset.factor || 1), unit = svg.dataset.unit;
const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const SIZES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]];
const scales = svg.dataset.time ? TIMES : svg.dataset.bytes ? SIZES : null;

const share = (value, all) => (all ? 100 * value / all : 0).toFixed(2) + "%";
const withCommas = value => BigInt(Math.round(value)).toString().replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (nr, one, many) => withCommas(nr) + " " + (nr === 1 ? one : many);

/* What add_scaled() of numbers.c does. */
function scaled(value, units) {
	const [size, name] = units.find(u => value >= u[0]) || units[units.length - 1];
	const digits = size === 1 || value >= 100 * size ? 0 : value >= 10 * size ? 1 : 2, scale = 10 ** digits;
	const rounded = Math.floor((value * scale + Math.floor(size / 2)) / size);
	const rest = digits ? "." + (rounded % scale).toString().padStart(digits, "0") : "";

	return withCommas(Math.floor(rounded / scale)) + rest + " " + name;
}

const amount = value => scales ? scaled(Math.floor(value * factor + (factor === 1 ? 0 : 0.5)), scales)
	: withCommas(value * factor / divisor) + " " + unit;

const deltaOf = (tree, i) => (differential === "negated" ? -1 : 1) * (tree.total[i] - tree.totalBefore[i]);

/* "; +1.23%": of all that there is now. */
function change(tree, i) {
	const delta = deltaOf(tree, i);

	if (isGone(tree, i))
		return "; gone";

	return differential && tree.frame[i] ? `; ${delta > 0 ? "+" : delta < 0 ? "-" : ""}${share(Math.abs(delta), tree.all)}` : "";
}

/* A stack of the file is in the box, by its leaf or as one of a function's callers. */
const hasStack = (tree, i, stack) => isWithin(tree, leafIn(tree, stack), i) || (tree.callerOf !== null && tree.callerOf[stack] > 0 && isWithin(tree, tree.callerOf[stack], i));

const LARGEST_CLASSES = 3;
const roundShare = (value, all) => 200 * value < all ? "<1 %" : Math.round(100 * value / all) + " %";
let divided = { tree: null, i: -1, hidden: null, text: "" };

/* Of waits: "lock 81 %, disk 12 %, cpu 7 %" of the box's value. Found once for a box: the pointer may stay on it. */
function classesOf(tree, i) {
	if (!file.parts.length || (divided.tree === tree && divided.i === i && divided.hidden === hiddenNow))
		return file.parts.length ? divided.text : "";
	const sums = classes.map((name, order) => ({ name, order, value: 0 })), all = i ? tree.total[i] : tree.all;

	for (const part of file.parts)
		if (!hiddenNow[part.node] && hasStack(tree, i, part.node))
			sums[part.class].value += part.value;
	const found = sums.filter(sum => sum.value > 0).sort((a, b) => b.value - a.value || a.order - b.order);
	const others = found.splice(LARGEST_CLASSES).reduce((sum, { value }) => sum + value, 0);
	const text = found.concat(others ? { name: "others", value: others } : []).map(({ name, value }) => `${name} ${roundShare(value, all)}`).join(", ");

	divided = { tree, i, hidden: hiddenNow, text };
	return text;
}

const frameOf = (tree, i) => frames[tree.frame[i]];

/* What a box is: its name, and how much it is. */
function titleParts(tree, i) {
	const f = frameOf(tree, i), { zoomed } = shown;
	const waits = classesOf(tree, i), place = zoomed && isWithin(tree, i, zoomed) ? `; ${share(tree.total[i], tree.total[zoomed])} of the zoomed box` : "";

	return [`${nameType ? nameType + " " : ""}${f.name}${f.module ? " [" + f.module + "]" : ""}`, ` (${amount(i ? tree.total[i] : tree.all)}, ` +
		`${i ? share(tree.total[i], tree.all) : "100%"}${change(tree, i)}${place}${waits ? "; " + waits : ""})`];
}

const title = (tree, i) => titleParts(tree, i).join("");

/* In a tree from the leaf, what a box has below it in the picture are its callers. */
const selfOf = (tree, i) => i >= tree.callers ? null : tree.self[i];

/* By what before was multiplied, so that both have the same total; 0: not known. */
const beforeFactor = +(svg.dataset.beforeFactor || 0);
const isNew = (tree, i) => beforeFactor > 0 && tree.frame[i] > 0 && !tree.side && !isGone(tree, i) && !tree.totalBefore[i] && tree.total[i] > 0;

const knowsNoise = beforeFactor > 0 && (!scales || knowsEvents);

/* What difference_of_sums_is_significant() of difference.c does. */
const isMoreThanNoiseOfSums = (now, before, nr) =>
	nr > 0 && (now - before * beforeFactor) ** 2 > 1.96 ** 2 * 2 * ((now + before) / nr) ** 2 * nr * beforeFactor;

/* What difference_is_significant() does. */
function isMoreThanNoiseOfCounts(now, before) {
	const nr = now + before, part = beforeFactor / (1 + beforeFactor), distance = Math.abs(now - nr * part) - 0.5;

	return distance > 0 && distance ** 2 > 1.96 ** 2 * nr * part * (1 - part);
}

/* Values as in the file, where before is multiplied; of sums, of how many events. */
const isMoreThanNoise = (now, before, nr) => scales ? isMoreThanNoiseOfSums(now, before / beforeFactor, nr)
	: isMoreThanNoiseOfCounts(now / divisor, before / divisor / beforeFactor);

function noise(tree, i) {
	if (!knowsNoise)
		return "more than noise? not known: the files do not say how many events these are";
	const more = isMoreThanNoise(tree.total[i], tree.totalBefore[i], tree.events && tree.totalEvents[i]);

	return `${more ? "more" : "no more"} than ${scales ? `chance: ${withCommas(tree.totalEvents[i])} events` : "sampling noise"} (95 %)`;
}

function difference(tree, i) {
	if (isGone(tree, i))
		return ["now: nothing"];
	const was = amount(tree.totalBefore[i]), delta = tree.total[i] - tree.totalBefore[i], lines = [];

	lines.push(beforeFactor && beforeFactor !== 1 ? `before: ${amount(tree.totalBefore[i] / beforeFactor)}, times ${+beforeFactor.toPrecision(6)}: ${was}` : `before: ${was}`);
	if (tree.frame[i])
		lines.push(isNew(tree, i) ? "new" : isThree && !tree.total[i] ? "gone" : `change: ${delta < 0 ? "-" : delta > 0 ? "+" : ""}${amount(Math.abs(delta))}${change(tree, i)}`);
	if (tree.frame[i] && beforeFactor)
		lines.push(noise(tree, i));
	return lines;
}

/* The rest of it, line by line. */
function particulars(tree, i) {
	const f = frameOf(tree, i), self = selfOf(tree, i), lines = [];

	if (i)
		lines.push([f.module ? f.module + ", " : "", KINDS[f.kind]].join(""));
	if (f.source)
		lines.push(f.source);
	lines.push(`total: ${amount(i ? tree.total[i] : tree.all)}, ${share(tree.total[i], tree.all)} of all`);
	if (shown.zoomed)
		lines.push(`${share(tree.total[i], tree.total[shown.zoomed])} of the zoomed box`);
	if (self !== null && state.view !== "leaf")
		lines.push(`self: ${amount(self)}, ${share(self, tree.all)} of all`);
	if (classesOf(tree, i))
		lines.push(classesOf(tree, i));
	if (differential)
		lines.push(...difference(tree, i));
	return lines;
}

/* What label.c does. */
function withoutParameters(name) {
	const text = name.replace(/ const$/, "");
	let open = 0, i = text.length;

	if (!text.endsWith(")"))
		return name;
	while (i-- > 0) {
		open += (text[i] === ")") - (text[i] === "(");
		if (!open)
			break;
	}
	return i > 0 && !text.slice(0, i).endsWith("operator") ? text.slice(0, i) : name;
}

const OPERATOR = /operator(?:\(\)|\[\]|<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>|[=!+\-*/%^&|~,]*)(?: (?=<))?/y;
const DEEPEST = 255, DOTS = "...", OF_IDENTIFIER = /[\w$\x80-\uffff]/, NO_TEMPLATE = /<(?:impl |lambda|unnamed)/y;

function matchAt(pattern, text, at) {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? "";
}

/* What label_templates.c does: `<...>` for the arguments of templates; the name itself where there is nothing to shorten. */
function withoutTemplates(name) {
	const open = [];
	let out = "", cutAt = 0, depth = 0, isShorter = false, ofOperator = false;

	function endCut(at) {
		const rest = name.slice(cutAt, at), isLong = columnsOf(rest) > DOTS.length;

		out += isLong ? DOTS : rest;
		isShorter ||= isLong;
		depth = 0;
	}

	if (!/[<!]/.test(name))
		return name;
	for (let at = 0, size; at < name.length; at += size) {
		const c = name[at], before = at ? name[at - 1] : "";
		const sign = c === "o" && !OF_IDENTIFIER.test(before) ? matchAt(OPERATOR, name, at) : "";
		const isTemplate = !depth && (c === "<" && (ofOperator || OF_IDENTIFIER.test(before) || before === "]" || before === "}" ||
			before === ":" && !matchAt(NO_TEMPLATE, name, at)) || c === "(" && before === "!" && !ofOperator);

		size = sign.length || 1;
		ofOperator = sign !== "";
		if (c === ")") {
			while (open.length && open[open.length - 1] === "<")
				open.pop();
			if (!open.length || open.length < depth)
				return name;
			if (open.length === depth)
				endCut(at);
			open.pop();
		}
		if (c === ">" && before !== "-") {
			if (!open.length)
				return name;
			if (open[open.length - 1] === "<") {
				if (open.length === depth)
					endCut(at);
				open.pop();
			}
		}
		if (c === "<" || c === "(")
			open.push(c);
		if (open.length > DEEPEST)
			return name;
		if (!depth)
			out += sign || c;
		if (isTemplate) {
			depth = open.length;
			cutAt = at + 1;
		}
	}
	return !open.length && isShorter ? out : name;
}

const isWideLetter = c => c.codePointAt(0) >= 0x1100 ? 2 : 1;

function columnsOf(text) {
	let columns = 0;

	for (const c of text)
		columns += isWideLetter(c);
	return columns;
}

/* What method_name.c does. */
const METHOD = /^[^ (:]+ ([^ (:]*\.[^ (:]*)$/;
const withoutType = name => METHOD.exec(name)?.[1] ?? name;
const withoutPackage = name => METHOD.exec(name)?.[1].split(".").slice(-2).join(".") ?? name;

/* As much of a function's name as is worth its place; the rest is cut off. */
function fitting(name, columns) {
	const text = withoutParameters(name), shorter = withoutType(text);

	if (columnsOf(name) <= columns)
		return name;
	if (columnsOf(text) <= columns)
		return text;
	return columnsOf(shorter) <= columns ? shorter : withoutTemplates(withoutPackage(text));
}

/* Of a name in the tooltip and the table: some lines. */
const LONG_NAME = 400;

function cut(text, columns) {
	let kept = "";

	if (text.length * 2 <= columns || columnsOf(text) <= columns)
		return text;
	columns -= 2;
	for (const c of text) {
		columns -= isWideLetter(c);
		if (columns < 0)
			break;
		kept += c;
	}
	return kept + "..";
}

/* Root first, as folded text. */
function stackOf(tree, i) {
	const names = [];

	for (let n = i; n > 0; n = tree.parent[n])
		names.push(frameOf(tree, n).name);
	if (state.view === "around")
		names.push(frameOf(tree, 0).name);
	/* From the leaf, and among callers, what is nearer to node 0 was called. */
	if (state.view !== "leaf" && !(i >= tree.callers))
		names.reverse();
	return names.join(";");
}
