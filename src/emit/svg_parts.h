/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_parts.h: what svg.c puts together; one file a part of the picture.
 */
#ifndef WICK_EMIT_SVG_PARTS_H
#define WICK_EMIT_SVG_PARTS_H

#include "base/strbuf.h"
#include "emit.h"
#include "picture.h"

struct svg {
	const struct picture *p; /* of several the last one; in turn, while they are written */
	const struct picture *pictures;
	size_t nr_pictures; /* of which one is above the other */
	const struct caption *caption;
	FILE *out;
	struct strbuf b; /* what is about to be written, UTF-8 */
};

/* Writes out what is in the buffer, if that is `at_least` so much. */
void svg_flush(struct svg *svg, size_t at_least);
/* The same where there may be much of it: now and then is enough. */
void svg_flush_some(struct svg *svg);
/* Appends a text of the caller's, as XML. */
void svg_add_text(struct svg *svg, const char *text);
/* "1,234 samples", "1.23 ms", "4.56 MiB" */
void svg_add_amount(struct svg *svg, u64 value);
/* ", 12.34%" of all */
void svg_add_share(struct svg *svg, u64 value);

/* svg_caption.c: title, subtitle, legend; and what is too thin to draw. */
void svg_write_caption(struct svg *svg);
void svg_write_bar(struct svg *svg);
/* svg_boxes.c: boxes, runs of what is too thin, and the names on them. */
void svg_write_boxes(struct svg *svg);

/* svg_sides.c: the two profiles of a differential, as call trees of their own. */
struct svg_sides {
	struct call_tree before, now;
	VEC(bool) gone; /* by node of what was before: is it no longer? */
};

void svg_sides_init(struct svg_sides *sides, const struct call_tree *differential);
void svg_sides_release(struct svg_sides *sides);

/* svg_data.c: the tree, for the script. Its lines are made in the picture's own walk. */
struct svg_nodes {
	const struct call_tree *tree;
	struct strbuf text;
	u32 depth; /* of the node before this one */
	u32 nr;	   /* a tree that was pruned has fewer than it has room for */
	u32 nr_shown;
};

void svg_nodes_release(struct svg_nodes *nodes);
/* A picture_visitor; the context is a struct svg_nodes. */
void svg_add_node(void *nodes, u32 node, u32 shown);
/* Those that the nodes' data counts, from 1 on. */
void svg_add_class_names(struct svg *svg);
void svg_write_data(struct svg *svg, const struct svg_nodes *nodes);

#endif
