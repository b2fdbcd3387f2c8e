/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "look.h"

#include "base/strbuf.h"
#include "values.h"

enum look_key {
	OPT_FORMAT = LOOK_KEYS,
	OPT_TITLE,
	OPT_SUBTITLE,
	OPT_COLORS,
	OPT_WIDTH,
	OPT_MINWIDTH,
	OPT_REVERSE,
	OPT_INVERTED,
	OPT_ANNOTATE,
	OPT_HEIGHT,
	OPT_FONTTYPE,
	OPT_FONTSIZE,
	OPT_FONTWIDTH,
	OPT_ENCODING,
	OPT_NAMETYPE,
	OPT_BGCOLORS,
	OPT_HASH,
	OPT_RANDOM,
	OPT_NOTES,
	OPT_USAGE,
};

const struct argp_option look_rows[] = {
	{.doc = "What to write:", .group = 2},
	OPTION("output", 'o', "FILE",
	       "may be repeated; the suffix says the format; - is standard output"),
	OPTION("format", OPT_FORMAT, "NAME",
	       "the format, where no suffix says it; see `wick list`"),
	OPTION("folded", 'f', NULL, "short for -o - --format folded"),
	OPTION("annotate", OPT_ANNOTATE, NULL,
	       "frame suffixes: _[k] kernel, _[i] inlined, _[j] JIT, _[w] waker"),
	OPTION("title", OPT_TITLE, "TEXT", "title of the picture"),
	OPTION("subtitle", OPT_SUBTITLE, "TEXT",
	       "replaces the line that says where the picture comes from"),
	OPTION("colors", OPT_COLORS, "NAME",
	       "palette, as in flamegraph.pl: hot, mem, io, java, ..."),
	OPTION("width", OPT_WIDTH, "PIXELS", "of the picture (as wide as the window)"),
	OPTION("height", OPT_HEIGHT, "PIXELS", "of a box, with the line below it (16)"),
	OPTION("minwidth", OPT_MINWIDTH, "PIXELS|N%",
	       "narrower boxes are not drawn; with %, boxes of less than that part of all (0.1)"),
	OPTION("fonttype", OPT_FONTTYPE, "FONT",
	       "font family, or several: Verdana, sans-serif (monospaced)"),
	OPTION("fontsize", OPT_FONTSIZE, "PIXELS", "of the font (11)"),
	OPTION("fontwidth", OPT_FONTWIDTH, "NUMBER",
	       "of a letter, relative to the font's size: names are cut by it (0.609)"),
	OPTION("bgcolors", OPT_BGCOLORS, "COLOR",
	       "background: yellow, blue, green, grey, or #rrggbb (white)"),
	OPTION("hash", OPT_HASH, NULL, "functions whose names begin alike have colors alike"),
	OPTION("random", OPT_RANDOM, NULL, "colors at random, others each time"),
	OPTION("nametype", OPT_NAMETYPE, "TEXT",
	       "what names are; stands in front of the one pointed at"),
	OPTION("notes", OPT_NOTES, "TEXT", "put into the file, not shown"),
	OPTION("encoding", OPT_ENCODING, "NAME",
	       "of the SVG file: UTF-8, or a superset of ASCII, like ISO-8859-1 (UTF-8)"),
	OPTION("reverse", OPT_REVERSE, NULL, "stacks from leaf to root"),
	OPTION("inverted", OPT_INVERTED, NULL, "roots at the top (icicle)"),
	/* argp names it in each of its errors. */
	{.name = "usage", .key = OPT_USAGE, .flags = OPTION_HIDDEN},
	{},
};

static bool is_last(const struct argp_option *row)
{
	return !row->name && !row->key && !row->doc && !row->group;
}

void append_rows(struct argp_option *to, size_t room, const struct argp_option *rows)
{
	size_t at = 0, nr = 1;

	while (!is_last(&to[at]))
		at++;
	while (!is_last(&rows[nr - 1]))
		nr++;
	assert(at + nr <= room);
	memcpy(to + at, rows, nr * sizeof(*rows));
}

void look_add_output(struct look *look, const char *path, const struct format *format)
{
	*vec_add(&look->outputs) = (struct output_option){.path = path, .format = format};
}

static error_t parse_output(struct look *look, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'o':
		look_add_output(look, arg, strcmp(arg, "-") ? format_by_path(arg) : NULL);
		return 0;
	case 'f':
		look_add_output(look, "-", format_by_name("folded"));
		return 0;
	case OPT_FORMAT:
		look->format = named_format(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Letters, sizes, and what stands beside the boxes. */
static error_t parse_text(struct look *look, int key, char *arg, struct argp_state *state)
{
	struct caption *caption = &look->caption;

	switch (key) {
	case OPT_TITLE:
		caption->title = arg;
		return 0;
	case OPT_SUBTITLE:
		caption->subtitle = arg;
		return 0;
	case OPT_NAMETYPE:
		caption->name_type = arg;
		return 0;
	case OPT_NOTES:
		caption->notes = arg;
		return 0;
	case OPT_FONTTYPE:
		caption->font = checked_font(arg, state);
		return 0;
	case OPT_FONTSIZE:
		caption->font_size = number(arg, 1, 100, "font size", state);
		return 0;
	case OPT_FONTWIDTH:
		caption->char_width = number(arg, 0.01, 10, "font width", state);
		return 0;
	case OPT_ENCODING:
		caption->encoding = checked_encoding(arg, state);
		return 0;
	}
	return parse_output(look, key, arg, state);
}

static void set_min_width(struct caption *caption, const char *arg, struct argp_state *state)
{
	size_t size = strlen(arg);
	bool percent = size && arg[size - 1] == '%';
	_cleanup_free_ char *text = format("%.*s", (int)(size - percent), arg);

	caption->max_boxes = 0;
	if (percent)
		caption->min_percent = number(text, 0, 100, "minimum width in percent", state);
	else
		caption->min_width = number(text, 0, 1000, "minimum width", state);
}

error_t look_parse(struct look *look, int key, char *arg, struct argp_state *state)
{
	struct caption *caption = &look->caption;

	switch (key) {
	case OPT_COLORS:
		caption->colors = named_palette(arg, state);
		return 0;
	case OPT_BGCOLORS:
		caption->background = named_background(arg, state);
		return 0;
	case OPT_HASH:
		caption->shades = SHADES_ALIKE;
		return 0;
	case OPT_RANDOM:
		caption->shades = SHADES_AT_RANDOM;
		return 0;
	case OPT_WIDTH:
		caption->width = (unsigned int)whole_number(arg, 200, 20000, "width", state);
		return 0;
	case OPT_HEIGHT:
		caption->row_height = (unsigned int)whole_number(arg, 2, 200, "height", state);
		return 0;
	case OPT_MINWIDTH:
		set_min_width(caption, arg, state);
		return 0;
	case OPT_REVERSE:
		caption->reverse = true;
		return 0;
	case OPT_INVERTED:
		caption->inverted = true;
		return 0;
	case OPT_ANNOTATE:
		caption->annotate = true;
		return 0;
	case OPT_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	}
	return parse_text(look, key, arg, state);
}

/* ".svg, .folded or .txt" */
static void add_suffixes(struct strbuf *to)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		strbuf_add_listed(to, formats[i]->suffix, i, NR_FORMATS, "or");
}

/* --format may stand after the -o that it is for. */
void look_choose_formats(struct look *look, struct argp_state *state)
{
	_cleanup_strbuf_ struct strbuf suffixes = {};

	add_suffixes(&suffixes);
	vec_for_each (&look->outputs, output) {
		if (!output->format)
			output->format = look->format;
		if (!output->format && output->path && strcmp(output->path, "-"))
			argp_error(state,
				   "no format has the suffix of '%s'; name one with --format, or "
				   "use %s",
				   output->path, suffixes.s);
		if (!output->format)
			output->format = format_by_name("text");
	}
}

void look_release(struct look *look)
{
	vec_release(&look->outputs);
}
