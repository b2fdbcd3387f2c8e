/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.js: the page around the picture: heading, tools, the pane that scrolls, the line below it. A
 * file that is only the picture becomes such a page when its script runs; in an HTML document the page
 * takes the picture's place.
 */
const PAD = 10, SLIVER = 4;

function html(name, attributes, ...children) {
	const e = document.createElementNS(XHTML, name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== false)
			e.setAttribute(key, value === true ? "" : value);
	e.append(...children);
	return e;
}

function element(name, attributes) {
	const e = document.createElementNS(SVG, name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	return e;
}

const button = (id, text, title, pressed) => html("button", { id, type: "button", title, "aria-pressed": pressed === undefined ? false : String(pressed) }, text);

function select(id, label, options) {
	const list = html("select", { id, "aria-label": label, title: label });

	for (const [value, text] of options)
		list.append(html("option", { value }, text));
	return list;
}

const textOf = id => part(id) ? part(id).textContent : "";

const ui = {};

/* The swatches of the first screen; the words are written as the labels of that kind are. */
function newLegend() {
	const legend = html("p", { id: "kinds", "aria-label": "colors" });

	for (const rect of svg.querySelectorAll("#legend rect")) {
		const text = rect.nextElementSibling, kind = text.getAttribute("class"), swatch = html("i", { class: "swatch " + kind });

		if (kind !== "gone" && kind !== "new")
			swatch.style.background = rect.getAttribute("fill");
		if (darkOfDelta.has(rect.getAttribute("fill")))
			swatch.style.background = `light-dark(${rect.getAttribute("fill")}, ${darkOfDelta.get(rect.getAttribute("fill"))})`;
		if (kind === "gone" && !isThree)
			ui.gone = legend.appendChild(html("button", { id: "gone", type: "button", title: "show or hide what is gone", "aria-pressed": "true" }, swatch, text.textContent));
		else
			legend.append(html("span", { class: kind }, swatch, text.textContent));
	}
	return legend;
}

const views = [["root", "from the root"], ["leaf", "from the leaf"], ["around", "around a function"]];
const orders = [["name", "by name"], ["width", "by width"]];
const colorings = [["name", "colors of the file"], ["module", "colors by module"], ["self", "colors by self"], ["total", "colors by total"]];

function newTools() {
	ui.search = html("input", { id: "search", type: "search", placeholder: "search: regular expression (/)", "aria-label": "search: regular expression",
		"aria-describedby": "matched", spellcheck: "false", autocomplete: "off" });
	ui.matchCase = button("case", "Aa", "match upper and lower case", false);
	ui.previous = button("previous", "\u2191", "previous match (N)");
	ui.next = button("next", "\u2193", "next match (n)");
	ui.view = select("view", "where stacks begin", views);
	ui.order = select("order", "order of boxes", orders);
	ui.colors = select("colors", "colors", colorings);
	ui.plumbing = button("plumbing", "hide plumbing", "frames of the kernel's entry, its scheduler and wakeups, and of libc's start", false);
	ui.recursion = button("recursion", "collapse recursion", "a function that calls itself is one box", false);
	ui.idle = button("idle", "hide idle", "waits for work, by design: the boxes [idle]; shares are of the rest", false);
	ui.icicle = button("icicle", "icicle", "roots at the top", false);
	ui.table = button("table", "table", "functions, by self and total", false);
	ui.reset = button("reset", "reset zoom", "show all (Escape)");
	ui.restore = button("restore", "show hidden", "show the stacks that were hidden");
	ui.matched = html("span", { id: "matched", role: "status" });
	const find = html("span", { class: "find" }, ui.search, ui.matchCase, ui.previous, ui.next, ui.matched);
	const tools = isChart ? [ui.colors, ui.idle, ui.icicle, ui.table] : [ui.view, ui.order, ui.colors, ui.idle, ui.plumbing, ui.recursion, ui.icicle, ui.table];

	return html("div", { class: "tools", role: "toolbar", "aria-label": "view" }, find, ...tools, ui.reset, ui.restore);
}

function newHeader() {
	const subtitle = [...svg.querySelectorAll(".subtitle")].map(line => line.textContent).join(" ");

	return html("header", {}, html("h1", {}, textOf("title") || svg.querySelector("title").textContent),
		html("p", { id: "subtitle" }, subtitle), newLegend(), newTools());
}

function newPage() {
	ui.pane = html("main", { class: "pane", tabindex: "0", role: "tree", "aria-label": "flame graph: arrows go from box to box, Enter zooms, Escape goes back" });
	ui.panel = html("aside", { id: "top", "aria-label": "functions", hidden: true });
	ui.details = html("span", { id: "details" });
	ui.thin = html("span", { id: "thin" });
	ui.announced = html("div", { class: "announced", role: "status", "aria-live": "polite" });
	ui.tip = html("div", { id: "tip", hidden: true, "aria-hidden": "true" });
	ui.menu = html("div", { id: "menu", role: "menu", hidden: true });
	ui.page = html("div", { class: "wick-page" + (svg.classList.contains("light") ? " light" : "") },
		newHeader(), html("div", { class: "middle" }, ui.pane, ui.panel), html("footer", {}, ui.details, ui.thin),
		ui.announced, ui.tip, ui.menu);
}

/* Of the first screen only the groups stay, to be drawn into. */
function emptyPicture() {
	for (const gone of svg.querySelectorAll(":scope > title, :scope > text, #legend, #background, :scope > defs"))
		gone.remove();
	for (const id of ["boxes", "slivers", "labels"])
		part(id).replaceChildren();
	svg.setAttribute("role", "none");
	ui.links = element("g", { id: "links" });
	ui.marks = element("g", { id: "marks" });
	svg.append(ui.links, ui.marks);
}

function takePlace() {
	const name = svg.querySelector("title").textContent;

	newPage();
	emptyPicture();
	if (svg === document.documentElement) {
		const body = html("body", { class: "wick-body" }, ui.page);
		const root = html("html", { lang: "en" }, html("head", {}, html("title", {}, name),
			html("meta", { name: "viewport", content: "width=device-width, initial-scale=1" })), body);

		svg.replaceWith(root);
	} else {
		svg.replaceWith(ui.page);
	}
	ui.pane.append(svg);
}
