/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_boxes.c: the boxes of the first screen, and the names on them. Numbers are not formatted by
 * the C library, which takes longer.
 */
#include "attributes.h"
#include "base/numbers.h"
#include "label.h"
#include "svg_kinds.h"
#include "svg_parts.h"
#include "xml.h"

/* "; +1.23%": of all that there is now. */
static void add_delta(struct svg *svg, u32 node)
{
	u64 now = svg->p->tree->at[node].total, before = tree_before(svg->p->tree, node);
	bool more = now > before;

	if (picture_is_gone(svg->p, node)) {
		strbuf_adds(&svg->b, "; gone");
		return;
	}
	strbuf_adds(&svg->b, now == before ? "; " : more != svg->caption->negate ? "; +" : "; -");
	strbuf_add_percent(&svg->b, more ? now - before : before - now, picture_now(svg->p), 2);
	strbuf_addc(&svg->b, '%');
}

/* The words are flamegraph.pl's, which people's scripts read. */
static void write_tooltip(struct svg *svg, const struct box *box)
{
	const struct shown *s = picture_shown(svg->p, box);
	struct string module = tree_name(svg->p->tree, s->module);
	u32 node = box->node;

	strbuf_adds(&svg->b, "<title>");
	xml_add(&svg->b, picture_name(svg->p, s));
	strbuf_adds(&svg->b, " (");
	svg_add_amount(svg, node ? svg->p->tree->at[node].total : picture_now(svg->p));
	if (node)
		svg_add_share(svg, svg->p->tree->at[node].total);
	else
		strbuf_adds(&svg->b, ", 100%");
	if (node && picture_is_differential(svg->p))
		add_delta(svg, node);
	strbuf_adds(&svg->b, module.size ? ")\n" : ")");
	xml_add_bytes(&svg->b, module.s, module.size);
	strbuf_adds(&svg->b, "</title>");
}

static const struct name_attributes *attributes_of_box(const struct svg *svg, const struct box *box)
{
	return svg->caption->attributes && box->node
		       ? attributes_of(svg->caption->attributes,
				       picture_name(svg->p, picture_shown(svg->p, box)))
		       : NULL;
}

static void write_title_of(struct svg *svg, const struct box *box, const struct name_attributes *of)
{
	if (!of || !of->title) {
		write_tooltip(svg, box);
		return;
	}
	strbuf_adds(&svg->b, "<title>");
	svg_add_text(svg, of->title);
	strbuf_adds(&svg->b, "</title>");
}

static void add_rect(struct svg *svg, u64 left, u64 right, unsigned int y, unsigned int height)
{
	strbuf_adds(&svg->b, "<rect x=\"");
	xml_add_thousandths(&svg->b, PAD * 1000 + left);
	strbuf_adds(&svg->b, "\" y=\"");
	strbuf_add_digits(&svg->b, y);
	strbuf_adds(&svg->b, "\" width=\"");
	xml_add_thousandths(&svg->b, right - left);
	strbuf_adds(&svg->b, "\" height=\"");
	strbuf_add_digits(&svg->b, height);
	strbuf_addc(&svg->b, '"');
}

static void add_fill(struct svg *svg, u32 color)
{
	strbuf_adds(&svg->b, " fill=\"#");
	xml_add_color(&svg->b, color);
	strbuf_addc(&svg->b, '"');
}

static void write_rect(struct svg *svg, const struct box *box)
{
	const struct picture *p = svg->p;

	add_rect(svg, picture_left(p, box), picture_right(p, box),
		 picture_row(p, p->tree->at[box->node].depth), p->row - 1);
	if (picture_is_gone(p, box->node))
		strbuf_adds(&svg->b, " fill=\"url(#hatch)\"");
	else
		add_fill(svg, picture_color(p, box));
	strbuf_adds(&svg->b, picture_is_new(p, box->node) ? " class=\"new\"/>" : "/>");
}

/* There are many of them, so numbers are not formatted by the C library. */
static void write_box(struct svg *svg, const struct box *box)
{
	const struct name_attributes *of = attributes_of_box(svg, box);
	bool link = of && of->link;

	strbuf_adds(&svg->b, link ? "<a" : "<g");
	if (of)
		strbuf_add(&svg->b, of->xml.s, of->xml.size);
	strbuf_addc(&svg->b, '>');
	write_title_of(svg, box, of);
	write_rect(svg, box);
	strbuf_adds(&svg->b, link ? "</a>\n" : "</g>\n");
}

/* The kind, and whether the letters are light ones. */
static void write_label_class(struct svg *svg, const struct box *box)
{
	bool light = palette_label_is_light(picture_color(svg->p, box));

	strbuf_adds(&svg->b, light ? "<text fill=\"#fff\" class=\"" : "<text class=\"");
	strbuf_addc(&svg->b, svg_kinds[picture_shown(svg->p, box)->kind].letter);
	strbuf_adds(&svg->b, light ? " light" : "");
}

static void add_label(struct strbuf *b, const struct picture *p, const struct box *box,
		      size_t columns)
{
	if (!box->node && p->heading)
		strbuf_add_cut(b, (struct string){p->heading, strlen(p->heading)}, columns);
	else
		strbuf_add_label(b, picture_name(p, picture_shown(p, box)), columns);
}

static void write_label(struct svg *svg, const struct box *box)
{
	const struct picture *p = svg->p;
	u32 node = box->node;
	u64 left = picture_left(p, box), width = picture_right(p, box) - left;
	u64 columns = width > 6000 ? (width - 6000) / p->char_width : 0;
	_cleanup_strbuf_ struct strbuf label = {};

	if (columns < MIN_COLUMNS)
		return;
	add_label(&label, p, box, columns);
	if (!label.size)
		return;
	write_label_class(svg, box);
	strbuf_adds(&svg->b, "\" x=\"");
	xml_add_thousandths(&svg->b, left + PAD * 1000 + 3000);
	strbuf_adds(&svg->b, "\" y=\"");
	strbuf_add_digits(&svg->b, picture_row(p, p->tree->at[node].depth) + picture_baseline(p));
	strbuf_adds(&svg->b, "\">");
	xml_add(&svg->b, (struct string){label.s, label.size});
	strbuf_adds(&svg->b, "</text>\n");
}

/* A group of what `write` makes of each box. */
static void write_group(struct svg *svg, const char *id,
			void (*write)(struct svg *svg, const struct box *box))
{
	strbuf_addf(&svg->b, "<g id=\"%s\">\n", id);
	for (size_t i = 0; i < svg->nr_pictures; i++) {
		svg->p = &svg->pictures[i];
		vec_for_each (&svg->p->boxes, box) {
			write(svg, box);
			svg_flush_some(svg);
		}
	}
	strbuf_adds(&svg->b, "</g>\n");
}

static void write_slivers_of_picture(struct svg *svg)
{
	const struct picture *p = svg->p;
	unsigned int sliver = min((unsigned int)SLIVER, p->row - 1);
	unsigned int low = svg->caption->inverted ? 0 : p->row - 1 - sliver;

	vec_for_each (&p->runs, run) {
		if (!picture_has_run(p, run))
			continue;
		strbuf_adds(&svg->b, "<g><title>too thin to draw: ");
		strbuf_add_digits(&svg->b, run->nr);
		strbuf_adds(&svg->b, " boxes (");
		svg_add_amount(svg, run->total);
		svg_add_share(svg, run->total);
		strbuf_adds(&svg->b, ")</title>");
		add_rect(svg, picture_edge(p, run->start), picture_run_end(p, run),
			 picture_row(p, run->depth) + low, sliver);
		strbuf_adds(&svg->b, "/></g>\n");
		svg_flush_some(svg);
	}
}

static void write_slivers(struct svg *svg)
{
	strbuf_adds(&svg->b, "<g id=\"slivers\" fill=\"#c5cad0\">\n");
	for (size_t i = 0; i < svg->nr_pictures; i++) {
		svg->p = &svg->pictures[i];
		write_slivers_of_picture(svg);
	}
	strbuf_adds(&svg->b, "</g>\n");
}

void svg_write_boxes(struct svg *svg)
{
	write_group(svg, "boxes", write_box);
	write_slivers(svg);
	write_group(svg, "labels", write_label);
}
