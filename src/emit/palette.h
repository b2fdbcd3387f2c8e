/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.h: what colour a box has. A colour depends on the name and the kind alone, so that a
 * function looks the same everywhere, in every picture; unless shades at random are asked for.
 */
#ifndef WICK_EMIT_PALETTE_H
#define WICK_EMIT_PALETTE_H

#include "base/strbuf.h"
#include "emit.h"
#include "tree.h"

struct palette;

/* NULL names the palette that shows kinds. Returns NULL when there is none of that name. */
const struct palette *palette_find(const char *name);
/* 0xRRGGBB */
u32 palette_color(const struct palette *palette, struct string name, enum frame_kind kind,
		  enum shades shades);
/* Do its colours say which kind a frame is of? */
bool palette_shows_kinds(const struct palette *palette);
/*
 * Is a label on this colour white, not black? The one of the two that has more contrast: 4.58:1 or
 * more on any colour, by WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
 */
bool palette_label_is_light(u32 color);
/* Of a differential: white where nothing changed, red or blue for the largest delta. */
u32 palette_delta(bool more, u64 delta, u64 largest, bool color_blind);
/* A gradient's ends, as #rrggbb; false: there is no background of that name. */
bool palette_background(const char *name, const char **top, const char **bottom);

#endif
