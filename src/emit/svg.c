/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.c: the flame graph, one file that needs nothing else.
 *
 *	 title
 *	 subtitle, legend             A box is a <g> of its tooltip, a <title>, and a <rect>. (A
 *	   +--+        +---+  \       <title> inside the <rect> would save an element, but
 *	   |c |:       | d |  |       Chromium 156 then takes 0.4 ms a box to load, ten times
 *	 +------+ +----------+|       as long.) Names that fit are <text>s above all boxes.
 *	 |  b   | |    a     ||  rows
 *	 +---------------------+|     Boxes that are too thin are not drawn; a run of such
 *	 |        all          |/     siblings is a grey sliver (the `:`), and a line in the
 *	 bar: details, search         bar says how many there are and how much they are.
 *
 * The whole tree also goes into two <metadata> elements, from which svg.js zooms and searches, so
 * that also what was too thin is found and can be zoomed to:
 *
 *	frames	a line a distinct frame: kind, colour, name, tab and module:
 *		"uf3a05cmain\tlibfoo.so"
 *	nodes	a line a node, in preorder: "FRAME SELF UP ...", zeros at the end left out, a minus in
 *		front where it is not drawn. UP: 0 for a child of the line before, 1 for its
 *		sibling, 2 for its parent's, ... Two more: what the self value of a
 *		differential was before; in a chart, the parent's self value to the left
 */
#include "emit.h"
#include "attributes.h"
#include "base/numbers.h"
#include "label.h"
#include "picture.h"
#include "xml.h"

enum { FLUSH_SIZE = 1 << 15 };

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

struct writer {
	const struct picture *p;
	const struct caption *caption;
	FILE *out;
	struct strbuf b; /* what is about to be written, UTF-8 */
};

static u32 code_point(const char *s, size_t length)
{
	const unsigned char *u = (const unsigned char *)s;
	u32 value = u[0] & (0x7f >> length);

	for (size_t i = 1; i < length; i++)
		value = value << 6 | (u[i] & 0x3f);
	return value;
}

/* In an encoding that need not have the letter, a reference to it. */
static void write_encoded(struct writer *w)
{
	for (size_t i = 0, length; i < w->b.size; i += length) {
		length = max(utf8_length(w->b.s + i, w->b.size - i), (size_t)1);
		if (length == 1)
			putc(w->b.s[i], w->out);
		else
			fprintf(w->out, "&#%u;", code_point(w->b.s + i, length));
	}
}

static void flush(struct writer *w, size_t at_least)
{
	if (w->b.size < at_least)
		return;
	if (w->caption->encoding)
		write_encoded(w);
	else
		fwrite(w->b.s, 1, w->b.size, w->out);
	strbuf_clear(&w->b);
}

static void add_text(struct writer *w, const char *text)
{
	xml_add_bytes(&w->b, text, strlen(text));
}

/* What svg.js has to know that is not as always. */
static void write_settings(struct writer *w)
{
	const struct picture *p = w->p;
	const struct caption *c = w->caption;

	if (p->row != ROW)
		strbuf_addf(&w->b, " data-row=\"%u\"", p->row);
	if (p->char_width != CHAR)
		strbuf_addf(&w->b, " data-char=\"%g\"", p->char_width / 1000.0);
	if (c->min_percent > 0)
		strbuf_addf(&w->b, " data-min-percent=\"%g\"", c->min_percent);
	if (c->unit.factor > 0 && c->unit.factor != 1)
		strbuf_addf(&w->b, " data-factor=\"%.17g\"", c->unit.factor);
	if (picture_is_differential(p))
		strbuf_addf(&w->b, " data-differential=\"%s\"", c->negate ? "negated" : "1");
	if (c->name_type) {
		strbuf_adds(&w->b, " data-nametype=\"");
		add_text(w, c->name_type);
		strbuf_addc(&w->b, '"');
	}
}

/* An option's own, behind the style of all pictures. */
static void write_style(struct writer *w)
{
	const struct caption *c = w->caption;
	const char *top, *bottom;

	strbuf_adds(&w->b, "<style><![CDATA[\n");
	strbuf_adds(&w->b, svg_css);
	if (c->font)
		strbuf_addf(&w->b, "#wick text, #wick input { font-family: %s; }\n", c->font);
	if (c->font_size > 0)
		strbuf_addf(&w->b,
			    "#wick text, #wick input { font-size: %gpx; }\n"
			    "#wick #title { font-size: %gpx; }\n",
			    c->font_size, c->font_size + 5);
	if (c->background && palette_background(c->background, &top, &bottom))
		strbuf_addf(&w->b,
			    "#wick { background: %s; }\n#wick #bar rect.back { fill: %s; }\n",
			    bottom, bottom);
	strbuf_adds(&w->b, "]]></style>\n");
}

static void write_head(struct writer *w)
{
	const struct picture *p = w->p;
	const struct caption *c = w->caption;

	strbuf_addf(
		&w->b,
		"<?xml version=\"1.0\" encoding=\"%s\" standalone=\"yes\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"wick\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" data-top=\"%u\" data-rows=\"%u\" data-min=\"%g\" "
		"data-inverted=\"%s\" data-divisor=\"%llu\" data-unit=\"",
		c->encoding ? c->encoding : "UTF-8", p->width, p->height, p->width, p->height,
		p->top, p->rows, c->min_width, c->inverted ? "1" : "",
		(unsigned long long)c->unit.divisor);
	add_text(w, c->unit.name);
	strbuf_addf(&w->b, "\"%s",
		    c->unit.time    ? " data-time=\"1\""
		    : c->unit.bytes ? " data-bytes=\"1\""
				    : "");
	write_settings(w);
	strbuf_adds(&w->b, ">\n<title>");
	add_text(w, c->title ? c->title : "flame graph");
	strbuf_adds(&w->b, "</title>\n");
	if (c->notes) {
		strbuf_adds(&w->b, "<desc id=\"notes\">");
		add_text(w, c->notes);
		strbuf_adds(&w->b, "</desc>\n");
	}
	write_style(w);
}

static void write_frames(struct writer *w)
{
	const struct picture *p = w->p;

	strbuf_adds(&w->b, "<metadata id=\"frames\">");
	vec_for_each (&p->shown, s) {
		strbuf_addf(&w->b, "%s%c%06x", s == p->shown.at ? "" : "\n",
			    kinds[s->frame.kind].letter, s->color);
		xml_add(&w->b, s->name);
		if (s->module.size)
			strbuf_addc(&w->b, '\t');
		xml_add(&w->b, s->module);
		flush(w, FLUSH_SIZE);
	}
	strbuf_adds(&w->b, "</metadata>\n");
}

/* The lines of the metadata, made in the picture's own walk: another one would take as long. */
struct nodes {
	const struct call_tree *tree;
	struct strbuf text;
	u32 depth; /* of the node on the line above */
};

static void nodes_release(struct nodes *nodes)
{
	strbuf_release(&nodes->text);
}

static void add_node(void *context, u32 node, u32 shown, bool drawn)
{
	struct nodes *nodes = context;
	const struct tree_node *n = &nodes->tree->at[node];
	u32 up = node ? nodes->depth + 1 - n->depth : 0;
	u64 before_it = call_tree_self_before(nodes->tree, node),
	    lead = tree_lead(nodes->tree, node);
	char line[8 * MAX_DIGITS], *at = line;

	if (node)
		*at++ = '\n';
	if (!drawn)
		*at++ = '-';
	at = put_digits(at, shown);
	if (n->self || up || before_it || lead) {
		*at++ = ' ';
		at = put_digits(at, n->self);
	}
	if (up || before_it || lead) {
		*at++ = ' ';
		at = put_digits(at, up);
	}
	if (before_it || lead) {
		*at++ = ' ';
		at = put_digits(at, before_it);
	}
	if (lead) {
		*at++ = ' ';
		at = put_digits(at, lead);
	}
	strbuf_add(&nodes->text, line, (size_t)(at - line));
	nodes->depth = n->depth;
}

static void write_nodes(struct writer *w, const struct nodes *nodes)
{
	strbuf_adds(&w->b, "<metadata id=\"nodes\">");
	flush(w, 0);
	fwrite(nodes->text.s, 1, nodes->text.size, w->out);
	strbuf_adds(&w->b, "</metadata>\n");
}

static void write_title(struct writer *w)
{
	const char *title = w->caption->title;
	_cleanup_strbuf_ struct strbuf safe = {}, cut = {};

	strbuf_add_safe_utf8(&safe, title, strlen(title));
	strbuf_add_cut(&cut, (struct string){safe.s ? safe.s : "", safe.size},
		       (w->p->width - 2 * PAD) / TITLE_CHAR);
	strbuf_addf(&w->b, "<text id=\"title\" x=\"%d\" y=\"%u\" font-size=\"%g\">", PAD,
		    PAD + w->p->title - 10,
		    w->caption->font_size > 0 ? w->caption->font_size + 5 : 16);
	xml_add(&w->b, (struct string){cut.s ? cut.s : "", cut.size});
	strbuf_adds(&w->b, "</text>\n");
}

/* Returns where the next line's baseline is. */
static unsigned int write_subtitle(struct writer *w, unsigned int y)
{
	const char *at = w->caption->subtitle;
	struct string line;

	while (at && label_wrap(&at, picture_columns(w->p), &line)) {
		strbuf_addf(&w->b, "<text class=\"subtitle\" x=\"%d\" y=\"%u\">", PAD, y);
		xml_add_bytes(&w->b, line.s, line.size);
		strbuf_adds(&w->b, "</text>\n");
		y += w->p->line;
	}
	return y;
}

static void write_swatch(struct writer *w, const char *text, u32 color, unsigned int x,
			 unsigned int y)
{
	strbuf_addf(&w->b, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"#%06x\"/>", x,
		    y - 9, color);
	strbuf_addf(&w->b, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + 14, y, text);
}

/* Returns where the next one has room. */
static unsigned int after_swatch(const struct writer *w, unsigned int x, const char *text)
{
	return x + 14 + (unsigned int)((strlen(text) + 2) * w->p->char_width / 1000);
}

static void write_delta_legend(struct writer *w, unsigned int y)
{
	static const char more[] = "more than before", less[] = "less";
	bool negate = w->caption->negate;

	strbuf_adds(&w->b, "<g id=\"legend\">\n");
	write_swatch(w, more, palette_delta(!negate, 1, 1), PAD, y);
	write_swatch(w, less, palette_delta(negate, 1, 1), after_swatch(w, PAD, more), y);
	strbuf_adds(&w->b, "</g>\n");
}

/* Only the kinds that there are; one alone needs no explanation. */
static void write_legend(struct writer *w, unsigned int y)
{
	bool has[NR_FRAME_KINDS] = {};
	unsigned int x = PAD;
	size_t nr = 0;

	for (size_t i = 1; i < w->p->shown.nr; i++) {
		enum frame_kind kind = w->p->shown.at[i].frame.kind;

		nr += !has[kind];
		has[kind] = true;
	}
	if (nr < 2)
		return;
	strbuf_adds(&w->b, "<g id=\"legend\">\n");
	for (size_t k = 0; k < NR_FRAME_KINDS; k++) {
		if (!has[k])
			continue;
		write_swatch(w, kinds[k].legend,
			     palette_color(w->p->palette, (struct string){"", 0},
					   (enum frame_kind)k, SHADES_BY_NAME),
			     x, y);
		x = after_swatch(w, x, kinds[k].legend);
	}
	strbuf_adds(&w->b, "</g>\n");
}

static void write_background(struct writer *w)
{
	const char *name = w->caption->background, *top, *bottom;

	if (name && palette_background(name, &top, &bottom))
		strbuf_addf(&w->b,
			    "<defs><linearGradient id=\"gradient\" x1=\"0\" y1=\"0\" x2=\"0\" "
			    "y2=\"1\"><stop stop-color=\"%s\" offset=\"5%%\"/><stop "
			    "stop-color=\"%s\" offset=\"95%%\"/></linearGradient></defs>\n",
			    top, bottom);
	strbuf_addf(&w->b, "<rect id=\"background\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
		    w->p->width, w->p->height, name ? "url(#gradient)" : "#fff");
}

static void write_caption(struct writer *w)
{
	unsigned int y = PAD + w->p->line - 4;

	write_background(w);
	if (w->caption->title) {
		write_title(w);
		y += w->p->title;
	}
	y = write_subtitle(w, y);
	if (picture_is_differential(w->p))
		write_delta_legend(w, y);
	else if (picture_has_legend(w->p))
		write_legend(w, y);
}

/* "1,234 samples", "1.23 ms", "4.56 MiB" */
static void add_amount(struct writer *w, u64 value)
{
	strbuf_add_amount(&w->b, value, &w->caption->unit);
	if (w->caption->unit.time || w->caption->unit.bytes)
		return;
	strbuf_addc(&w->b, ' ');
	add_text(w, w->caption->unit.name);
}

static void add_share(struct writer *w, u64 value)
{
	strbuf_adds(&w->b, ", ");
	strbuf_add_percent(&w->b, value, picture_all(w->p), 2);
	strbuf_addc(&w->b, '%');
}

/* "; +1.23%": of all that there is now. */
static void add_delta(struct writer *w, u32 node)
{
	u64 now = w->p->tree->at[node].total, before = tree_before(w->p->tree, node);
	bool more = now > before;

	strbuf_adds(&w->b, now == before ? "; " : more != w->caption->negate ? "; +" : "; -");
	strbuf_add_percent(&w->b, more ? now - before : before - now, picture_all(w->p), 2);
	strbuf_addc(&w->b, '%');
}

/* The words are flamegraph.pl's, which people's scripts read. */
static void write_tooltip(struct writer *w, const struct box *box)
{
	const struct shown *s = picture_shown(w->p, box);
	u32 node = box->node;

	strbuf_adds(&w->b, "<title>");
	xml_add(&w->b, s->name);
	strbuf_adds(&w->b, " (");
	add_amount(w, w->p->tree->at[node].total);
	if (node)
		add_share(w, w->p->tree->at[node].total);
	else
		strbuf_adds(&w->b, ", 100%");
	if (node && picture_is_differential(w->p))
		add_delta(w, node);
	strbuf_adds(&w->b, s->module.size ? ")\n" : ")");
	xml_add(&w->b, s->module);
	strbuf_adds(&w->b, "</title>");
}

static const struct name_attributes *attributes_of_box(const struct writer *w,
						       const struct box *box)
{
	return w->caption->attributes && box->node
		       ? attributes_of(w->caption->attributes, picture_shown(w->p, box)->name)
		       : NULL;
}

static void write_title_of(struct writer *w, const struct box *box,
			   const struct name_attributes *of)
{
	if (!of || !of->title) {
		write_tooltip(w, box);
		return;
	}
	strbuf_adds(&w->b, "<title>");
	add_text(w, of->title);
	strbuf_adds(&w->b, "</title>");
}

static void add_rect(struct writer *w, u64 left, u64 right, unsigned int y, unsigned int height)
{
	strbuf_adds(&w->b, "<rect x=\"");
	xml_add_thousandths(&w->b, PAD * 1000 + left);
	strbuf_adds(&w->b, "\" y=\"");
	strbuf_add_digits(&w->b, y);
	strbuf_adds(&w->b, "\" width=\"");
	xml_add_thousandths(&w->b, right - left);
	strbuf_adds(&w->b, "\" height=\"");
	strbuf_add_digits(&w->b, height);
	strbuf_addc(&w->b, '"');
}

static void add_fill(struct writer *w, u32 color)
{
	static const char digits[] = "0123456789abcdef";
	char hex[6];

	for (size_t i = 0; i < sizeof(hex); i++)
		hex[i] = digits[color >> 4 * (5 - i) & 15];
	strbuf_adds(&w->b, " fill=\"#");
	strbuf_add(&w->b, hex, sizeof(hex));
	strbuf_addc(&w->b, '"');
}

static void write_rect(struct writer *w, const struct box *box)
{
	const struct picture *p = w->p;

	add_rect(w, picture_left(p, box), picture_right(p, box),
		 picture_row(p, p->tree->at[box->node].depth), p->row - 1);
	add_fill(w, picture_color(p, box));
	strbuf_adds(&w->b, "/>");
}

/* There are many of them, so numbers are not formatted by the C library. */
static void write_box(struct writer *w, const struct box *box)
{
	const struct name_attributes *of = attributes_of_box(w, box);
	bool link = of && of->link;

	strbuf_adds(&w->b, link ? "<a" : "<g");
	if (of)
		strbuf_add(&w->b, of->xml.s, of->xml.size);
	strbuf_addc(&w->b, '>');
	write_title_of(w, box, of);
	write_rect(w, box);
	strbuf_adds(&w->b, link ? "</a>\n" : "</g>\n");
}

static void write_label(struct writer *w, const struct box *box)
{
	const struct picture *p = w->p;
	u32 node = box->node;
	u64 left = picture_left(p, box), width = picture_right(p, box) - left;
	u64 columns = width > 6000 ? (width - 6000) / p->char_width : 0;
	_cleanup_strbuf_ struct strbuf label = {};

	if (columns < MIN_COLUMNS)
		return;
	strbuf_add_cut(&label, label_without_parameters(picture_shown(p, box)->name), columns);
	if (!label.size)
		return;
	strbuf_adds(&w->b, "<text x=\"");
	xml_add_thousandths(&w->b, left + PAD * 1000 + 3000);
	strbuf_adds(&w->b, "\" y=\"");
	strbuf_add_digits(&w->b, picture_row(p, p->tree->at[node].depth) + picture_baseline(p));
	strbuf_adds(&w->b, "\">");
	xml_add(&w->b, (struct string){label.s, label.size});
	strbuf_adds(&w->b, "</text>\n");
}

/* A group of what `write` makes of each box. */
static void write_group(struct writer *w, const char *attributes,
			void (*write)(struct writer *w, const struct box *box))
{
	strbuf_addf(&w->b, "<g %s>\n", attributes);
	vec_for_each (&w->p->boxes, box) {
		write(w, box);
		flush(w, FLUSH_SIZE);
	}
	strbuf_adds(&w->b, "</g>\n");
}

static void write_slivers(struct writer *w)
{
	const struct picture *p = w->p;
	unsigned int sliver = min((unsigned int)SLIVER, p->row - 1);
	unsigned int low = w->caption->inverted ? 0 : p->row - 1 - sliver;

	strbuf_adds(&w->b, "<g id=\"slivers\" fill=\"#c5cad0\">\n");
	vec_for_each (&p->runs, run) {
		if (!picture_has_run(p, run))
			continue;
		strbuf_adds(&w->b, "<g><title>too thin to draw: ");
		strbuf_add_digits(&w->b, run->nr);
		strbuf_adds(&w->b, " boxes (");
		add_amount(w, run->total);
		add_share(w, run->total);
		strbuf_adds(&w->b, ")</title>");
		add_rect(w, picture_edge(p, run->start), picture_run_end(p, run),
			 picture_row(p, run->depth) + low, sliver);
		strbuf_adds(&w->b, "/></g>\n");
		flush(w, FLUSH_SIZE);
	}
	strbuf_adds(&w->b, "</g>\n");
}

static void write_bar(struct writer *w)
{
	const struct picture *p = w->p;
	unsigned int y = p->height - BAR;

	strbuf_addf(&w->b,
		    "<g id=\"bar\">\n<rect class=\"back\" y=\"%u\" width=\"%u\" height=\"%d\" "
		    "fill=\"#fff\"/>\n<text id=\"details\" x=\"%d\" y=\"%u\"/>\n"
		    "<text id=\"reset\" x=\"%d\" y=\"%u\" display=\"none\">reset zoom</text>\n"
		    "<text id=\"thin\" x=\"%d\" y=\"%u\">",
		    y, p->width, BAR, PAD, y + 14, PAD, y + 35, PAD + 90, y + 35);
	if (p->nr_thin) {
		strbuf_add_value(&w->b, p->nr_thin, &(struct unit){.name = "", .divisor = 1});
		strbuf_adds(&w->b, " boxes (");
		strbuf_add_percent(&w->b, p->thin, picture_all(p), 2);
		strbuf_adds(&w->b, "%) are too thin to draw");
	}
	strbuf_addf(&w->b, "</text>\n<text id=\"matched\" x=\"%u\" y=\"%u\"/>\n</g>\n",
		    p->width - PAD - SEARCH - 12, y + 35);
}

static void write_script(struct writer *w)
{
	strbuf_adds(&w->b, "<script><![CDATA[\n");
	strbuf_adds(&w->b, svg_js);
	strbuf_adds(&w->b, "]]></script>\n</svg>\n");
}

static void write_all(struct writer *w, const struct nodes *nodes)
{
	static const char boxes[] = "id=\"boxes\"";
	_cleanup_free_ char *labels =
		format("id=\"labels\" font-family=\"%s\" font-size=\"%g\"",
		       w->caption->font ? "inherit" : "monospace", w->p->font_size);

	write_head(w);
	write_frames(w);
	write_nodes(w, nodes);
	write_caption(w);
	write_group(w, boxes, write_box);
	write_slivers(w);
	write_group(w, labels, write_label);
	write_bar(w);
	write_script(w);
	flush(w, 0);
	strbuf_release(&w->b);
}

static int write_svg(const struct call_tree *tree, const struct caption *caption, FILE *out,
		     struct error *error)
{
	_cleanup_(picture_release) struct picture picture = {};
	_cleanup_(nodes_release) struct nodes nodes = {.tree = tree};
	_cleanup_strbuf_ struct strbuf palettes = {};

	if (!picture_init(&picture, tree, caption, add_node, &nodes)) {
		palette_names(&palettes);
		return fail(error, -EINVAL, "no colors '%s': there are %s", caption->colors,
			    palettes.s);
	}
	write_all(&(struct writer){.p = &picture, .caption = caption, .out = out}, &nodes);
	return 0;
}

const struct format svg_format = {
	.name = "svg",
	.suffix = ".svg",
	.summary = "flame graph for a browser: zoom, search; one file",
	.recorded = true,
	.write = write_svg,
};
