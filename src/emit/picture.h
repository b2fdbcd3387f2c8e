/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h: where every box of a flame graph is, and what it is called; svg_boxes.c writes it
 * down.
 *
 * Geometry is in thousandths of a pixel, in whole numbers: an edge is floor(offset * width / all)
 * for every box that ends or begins there, so boxes touch exactly and none has a negative width.
 *
 * Boxes below caption->min_width are not drawn; siblings like that, one after the other, are a run.
 */
#ifndef WICK_EMIT_PICTURE_H
#define WICK_EMIT_PICTURE_H

#include "base/strbuf.h"
#include "emit.h"
#include "palette.h"

/* Pixels, if nothing else is said. The viewer has the same numbers. */
enum {
	ROW = 16, /* with one between two boxes */
	SLIVER = 4,
	PAD = 10,
	CHAR = 6700, /* thousandths; 11 px monospaced fonts are 6.6 wide or less */
	FONT_SIZE = 11,
	MIN_COLUMNS = 3,
	TITLE_CHAR = 10,
	TITLE = 28,
	LINE = 15,
	BAR = 24,
	WIDTH = 1200,
	MIN_WIDTH = 200,
};

/* A distinct frame, as it is shown. There can be a million of them. */
struct shown {
	u32 name;
	u32 module;
	enum frame_kind kind;
	u32 safe;  /* its name in picture.safe, if it had to be changed; else 0 */
	u32 lined; /* 1 + picture.lined's, if any of its nodes has lines; else 0 */
	u32 color;
	u32 next_of_name; /* another frame of this name; 0: none */
};

/* A node that is drawn. */
struct box {
	u32 node;
	u32 shown;
	u64 start; /* where it begins, as a value */
};

/* Siblings, one after the other, that are too thin to draw. */
struct run {
	u32 depth;
	u32 nr; /* nodes, with all below them */
	u64 start;
	u64 total;
};

struct picture {
	const struct call_tree *tree;
	const struct caption *caption;
	const struct palette *palette;
	struct strings safe; /* names that had to be changed */
	VEC(struct shown) shown;
	VEC(struct tree_frame) lined; /* with the lines of all nodes that show the same */
	unsigned int kinds;	      /* of all that is shown, a bit each */
	u32 *first_of_name;    /* by the tree's names: the first frame of that name; 0: none yet */
	VEC(struct box) boxes; /* in preorder */
	VEC(struct run) runs;
	unsigned int width, height, top, rows;
	/* Pixels: of a row, a line of text, the title's line; char_width in thousandths. */
	unsigned int row, line, title, char_width;
	double font_size;
	u64 least; /* what has less is too thin, however wide: there would be too many boxes */
	u64 largest_delta;   /* of a differential: what changed most, more or less */
	u64 span;	     /* the value that has the full width; the tree may have less */
	const char *heading; /* what the root's box is called; NULL: as its frame */
	u64 gone;	     /* of the width, what is drawn of stacks that are gone */
	const bool
		*is_gone; /* by node, of what was before: is it no longer? NULL: it is not that */
	u32 nr_thin;
	u64 thin;
};

/* What is called for each node, in preorder: which frame it shows. */
typedef void (*picture_visitor)(void *context, u32 node, u32 shown);

/*
 * Walks over the tree, once; the visitor may be NULL. The tree has the full width, unless `span` is
 * more than all there is in it. False: there is no such palette.
 */
bool picture_init(struct picture *p, const struct call_tree *tree, const struct caption *caption,
		  u64 span, picture_visitor visitor, void *context);
/* Where a picture of the same width is above it. */
void picture_put_below(struct picture *p, const struct picture *above);
void picture_release(struct picture *p);

/* The edges of a box, from the left end of the root's. */
u64 picture_left(const struct picture *p, const struct box *box);
u64 picture_right(const struct picture *p, const struct box *box);
/* Where `offset` of the values lies. */
u64 picture_edge(const struct picture *p, u64 offset);
/* The y of a row, in pixels. */
unsigned int picture_row(const struct picture *p, u32 depth);
bool picture_has_run(const struct picture *p, const struct run *run);
/* Its right edge. */
u64 picture_run_end(const struct picture *p, const struct run *run);
/* Safe to print, not yet safe in XML. */
struct string picture_name(const struct picture *p, const struct shown *s);
/* Kinds have colours of their own in some palettes only. */
bool picture_has_legend(const struct picture *p);
bool picture_is_differential(const struct picture *p);
/* 0xRRGGBB */
u32 picture_color(const struct picture *p, const struct box *box);
/* Where a label's baseline is below the row's y. */
unsigned int picture_baseline(const struct picture *p);
/* Columns of a line of text over the whole width. */
size_t picture_columns(const struct picture *p);

static inline u64 picture_all(const struct picture *p)
{
	return p->tree->at[0].total;
}

/* What percentages are of: all that there is now. */
static inline u64 picture_now(const struct picture *p)
{
	return picture_all(p) - p->gone;
}

static inline bool picture_is_gone(const struct picture *p, u32 node)
{
	return p->tree->at[node].frame.kind == FRAME_GONE || (p->is_gone && p->is_gone[node]);
}

/* Said only where the caller knows that nothing was there before. */
static inline bool picture_is_new(const struct picture *p, u32 node)
{
	return p->caption->before_factor > 0 && node && p->tree->before.nr &&
	       !picture_is_gone(p, node) && !tree_before(p->tree, node);
}

static inline const struct shown *picture_shown(const struct picture *p, const struct box *box)
{
	return &p->shown.at[box->shown];
}

#endif
