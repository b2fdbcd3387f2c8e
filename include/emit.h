/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h: output formats. A format writes one finished call tree with its caption to a stream; it
 * decides nothing about what is in the tree. A file in src/emit/ and a line of FORMATS add one.
 *
 * Names are arbitrary bytes until a format writes them; each format has exactly one function that
 * escapes them. The same tree and caption give the same bytes.
 */
#ifndef WICK_EMIT_H
#define WICK_EMIT_H

#include "base/base.h"
#include "tree.h"

/* How the values of a tree are written: value / divisor, in `name`. */
struct unit {
	const char *name; /* "samples", "us", "bytes" */
	u64 divisor;	  /* 1 for samples; 1000 where values are ns and the unit is us */
	/* A reader gets words where there is room for them: */
	bool time;	       /* values are ns: "1.23 ms", "4.50 s" */
	bool bytes;	       /* "1.23 MiB" */
	unsigned int decimals; /* of values in folded text; the divisor is that power of ten then */
	double factor;	       /* what a value is multiplied with where it is shown; 0: as it is */
};

/* What the picture says of itself, and how it wants to look. Strings are not owned. */
struct caption {
	const char *title;
	const char *subtitle; /* may be long: formats wrap it; NULL: none */
	struct unit unit;
	const char *colors; /* palette name as in flamegraph.pl; NULL: by the frames' kinds */
	unsigned int width; /* pixels, 0: 1200 */
	double min_width;   /* boxes narrower than this many pixels are not drawn */
	bool inverted;	    /* icicle: roots at the top */
	bool reverse;	  /* the tree was built from leaf to root (the view did that; shown only) */
	bool negate;	  /* differential: less is red, more is blue */
	const char *view; /* which view of wick's it is, for who reads the file; NULL: none */
	bool annotate;	  /* write kinds as suffixes _[k] _[i] _[j] _[w] */
};

struct format {
	const char *name;   /* for --format and `wick list` */
	const char *suffix; /* of file names, with the dot */
	const char *summary;
	bool recorded; /* `record` writes it, where no other one is asked for */
	/*
	 * Writes the whole file. The caller owns the stream, checks ferror() and flushes.
	 * Returns 0, or a negative errno with *error filled for what is wrong with the caption
	 * (unknown palette).
	 */
	int (*write)(const struct call_tree *tree, const struct caption *caption, FILE *out,
		     struct error *error);
};

/*
 * The formats, in the order in which they are listed; each is a NAME_format in a file of src/emit/.
 */
#define FORMATS(X)                                                                                 \
	X(svg)                                                                                     \
	X(folded)                                                                                  \
	X(text)

#define DECLARE_FORMAT(name) extern const struct format name##_format;
FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

#define ONE_FORMAT(name) +1
enum { NR_FORMATS = 0 FORMATS(ONE_FORMAT) };
#undef ONE_FORMAT

extern const struct format *const formats[NR_FORMATS];

/* NULL when there is none of that name. */
const struct format *format_by_name(const char *name);
/* By the suffix of a path; NULL when no format has it. */
const struct format *format_by_path(const char *path);
/* Is there a palette of that name? */
bool palette_exists(const char *name);
/* Appends the names of all palettes, separated by blanks. */
struct strbuf;
void palette_names(struct strbuf *b);

#endif
