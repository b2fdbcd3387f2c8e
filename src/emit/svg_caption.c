/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg_caption.c: what stands above the boxes and below them. */
#include "base/numbers.h"
#include "label.h"
#include "svg_kinds.h"
#include "svg_parts.h"
#include "xml.h"

static void write_title(struct svg *svg)
{
	const char *title = svg->caption->title;
	_cleanup_strbuf_ struct strbuf safe = {}, cut = {};

	strbuf_add_safe_utf8(&safe, title, strlen(title));
	strbuf_add_cut(&cut, (struct string){safe.s ? safe.s : "", safe.size},
		       (svg->p->width - 2 * PAD) / TITLE_CHAR);
	strbuf_addf(&svg->b, "<text id=\"title\" x=\"%d\" y=\"%u\" font-size=\"%g\">", PAD,
		    PAD + svg->p->title - 10,
		    svg->caption->font_size > 0 ? svg->caption->font_size + 5 : 16);
	xml_add(&svg->b, (struct string){cut.s ? cut.s : "", cut.size});
	strbuf_adds(&svg->b, "</text>\n");
}

/* Returns where the next line's baseline is. */
static unsigned int write_subtitle(struct svg *svg, unsigned int y)
{
	const char *at = svg->caption->subtitle;
	struct string line;

	while (at && label_wrap(&at, picture_columns(svg->p), &line)) {
		strbuf_addf(&svg->b, "<text class=\"subtitle\" x=\"%d\" y=\"%u\">", PAD, y);
		xml_add_bytes(&svg->b, line.s, line.size);
		strbuf_adds(&svg->b, "</text>\n");
		y += svg->p->line;
	}
	return y;
}

/* `paint`: attributes of the swatch. */
static void write_painted_swatch(struct svg *svg, const char *text, const char *class,
				 const char *paint, unsigned int x, unsigned int y)
{
	strbuf_addf(&svg->b, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" %s/>", x, y - 9,
		    paint);
	strbuf_addf(&svg->b, "<text class=\"%s\" x=\"%u\" y=\"%u\">%s</text>\n", class, x + 14, y,
		    text);
}

static void write_swatch(struct svg *svg, const char *text, const char *class, u32 color,
			 unsigned int x, unsigned int y)
{
	_cleanup_free_ char *paint = format("fill=\"#%06x\"", color);

	write_painted_swatch(svg, text, class, paint, x, y);
}

/* Returns where the next one has room. */
static unsigned int after_swatch(const struct svg *svg, unsigned int x, const char *text)
{
	return x + 14 + (unsigned int)((strlen(text) + 2) * svg->p->char_width / 1000);
}

static bool has_gone(const struct svg *svg)
{
	for (size_t i = 0; i < svg->nr_pictures; i++)
		if (svg->pictures[i].gone || svg->pictures[i].is_gone)
			return true;
	return false;
}

static void write_delta_legend(struct svg *svg, unsigned int y)
{
	static const char more[] = "more than before", less[] = "less";
	bool negate = svg->caption->negate, blind = svg->caption->color_blind;
	unsigned int x = PAD;

	strbuf_adds(&svg->b, "<g id=\"legend\">\n");
	write_swatch(svg, more, "", palette_delta(!negate, 1, 1, blind), x, y);
	x = after_swatch(svg, x, more);
	write_swatch(svg, less, "", palette_delta(negate, 1, 1, blind), x, y);
	x = after_swatch(svg, x, less);
	if (svg->caption->before_factor > 0)
		write_painted_swatch(svg, "new", "new", "fill=\"#fff\" class=\"new\"", x, y);
	x = after_swatch(svg, x, "new");
	if (has_gone(svg))
		write_painted_swatch(svg, "gone", "gone", "fill=\"url(#hatch)\"", x, y);
	strbuf_adds(&svg->b, "</g>\n");
}

/* Only the kinds that there are; one alone needs no explanation. */
static void write_legend(struct svg *svg, unsigned int y)
{
	unsigned int x = PAD, kinds = svg->p->kinds;

	if (__builtin_popcount(kinds) < 2)
		return;
	strbuf_adds(&svg->b, "<g id=\"legend\">\n");
	for (size_t k = 0; k < NR_FRAME_KINDS; k++) {
		if (!(kinds & 1u << k))
			continue;
		write_swatch(svg, svg_kinds[k].legend, (char[]){svg_kinds[k].letter, 0},
			     palette_color(svg->p->palette, (struct string){"", 0},
					   (enum frame_kind)k, SHADES_BY_NAME),
			     x, y);
		x = after_swatch(svg, x, svg_kinds[k].legend);
	}
	strbuf_adds(&svg->b, "</g>\n");
}

static void write_background(struct svg *svg)
{
	const char *name = svg->caption->background, *top, *bottom;

	if (name && palette_background(name, &top, &bottom))
		strbuf_addf(&svg->b,
			    "<defs><linearGradient id=\"gradient\" x1=\"0\" y1=\"0\" x2=\"0\" "
			    "y2=\"1\"><stop stop-color=\"%s\" offset=\"5%%\"/><stop "
			    "stop-color=\"%s\" offset=\"95%%\"/></linearGradient></defs>\n",
			    top, bottom);
	strbuf_addf(&svg->b, "<rect id=\"background\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
		    svg->p->width, svg->p->height, name ? "url(#gradient)" : "#fff");
}

/* What is gone is filled with it. */
static void write_hatch(struct svg *svg)
{
	if (has_gone(svg))
		strbuf_adds(&svg->b,
			    "<pattern id=\"hatch\" width=\"6\" height=\"6\" "
			    "patternUnits=\"userSpaceOnUse\" "
			    "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" "
			    "fill=\"#e6e9ec\"/><rect width=\"2\" height=\"6\" "
			    "fill=\"#c3c9d0\"/></pattern>\n");
}

void svg_write_caption(struct svg *svg)
{
	unsigned int y = PAD + svg->p->line - 4;

	write_background(svg);
	write_hatch(svg);
	if (svg->caption->title) {
		write_title(svg);
		y += svg->p->title;
	}
	y = write_subtitle(svg, y);
	if (picture_is_differential(svg->p))
		write_delta_legend(svg, y);
	else if (picture_has_legend(svg->p))
		write_legend(svg, y);
}

static void add_thin(struct svg *svg, const struct picture *p)
{
	bool one = p->nr_thin == 1;

	strbuf_add_value(&svg->b, p->nr_thin, &(struct unit){.name = "", .divisor = 1});
	strbuf_adds(&svg->b, one ? " box (" : " boxes (");
	strbuf_add_percent(&svg->b, p->thin, picture_all(p), 2);
	strbuf_adds(&svg->b, one ? "%) is too thin to draw" : "%) are too thin to draw");
}

void svg_write_bar(struct svg *svg)
{
	bool first = true;

	strbuf_addf(&svg->b, "<text id=\"thin\" x=\"%d\" y=\"%u\">", PAD, svg->p->height - PAD);
	for (size_t i = 0; i < svg->nr_pictures; i++) {
		const struct picture *p = &svg->pictures[i];

		if (!p->nr_thin)
			continue;
		strbuf_adds(&svg->b, first ? "" : "; ");
		strbuf_adds(&svg->b, p->heading ? p->heading : "");
		strbuf_adds(&svg->b, p->heading ? ": " : "");
		add_thin(svg, p);
		first = false;
	}
	strbuf_adds(&svg->b, "</text>\n");
}
