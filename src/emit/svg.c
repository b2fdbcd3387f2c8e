/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.c: the flame graph, one file that needs nothing else. It has three parts:
 *
 *	 title
 *	 subtitle, legend             1. A first screen, for readers without a script, for
 *	   +--+        +---+  \          paper, and for viewers of images. A box is a <g> of its
 *	   |c |:       | d |  |          tooltip, a <title>, and a <rect>; names that fit are
 *	 +------+ +----------+|  rows    <text>s. Boxes that are too thin are not drawn; a run of
 *	 |  b   | |    a     ||          such siblings is a grey sliver (the `:`), and a line
 *	 +---------------------+|        says how many there are and how much they are.
 *	 |        all          |/
 *	 what was too thin            2. The whole tree, as text (svg_data.c).
 *
 *	                              3. The viewer (viewer.h), which replaces the first screen
 *	                                 by what the reader wants to see of the tree.
 *
 * Of a differential there can be three pictures, one above the other: what was before, what there
 * is now, and the difference. They have one scale, and one tree, from which the script draws them.
 */
#include "emit.h"
#include "base/numbers.h"
#include "label.h"
#include "palette.h"
#include "picture.h"
#include "svg_parts.h"
#include "viewer.h"
#include "xml.h"

enum { FLUSH_SIZE = 1 << 15, NR_PICTURES = 3 };

static u32 code_point(const char *s, size_t length)
{
	const unsigned char *u = (const unsigned char *)s;
	u32 value = u[0] & (0x7f >> length);

	for (size_t i = 1; i < length; i++)
		value = value << 6 | (u[i] & 0x3f);
	return value;
}

/* In an encoding that need not have the letter, a reference to it. */
static void write_encoded(struct svg *svg)
{
	for (size_t i = 0, length; i < svg->b.size; i += length) {
		length = max(utf8_length(svg->b.s + i, svg->b.size - i), (size_t)1);
		if (length == 1)
			putc(svg->b.s[i], svg->out);
		else
			fprintf(svg->out, "&#%u;", code_point(svg->b.s + i, length));
	}
}

void svg_flush(struct svg *svg, size_t at_least)
{
	if (svg->b.size < at_least)
		return;
	if (svg->caption->encoding)
		write_encoded(svg);
	else
		fwrite(svg->b.s, 1, svg->b.size, svg->out);
	strbuf_clear(&svg->b);
}

void svg_flush_some(struct svg *svg)
{
	svg_flush(svg, FLUSH_SIZE);
}

void svg_add_text(struct svg *svg, const char *text)
{
	xml_add_bytes(&svg->b, text, strlen(text));
}

void svg_add_amount(struct svg *svg, u64 value)
{
	strbuf_add_amount(&svg->b, value, &svg->caption->unit);
	if (svg->caption->unit.time || svg->caption->unit.bytes)
		return;
	strbuf_addc(&svg->b, ' ');
	svg_add_text(svg, svg->caption->unit.name);
}

void svg_add_share(struct svg *svg, u64 value)
{
	strbuf_adds(&svg->b, ", ");
	strbuf_add_percent(&svg->b, value, picture_now(svg->p), 2);
	strbuf_addc(&svg->b, '%');
}

static void add_number(struct svg *svg, const char *name, double value)
{
	strbuf_addf(&svg->b, " data-%s=\"%.17g\"", name, value);
}

static void add_flag(struct svg *svg, const char *name, bool is)
{
	if (is)
		strbuf_addf(&svg->b, " data-%s=\"1\"", name);
}

static void add_words(struct svg *svg, const char *name, const char *text)
{
	if (!text)
		return;
	strbuf_addf(&svg->b, " data-%s=\"", name);
	svg_add_text(svg, text);
	strbuf_addc(&svg->b, '"');
}

/* What the script has to know: viewer/tree.js reads them. */
static void write_settings(struct svg *svg)
{
	const struct picture *p = svg->p;
	const struct caption *c = svg->caption;

	add_number(svg, "row", p->row);
	strbuf_addf(&svg->b, " data-char=\"%g\"", p->char_width / 1000.0);
	add_number(svg, "size", p->font_size);
	strbuf_addf(&svg->b, " data-min=\"%g\"", c->min_width);
	if (c->min_percent > 0)
		strbuf_addf(&svg->b, " data-min-percent=\"%g\"", c->min_percent);
	if (c->width)
		add_number(svg, "width", c->width);
	add_number(svg, "divisor", (double)c->unit.divisor);
	add_words(svg, "unit", c->unit.name);
	add_flag(svg, "time", c->unit.time);
	add_flag(svg, "bytes", c->unit.bytes && !c->unit.time);
	if (c->unit.factor > 0 && c->unit.factor != 1)
		add_number(svg, "factor", c->unit.factor);
	if (picture_is_differential(p))
		add_words(svg, "differential", c->negate ? "negated" : "1");
	add_flag(svg, "three", svg->nr_pictures == NR_PICTURES);
	add_flag(svg, "events", p->tree->events.nr);
	if (p->tree->classes.parts.nr) {
		strbuf_adds(&svg->b, " data-classes=\"");
		svg_add_class_names(svg);
		strbuf_addc(&svg->b, '"');
	}
	add_flag(svg, "color-blind", c->color_blind);
	if (c->before_factor > 0)
		add_number(svg, "before-factor", c->before_factor);
	add_flag(svg, "chart", p->tree->lead.nr);
	add_flag(svg, "inverted", c->inverted);
	add_flag(svg, "reverse", c->reverse);
	add_words(svg, "nametype", c->name_type);
}

/* An option's own, behind the style of all pictures. */
static void write_style(struct svg *svg)
{
	const struct caption *c = svg->caption;
	const char *top, *bottom;

	strbuf_adds(&svg->b, "<style><![CDATA[\n");
	viewer_add_style(&svg->b);
	if (c->font)
		strbuf_addf(&svg->b, "#wick text, .wick-page { font-family: %s; }\n", c->font);
	if (c->font_size > 0)
		strbuf_addf(&svg->b,
			    "#wick text { font-size: %gpx; }\n#wick #title { font-size: %gpx; }\n",
			    c->font_size, c->font_size + 5);
	if (c->background && palette_background(c->background, &top, &bottom))
		strbuf_addf(&svg->b,
			    "#wick, .wick-page { --back: %s; }\n"
			    "#wick #background { fill: url(#gradient); }\n",
			    bottom);
	strbuf_adds(&svg->b, "]]></style>\n");
}

/* Where a background was chosen, there is no dark one. */
static void write_head(struct svg *svg)
{
	const struct picture *p = svg->p;
	const struct caption *c = svg->caption;

	strbuf_addf(&svg->b,
		    "<?xml version=\"1.0\" encoding=\"%s\" standalone=\"yes\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"wick\"%s width=\"%u\" "
		    "height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"monospace\" "
		    "font-size=\"%g\"",
		    c->encoding ? c->encoding : "UTF-8", c->background ? " class=\"light\"" : "",
		    p->width, p->height, p->width, p->height, p->font_size);
	write_settings(svg);
	strbuf_adds(&svg->b, ">\n<title>");
	svg_add_text(svg, c->title ? c->title : "flame graph");
	strbuf_adds(&svg->b, "</title>\n");
	if (c->notes) {
		strbuf_adds(&svg->b, "<desc id=\"notes\">");
		svg_add_text(svg, c->notes);
		strbuf_adds(&svg->b, "</desc>\n");
	}
	write_style(svg);
}

static void write_script(struct svg *svg)
{
	strbuf_adds(&svg->b, "<script><![CDATA[\n");
	viewer_add_script(&svg->b);
	strbuf_adds(&svg->b, "]]></script>\n</svg>\n");
}

static void write_all(struct svg *svg, const struct svg_nodes *nodes)
{
	write_head(svg);
	svg_write_caption(svg);
	svg_write_boxes(svg);
	svg_write_bar(svg);
	svg_write_data(svg, nodes);
	write_script(svg);
	svg_flush(svg, 0);
	strbuf_release(&svg->b);
}

static int fail_palette(const struct caption *caption, struct error *error)
{
	_cleanup_strbuf_ struct strbuf palettes = {};

	palette_names(&palettes);
	return fail(error, -EINVAL, "no colors '%s': there are %s", caption->colors, palettes.s);
}

static void release_pictures(struct picture (*pictures)[NR_PICTURES])
{
	for (size_t i = 0; i < NR_PICTURES; i++)
		picture_release(&(*pictures)[i]);
}

/* The difference is the last one, and makes the data for the script. */
static int write_three(const struct call_tree *tree, const struct caption *caption, FILE *out,
		       struct error *error)
{
	static const char *const headings[NR_PICTURES] = {"before", "now", "difference"};
	_cleanup_(release_pictures) struct picture pictures[NR_PICTURES] = {};
	_cleanup_(svg_nodes_release) struct svg_nodes nodes = {.tree = tree};
	_cleanup_(svg_sides_release) struct svg_sides sides = {};
	const struct call_tree *trees[NR_PICTURES] = {&sides.before, &sides.now, tree};
	struct picture *last = &pictures[NR_PICTURES - 1];
	struct caption third = *caption;

	third.max_boxes = (caption->max_boxes + NR_PICTURES - 1) / NR_PICTURES;
	svg_sides_init(&sides, tree);
	for (size_t i = 0; i < NR_PICTURES; i++) {
		struct picture *p = &pictures[i];

		if (!picture_init(p, trees[i], &third,
				  max(sides.before.at[0].total, sides.now.at[0].total),
				  p == last ? svg_add_node : NULL, &nodes))
			return fail_palette(caption, error);
		p->heading = headings[i];
		p->is_gone = i ? NULL : sides.gone.at;
		if (i)
			picture_put_below(p, p - 1);
	}
	write_all(&(struct svg){.p = last,
				.pictures = pictures,
				.nr_pictures = NR_PICTURES,
				.caption = caption,
				.out = out},
		  &nodes);
	return 0;
}

static int write_svg(const struct call_tree *tree, const struct caption *caption, FILE *out,
		     struct error *error)
{
	_cleanup_(picture_release) struct picture picture = {};
	_cleanup_(svg_nodes_release) struct svg_nodes nodes = {.tree = tree};

	if (caption->three && tree->before.nr)
		return write_three(tree, caption, out, error);
	if (!picture_init(&picture, tree, caption, 0, svg_add_node, &nodes))
		return fail_palette(caption, error);
	write_all(&(struct svg){.p = &picture,
				.pictures = &picture,
				.nr_pictures = 1,
				.caption = caption,
				.out = out},
		  &nodes);
	return 0;
}

const struct format svg_format = {
	.name = "svg",
	.suffix = ".svg",
	.summary = "flame graph for a browser: zoom, search; one file",
	.recorded = true,
	.differentials = true,
	.by_width = true,
	.write = write_svg,
};
