/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_kinds.h: how the picture says a frame's kind: a letter in its data, a word in the legend, and
 * on labels also by how they are written, for those who cannot tell the colours.
 */
#ifndef WICK_EMIT_SVG_KINDS_H
#define WICK_EMIT_SVG_KINDS_H

#include "tree.h"

struct svg_kind {
	char letter; /* in the data, and the class of labels */
	const char *legend;
};

static const struct svg_kind svg_kinds[NR_FRAME_KINDS] = {
	[FRAME_USER] = {'u', "user"},	     [FRAME_KERNEL] = {'k', "kernel"},
	[FRAME_INLINED] = {'i', "inlined"},  [FRAME_JIT] = {'j', "JIT"},
	[FRAME_WAKER] = {'w', "waker"},	     [FRAME_GROUP] = {'g', "group"},
	[FRAME_NOTE] = {'n', "no function"}, [FRAME_GONE] = {'x', "gone"},
};

#endif
