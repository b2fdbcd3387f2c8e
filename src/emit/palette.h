/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.h: what colour a box has. A colour depends on the name and the kind alone, so that a
 * function looks the same everywhere, in every picture.
 */
#ifndef WICK_EMIT_PALETTE_H
#define WICK_EMIT_PALETTE_H

#include "base/strbuf.h"
#include "tree.h"

struct palette;

/* NULL names the palette that shows kinds. Returns NULL when there is none of that name. */
const struct palette *palette_find(const char *name);
/* 0xRRGGBB */
u32 palette_color(const struct palette *palette, struct string name, enum frame_kind kind);

#endif
