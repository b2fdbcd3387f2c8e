/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.c: the flame graph, one file that needs nothing else.
 *
 *	 title                                  A box is a <rect> with its tooltip, a <title>. Names
 *	 subtitle                               that fit are <text>s above them all: no group a
 *	   +--+        +---+  \                 box, since what is slow in a browser is the number
 *	   |c |:       | d |  |                 of elements.
 *	 +------+ +----------+|  rows
 *	 |  b   | |    a     ||                 Boxes below min_width are not drawn; a run of such
 *	 +---------------------+|               siblings is a grey sliver (the `:`), and a line in
 *	 |        all          |/               the bar says how many there are and how much they
 *are. bar: details, search
 *
 * The whole tree also goes into two <metadata> elements, from which svg.js zooms and searches, so
 * that also what was too thin is found and can be zoomed to:
 *
 *	frames	a line a distinct frame: kind, colour, name, tab and module:
 *"uf3a05cmain\tlibfoo.so"
 *	nodes	a line a node, in preorder: "FRAME SELF UP", zeros at the end left out, a minus in
 *		front where it is not drawn. UP: 0 for a child of the line before, 1 for its
 *sibling, 2 for its parent's, ...
 *
 * Geometry is in thousandths of a pixel, in whole numbers: an edge is floor(offset * width / all)
 *for every box that ends or begins there, so boxes touch exactly and none has a negative width.
 */
#include "rows.h"
#include "label.h"
#include "numbers.h"
#include "palette.h"

enum {
	ROW = 16,
	BOX = 15,
	SLIVER = 4,
	PAD = 10,
	CHAR = 6700, /* thousandths; 11 px monospaced fonts are 6.6 wide or less */
	MIN_COLUMNS = 3,
	TITLE_CHAR = 10,
	TITLE = 28,
	LINE = 15,
	BAR = 46,
	WIDTH = 1200,
	MIN_WIDTH_OF_ALL = 200,
};

#define EMBED(symbol, path)                                                                        \
	asm(".pushsection .rodata\n" #symbol ": .incbin \"" path "\"\n.byte 0\n.popsection\n");    \
	extern const char symbol[]

EMBED(svg_css, "src/emit/svg.css");
EMBED(svg_js, "src/emit/svg.js");

static const struct {
	char letter; /* in the metadata */
	const char *legend;
} kinds[NR_FRAME_KINDS] = {
	[FRAME_USER] = {'u', "user"},	     [FRAME_KERNEL] = {'k', "kernel"},
	[FRAME_INLINED] = {'i', "inlined"},  [FRAME_JIT] = {'j', "JIT"},
	[FRAME_WAKER] = {'w', "waker"},	     [FRAME_GROUP] = {'g', "group"},
	[FRAME_NOTE] = {'n', "no function"},
};

/* A distinct frame, as it is shown: names are safe to print, not yet safe in XML. */
struct shown {
	struct tree_frame frame;
	u32 name, module;
	u32 color;
};

/* Siblings, one after the other, that are too thin to draw. */
struct run {
	u32 depth;
	u32 end; /* the node behind them in preorder, 0 at the end */
	u32 nr;	 /* nodes, with all below them */
	u64 start;
	u64 total;
};

struct picture {
	const struct call_tree *tree;
	const struct caption *caption;
	const struct palette *palette;
	FILE *out;
	struct strbuf b; /* what is about to be written */
	struct strings safe;
	struct {
		VEC_FIELDS(struct shown);
	} shown;
	struct table shown_table;
	struct {
		VEC_FIELDS(struct run);
	} runs;
	u32 *shown_of; /* by node */
	u64 *start;    /* by node: where its box begins, as a value */
	bool *drawn;   /* by node */
	unsigned int width, height, top, rows;
	u32 nr_thin;
	u64 thin;
};

static void picture_release(struct picture *p)
{
	strbuf_release(&p->b);
	strings_release(&p->safe);
	vec_release(&p->shown);
	table_release(&p->shown_table);
	vec_release(&p->runs);
	free(p->shown_of);
	free(p->start);
	free(p->drawn);
}

/* Text and attribute values alike. Everything that a stranger wrote goes through here. */
static void add_xml(struct strbuf *b, const char *s, size_t size)
{
	static const struct {
		char c;
		const char *entity;
	} entities[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"},
	};

	for (size_t i = 0; i < size; i++) {
		const char *entity = NULL;

		for (size_t k = 0; k < ARRAY_SIZE(entities); k++)
			if (s[i] == entities[k].c)
				entity = entities[k].entity;
		if (entity)
			strbuf_adds(b, entity);
		else
			strbuf_addc(b, s[i]);
	}
}

static void add_xml_bytes(struct strbuf *b, const char *s, size_t size)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s, size);
	add_xml(b, safe.s ? safe.s : "", safe.size);
}

static void add_px(struct strbuf *b, u64 thousandths)
{
	unsigned int rest = thousandths % 1000;
	int digits = 3;

	strbuf_addf(b, "%llu", (unsigned long long)(thousandths / 1000));
	if (!rest)
		return;
	for (; rest % 10 == 0; digits--)
		rest /= 10;
	strbuf_addf(b, ".%0*u", digits, rest);
}

static void flush(struct picture *p)
{
	fwrite(p->b.s, 1, p->b.size, p->out);
	strbuf_clear(&p->b);
}

/* ---- what is where ---- */

static u64 all(const struct picture *p)
{
	return p->tree->at[0].total;
}

/* From the left end of the root's box to where `offset` of the values lies. */
static u64 edge(const struct picture *p, u64 offset)
{
	u64 width = (u64)(p->width - 2 * PAD) * 1000;

	return all(p) ? (u64)((unsigned __int128)offset * width / all(p)) : 0;
}

static bool wide_enough(const struct picture *p, u64 total)
{
	double width = p->width - 2 * PAD;

	return total && (double)total * (width / (double)all(p)) >= p->caption->min_width;
}

static void place_children(struct picture *p, u32 node)
{
	u64 start = p->start[node];

	for (u32 c = p->tree->at[node].first_child; c; c = p->tree->at[c].next_sibling) {
		p->start[c] = start;
		start += p->tree->at[c].total;
	}
}

static u32 count_nodes(const struct picture *p, u32 node, u32 end)
{
	u32 nr = 0;

	for (; node != end; node = call_tree_next(p->tree, node))
		nr++;
	return nr;
}

/* A thin node: it joins the run that ends at it, if that one is of siblings. */
static void add_thin(struct picture *p, u32 node)
{
	const struct tree_node *n = &p->tree->at[node];
	struct run *run = p->runs.nr ? &p->runs.at[p->runs.nr - 1] : NULL;
	u32 end = call_tree_skip(p->tree, node), nr = count_nodes(p, node, end);

	if (!run || run->end != node || run->depth != n->depth) {
		run = vec_add(&p->runs);
		run->depth = n->depth;
		run->start = p->start[node];
	}
	run->total += n->total;
	run->nr += nr;
	run->end = end;
	p->nr_thin += nr;
	p->thin += n->total;
}

static bool run_is_drawn(const struct picture *p, const struct run *run)
{
	return wide_enough(p, run->total);
}

static void place_boxes(struct picture *p)
{
	u32 deepest = 0, node = 0;

	do {
		const struct tree_node *n = &p->tree->at[node];

		if (node && !wide_enough(p, n->total)) {
			add_thin(p, node);
			node = call_tree_skip(p->tree, node);
			continue;
		}
		p->drawn[node] = true;
		deepest = max(deepest, n->depth);
		place_children(p, node);
		node = call_tree_next(p->tree, node);
	} while (node);
	vec_for_each (&p->runs, run)
		if (run_is_drawn(p, run))
			deepest = max(deepest, run->depth);
	p->rows = deepest + 1;
}

static size_t line_columns(const struct picture *p)
{
	return (size_t)(p->width - 2 * PAD) * 1000 / CHAR;
}

static bool has_legend(const struct picture *p)
{
	return !p->caption->colors;
}

static void place_rows(struct picture *p)
{
	const char *at = p->caption->subtitle;
	struct string line;

	p->top = PAD + (p->caption->title ? TITLE : 0);
	while (at && label_wrap(&at, line_columns(p), &line))
		p->top += LINE;
	p->top += (has_legend(p) ? LINE : 0) + PAD;
	p->height = p->top + p->rows * ROW + BAR + 4;
}

static unsigned int row_top(const struct picture *p, u32 depth)
{
	return p->top + (p->caption->inverted ? depth : p->rows - 1 - depth) * ROW;
}

/* ---- names ---- */

static u32 safe_name(struct picture *p, u32 ref)
{
	struct string name = tree_name(p->tree, ref);
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, name.s, name.size);
	return strings_add(&p->safe, safe.s ? safe.s : "", safe.size);
}

static u32 add_shown(struct picture *p, const struct tree_frame *frame)
{
	struct shown *s = vec_add(&p->shown);

	s->frame = *frame;
	s->name = safe_name(p, frame->name);
	s->module = safe_name(p, frame->module);
	s->color = palette_color(p->palette, strings_get(&p->safe, s->name), frame->kind);
	return (u32)(p->shown.nr - 1);
}

static u32 shown_frame(struct picture *p, const struct tree_frame *frame)
{
	u64 hash = hash_u64((u64)frame->module << 32 | frame->name) + hash_u64(frame->kind);
	struct table_probe probe = table_probe(&p->shown_table, hash);
	u32 ref;

	while (table_next(&probe)) {
		const struct tree_frame *other = &p->shown.at[probe.ref].frame;

		if (other->name == frame->name && other->module == frame->module &&
		    other->kind == frame->kind)
			return probe.ref;
	}
	ref = add_shown(p, frame);
	table_insert(&p->shown_table, hash, ref);
	return ref;
}

/* The root has no frame; it is shown as one that no other node can have. */
static void name_nodes(struct picture *p)
{
	struct shown *root = vec_add(&p->shown);

	root->name = strings_adds(&p->safe, "all");
	root->color = 0xd8dee4;
	root->frame.kind = FRAME_NOTE;
	for (u32 node = call_tree_next(p->tree, 0); node; node = call_tree_next(p->tree, node))
		p->shown_of[node] = shown_frame(p, &p->tree->at[node].frame);
}

static struct string name_of(const struct picture *p, const struct shown *s)
{
	return strings_get(&p->safe, s->name);
}

/* ---- the file ---- */

static void write_head(struct picture *p)
{
	const struct caption *c = p->caption;
	const char *title = c->title ? c->title : "flame graph";

	strbuf_addf(
		&p->b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"wick\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" data-top=\"%u\" data-rows=\"%u\" data-min=\"%g\" "
		"data-inverted=\"%s\" data-divisor=\"%llu\" data-unit=\"",
		p->width, p->height, p->width, p->height, p->top, p->rows, c->min_width,
		c->inverted ? "1" : "", (unsigned long long)c->unit.divisor);
	add_xml_bytes(&p->b, c->unit.name, strlen(c->unit.name));
	strbuf_adds(&p->b, "\">\n<title>");
	add_xml_bytes(&p->b, title, strlen(title));
	strbuf_adds(&p->b, "</title>\n<style><![CDATA[\n");
	strbuf_adds(&p->b, svg_css);
	strbuf_adds(&p->b, "]]></style>\n");
	flush(p);
}

static void write_frames(struct picture *p)
{
	strbuf_adds(&p->b, "<metadata id=\"frames\">");
	vec_for_each (&p->shown, s) {
		struct string name = name_of(p, s), module = strings_get(&p->safe, s->module);

		strbuf_addf(&p->b, "%s%c%06x", s == p->shown.at ? "" : "\n",
			    kinds[s->frame.kind].letter, s->color);
		add_xml(&p->b, name.s, name.size);
		strbuf_adds(&p->b, module.size ? "\t" : "");
		add_xml(&p->b, module.s, module.size);
		flush(p);
	}
	strbuf_adds(&p->b, "</metadata>\n");
	flush(p);
}

/* `before` is the depth of the node on the line above. */
static void write_node(struct picture *p, u32 node, u32 before)
{
	const struct tree_node *n = &p->tree->at[node];
	u32 up = node ? before + 1 - n->depth : 0;

	strbuf_addf(&p->b, "%s%s%u", node ? "\n" : "", p->drawn[node] ? "" : "-",
		    p->shown_of[node]);
	if (n->self || up)
		strbuf_addf(&p->b, " %llu", (unsigned long long)n->self);
	if (up)
		strbuf_addf(&p->b, " %u", up);
	flush(p);
}

static void write_nodes(struct picture *p)
{
	u32 node = 0, before = 0;

	strbuf_adds(&p->b, "<metadata id=\"nodes\">");
	do {
		write_node(p, node, before);
		before = p->tree->at[node].depth;
		node = call_tree_next(p->tree, node);
	} while (node);
	strbuf_adds(&p->b, "</metadata>\n");
	flush(p);
}

static unsigned int write_subtitle(struct picture *p, unsigned int y)
{
	const char *at = p->caption->subtitle;
	struct string line;

	while (at && label_wrap(&at, line_columns(p), &line)) {
		y += LINE;
		strbuf_addf(&p->b, "<text class=\"subtitle\" x=\"%d\" y=\"%u\">", PAD, y);
		add_xml_bytes(&p->b, line.s, line.size);
		strbuf_adds(&p->b, "</text>\n");
	}
	return y;
}

static void add_swatch(struct picture *p, enum frame_kind kind, u64 x, unsigned int y)
{
	u32 color = palette_color(p->palette, (struct string) {"", 0}, kind);

	strbuf_addf(&p->b, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"#%06x\"/>",
		    (unsigned int)x, y - 9, color);
	strbuf_addf(&p->b, "<text x=\"%u\" y=\"%u\">%s</text>\n", (unsigned int)x + 14, y,
		    kinds[kind].legend);
}

/* Only the kinds that there are; kinds have colours only where no palette was asked for. */
static void write_legend(struct picture *p, unsigned int y)
{
	bool has[NR_FRAME_KINDS] = {};
	u64 x = PAD;

	for (size_t i = 1; i < p->shown.nr; i++)
		has[p->shown.at[i].frame.kind] = true;
	strbuf_adds(&p->b, "<g id=\"legend\">\n");
	for (size_t k = 0; k < NR_FRAME_KINDS; k++) {
		if (!has[k])
			continue;
		add_swatch(p, (enum frame_kind)k, x, y);
		x += 14 + (strlen(kinds[k].legend) + 2) * CHAR / 1000;
	}
	strbuf_adds(&p->b, "</g>\n");
}

static void write_caption(struct picture *p)
{
	const char *title = p->caption->title;
	_cleanup_strbuf_ struct strbuf safe = {}, cut = {};
	unsigned int y = PAD;

	strbuf_addf(&p->b, "<rect id=\"background\" width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n",
		    p->width, p->height);
	if (title) {
		y += TITLE - 8;
		strbuf_add_safe_utf8(&safe, title, strlen(title));
		strbuf_add_cut(&cut, (struct string) {safe.s ? safe.s : "", safe.size},
			       (p->width - 2 * PAD) / TITLE_CHAR);
		strbuf_addf(&p->b, "<text id=\"title\" x=\"%d\" y=\"%u\">", PAD, y - 2);
		add_xml(&p->b, cut.s ? cut.s : "", cut.size);
		strbuf_adds(&p->b, "</text>\n");
	}
	y = write_subtitle(p, y + 2);
	if (has_legend(p))
		write_legend(p, y + LINE + 2);
	flush(p);
}

/* "12 samples, 3.40%" */
static void add_amount(struct picture *p, u64 value)
{
	strbuf_add_value(&p->b, value, &p->caption->unit);
	strbuf_addc(&p->b, ' ');
	add_xml_bytes(&p->b, p->caption->unit.name, strlen(p->caption->unit.name));
	strbuf_adds(&p->b, ", ");
	strbuf_add_percent(&p->b, value, all(p), 2);
	strbuf_addc(&p->b, '%');
}

/* The words of its tooltip are flamegraph.pl's, which people's scripts read. */
static void write_tooltip(struct picture *p, u32 node)
{
	const struct shown *s = &p->shown.at[p->shown_of[node]];
	struct string name = name_of(p, s), module = strings_get(&p->safe, s->module);

	strbuf_adds(&p->b, "<title>");
	add_xml(&p->b, name.s, name.size);
	strbuf_adds(&p->b, " (");
	if (node) {
		add_amount(p, p->tree->at[node].total);
	} else {
		strbuf_add_value(&p->b, all(p), &p->caption->unit);
		strbuf_addc(&p->b, ' ');
		add_xml_bytes(&p->b, p->caption->unit.name, strlen(p->caption->unit.name));
		strbuf_adds(&p->b, ", 100%");
	}
	strbuf_addc(&p->b, ')');
	strbuf_adds(&p->b, module.size ? "\n" : "");
	add_xml(&p->b, module.s, module.size);
	strbuf_adds(&p->b, "</title>");
}

static void add_rect(struct picture *p, u64 left, u64 right, unsigned int y, unsigned int height)
{
	strbuf_adds(&p->b, "<rect x=\"");
	add_px(&p->b, PAD * 1000 + left);
	strbuf_addf(&p->b, "\" y=\"%u\" width=\"", y);
	add_px(&p->b, right - left);
	strbuf_addf(&p->b, "\" height=\"%u\"", height);
}

static u64 right_edge(const struct picture *p, u32 node)
{
	if (!node)
		return (u64)(p->width - 2 * PAD) * 1000;
	return edge(p, p->start[node] + p->tree->at[node].total);
}

static void write_boxes(struct picture *p)
{
	u32 node = 0;

	strbuf_adds(&p->b, "<g id=\"boxes\">\n");
	do {
		if (p->drawn[node]) {
			add_rect(p, edge(p, p->start[node]), right_edge(p, node),
				 row_top(p, p->tree->at[node].depth), BOX);
			strbuf_addf(&p->b, " fill=\"#%06x\">",
				    p->shown.at[p->shown_of[node]].color);
			write_tooltip(p, node);
			strbuf_adds(&p->b, "</rect>\n");
			flush(p);
		}
		node = call_tree_next(p->tree, node);
	} while (node);
	strbuf_adds(&p->b, "</g>\n");
}

static void write_slivers(struct picture *p)
{
	strbuf_adds(&p->b, "<g id=\"slivers\" fill=\"#c5cad0\">\n");
	vec_for_each (&p->runs, run) {
		unsigned int y = row_top(p, run->depth) + (p->caption->inverted ? 0 : BOX - SLIVER);

		if (!run_is_drawn(p, run))
			continue;
		add_rect(p, edge(p, run->start), edge(p, run->start + run->total), y, SLIVER);
		strbuf_addf(&p->b, "><title>too thin to draw: %u boxes (", run->nr);
		add_amount(p, run->total);
		strbuf_adds(&p->b, ")</title></rect>\n");
		flush(p);
	}
	strbuf_adds(&p->b, "</g>\n");
}

static void write_label(struct picture *p, u32 node)
{
	u64 left = edge(p, p->start[node]), width = right_edge(p, node) - left;
	u64 columns = width > 6000 ? (width - 6000) / CHAR : 0;
	_cleanup_strbuf_ struct strbuf label = {};
	struct string name = name_of(p, &p->shown.at[p->shown_of[node]]);

	if (columns < MIN_COLUMNS)
		return;
	strbuf_add_cut(&label, label_without_parameters(name), columns);
	strbuf_adds(&p->b, "<text x=\"");
	add_px(&p->b, left + PAD * 1000 + 3000);
	strbuf_addf(&p->b, "\" y=\"%u\">", row_top(p, p->tree->at[node].depth) + 11);
	add_xml(&p->b, label.s, label.size);
	strbuf_adds(&p->b, "</text>\n");
	flush(p);
}

static void write_labels(struct picture *p)
{
	u32 node = 0;

	strbuf_adds(&p->b, "<g id=\"labels\">\n");
	do {
		if (p->drawn[node])
			write_label(p, node);
		node = call_tree_next(p->tree, node);
	} while (node);
	strbuf_adds(&p->b, "</g>\n");
}

static void write_bar(struct picture *p)
{
	unsigned int y = p->height - BAR;

	strbuf_addf(&p->b,
		    "<g id=\"bar\">\n<rect class=\"back\" y=\"%u\" width=\"%u\" height=\"%d\" "
		    "fill=\"#fff\"/>\n<text id=\"details\" x=\"%d\" y=\"%u\"/>\n"
		    "<text id=\"reset\" x=\"%d\" y=\"%u\" display=\"none\">reset zoom</text>\n"
		    "<text id=\"thin\" x=\"%d\" y=\"%u\">",
		    y, p->width, BAR, PAD, y + 14, PAD, y + 35, PAD + 90, y + 35);
	if (p->nr_thin) {
		strbuf_add_value(&p->b, p->nr_thin, &(struct unit) {"", 1});
		strbuf_adds(&p->b, " boxes (");
		strbuf_add_percent(&p->b, p->thin, all(p), 2);
		strbuf_adds(&p->b, "%) are too thin to draw");
	}
	strbuf_addf(&p->b, "</text>\n<text id=\"matched\" x=\"%u\" y=\"%u\"/>\n</g>\n",
		    p->width - PAD - 292, y + 35);
}

static void write_end(struct picture *p)
{
	strbuf_adds(&p->b, "<script><![CDATA[\n");
	strbuf_adds(&p->b, svg_js);
	strbuf_adds(&p->b, "]]></script>\n</svg>\n");
	flush(p);
}

static void picture_init(struct picture *p)
{
	size_t nr = p->tree->nr;

	strings_init(&p->safe);
	p->shown_of = xcalloc(nr, sizeof(*p->shown_of));
	p->start = xcalloc(nr, sizeof(*p->start));
	p->drawn = xcalloc(nr, sizeof(*p->drawn));
	p->width =
		p->caption->width ? max(p->caption->width, (unsigned int)MIN_WIDTH_OF_ALL) : WIDTH;
	name_nodes(p);
	place_boxes(p);
	place_rows(p);
}

int write_svg(const struct call_tree *tree, const struct caption *caption, FILE *out,
	      struct error *error)
{
	_cleanup_(picture_release) struct picture p = {
		.tree = tree, .caption = caption, .out = out};
	_cleanup_strbuf_ struct strbuf palettes = {};

	p.palette = palette_find(caption->colors);
	if (!p.palette) {
		palette_names(&palettes);
		return fail(error, -EINVAL, "no colors '%s': there are %s", caption->colors,
			    palettes.s);
	}
	picture_init(&p);
	write_head(&p);
	write_frames(&p);
	write_nodes(&p);
	write_caption(&p);
	write_boxes(&p);
	write_slivers(&p);
	write_labels(&p);
	write_bar(&p);
	write_end(&p);
	return 0;
}
