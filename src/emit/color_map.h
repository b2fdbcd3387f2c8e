/* SPDX-License-Identifier: GPL-2.0-or-later */
/* color_map.h: a colour that a function has had in other pictures: see emit.h. */
#ifndef WICK_EMIT_COLOR_MAP_H
#define WICK_EMIT_COLOR_MAP_H

#include "base/strings.h"
#include "emit.h"

/* 0xRRGGBB of a function, which is that of `otherwise` from now on if it has none. */
u32 color_map_color(struct color_map *map, struct string name, u32 otherwise);

#endif
