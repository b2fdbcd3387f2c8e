/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h: output formats. A format writes one finished call tree, or the weighted stacks that it
 * was made of, with its caption to a stream; it decides nothing about what is in them. A file in
 * src/emit/ and a line of FORMATS add one.
 *
 * Names are arbitrary bytes until a format writes them; each format has exactly one function that
 * escapes them. The same tree and caption give the same bytes.
 */
#ifndef WICK_EMIT_H
#define WICK_EMIT_H

#include "base/base.h"
#include "tree.h"
#include "unit.h"
#include "weighted.h"

/* Which shade of its hue a function has. */
enum shades {
	SHADES_BY_NAME,	  /* any, the same in every picture */
	SHADES_ALIKE,	  /* names that begin alike have shades alike */
	SHADES_AT_RANDOM, /* others each time */
};

struct color_map;
struct attributes;

/* What the picture says of itself, and how it wants to look. Strings are not owned. */
struct caption {
	const char *title;
	const char *subtitle; /* may be long: formats wrap it; NULL: none */
	struct unit unit;
	const char *colors; /* palette name as in flamegraph.pl; NULL: by the frames' kinds */
	unsigned int width; /* pixels; 0: as wide as the window, 1200 where there is no script */
	u32 max_boxes;	    /* of the SVG without its script; 0: all that are wide enough */
	double min_width;   /* boxes narrower than this many pixels are not drawn */
	double min_percent; /* nor what is less than that many percent of all */
	enum shades shades;
	struct color_map *color_map; /* the colours of functions that have one; NULL: none */
	const struct attributes *attributes; /* of functions; NULL: none */
	const char *background;		     /* background_exists(); NULL: white */
	const char *font;		     /* a family; NULL: monospaced */
	double font_size;		     /* pixels; 0: 11 */
	double char_width;		     /* of a character, relative to the size; 0: 0.609 */
	unsigned int row_height;	     /* pixels; 0: 16 */
	const char *encoding;  /* that the file declares; a superset of ASCII; NULL: UTF-8 */
	const char *name_type; /* what the names are, said where one is shown; NULL: nothing */
	const char *notes;     /* for who reads the file; NULL: none */
	bool inverted;	       /* icicle: roots at the top */
	bool reverse;	  /* the tree was built from leaf to root (the view did that; shown only) */
	bool negate;	  /* differential: less is red, more is blue */
	bool color_blind; /* differential: orange and purple instead */
	bool three;	  /* differential: what was before, what there is now, and the difference */
	/* By what the tree's values of before were multiplied; 0: not known, or no differential. */
	double before_factor;
	const char *view; /* which view of wick's it is, for who reads the file; NULL: none */
	bool annotate;	  /* write kinds as suffixes _[k] _[i] _[j] _[w] */
};

struct format {
	const char *name;   /* for --format and `wick list` */
	const char *suffix; /* of file names, with the dot */
	const char *summary;
	bool recorded;	    /* `record` writes it, where no other one is asked for */
	bool differentials; /* it shows what was before, where the tree has that */
	bool by_width;	    /* what has no value is not seen in it */
	enum format_waits {
		NO_WAITS,
		ALSO_WAITS, /* it draws the single waits of weighted stacks, too */
		ONLY_WAITS, /* and nothing else */
	} waits;
	/*
	 * Writes the whole file; a format has one of the two, by what it draws. The caller owns the
	 * stream, checks ferror() and flushes. Returns 0, or a negative errno with *error filled
	 * for what is wrong with the caption (unknown palette), or what the format has no room for
	 * (a sum above its largest number).
	 */
	int (*write)(const struct call_tree *tree, const struct caption *caption, FILE *out,
		     struct error *error);
	int (*write_stacks)(const struct weighted_stacks *stacks, const struct caption *caption,
			    FILE *out, struct error *error);
};

/* The same stacks, merged and not. What no format draws that is asked for may be NULL. */
struct drawn {
	const struct call_tree *tree;
	const struct weighted_stacks *stacks;
};

/* By the one that the format has. */
int format_write(const struct format *format, const struct drawn *drawn,
		 const struct caption *caption, FILE *out, struct error *error);

/*
 * The formats, in the order in which they are listed; each is a NAME_format in a file of src/emit/.
 */
#define FORMATS(X)                                                                                 \
	X(svg)                                                                                     \
	X(folded)                                                                                  \
	X(text)                                                                                    \
	X(pprof)                                                                                   \
	X(firefox)                                                                                 \
	X(speedscope)                                                                              \
	X(perfetto)

#define DECLARE_FORMAT(name) extern const struct format name##_format;
FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

#define ONE_FORMAT(name) +1
enum { NR_FORMATS = 0 FORMATS(ONE_FORMAT) };
#undef ONE_FORMAT

enum { FIRST_SCREEN = 3000 /* boxes: what a reader sees of them, at 150 bytes each */ };

extern const struct format *const formats[NR_FORMATS];

/* NULL when there is none of that name. */
const struct format *format_by_name(const char *name);
/* By the suffix of a path; NULL when no format has it. */
const struct format *format_by_path(const char *path);
/* Is there a palette of that name? */
bool palette_exists(const char *name);
/* yellow, blue, green, grey, or #rrggbb? */
bool background_exists(const char *name);
/* Appends the names of all palettes, separated by blanks. */
struct strbuf;
void palette_names(struct strbuf *b);

/*
 * Colours that functions keep from picture to picture, as `palette.map` of flamegraph.pl: lines
 * `name->rgb(1,2,3)`. Drawing adds the functions that have none yet.
 */
struct color_map *color_map_new(void);
void color_map_free(struct color_map *map);
/* -EINVAL with the line for what is none. */
int color_map_read(struct color_map *map, FILE *in, const char *file_name, struct error *error);
/* Sorted by name. */
void color_map_write(const struct color_map *map, FILE *out);

/*
 * Attributes of functions' boxes, as flamegraph.pl's --nameattr: lines of a name, and behind tabs
 * `key=value`. Keys are id, class, title (instead of the tooltip), href, target; g_extra and
 * a_extra have further attributes, as `key="value"`. None may run a script.
 */
struct attributes *attributes_new(void);
void attributes_free(struct attributes *attributes);
/* -EINVAL with the line for what is none. */
int attributes_read(struct attributes *attributes, FILE *in, const char *file_name,
		    struct error *error);

#endif
