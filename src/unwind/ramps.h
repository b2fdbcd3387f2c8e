/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ramps.h: half of all rows are pushes in prologues and pops in epilogues: the CFA offset grows or
 * shrinks by 8 with each, and they are one or two bytes of code apart. A run of them becomes one
 * row, which lookups take apart again (include/unwind.h, wick_unwind_ramp()).
 *
 * A run is packed only if taking it apart gives each of its rows again, so nothing is lost.
 */
#ifndef WICK_RAMPS_H
#define WICK_RAMPS_H

#include "base/base.h"

/* Packs a block's rows in place; returns how many are left. */
u32 ramps_pack(u32 *rows, u32 nr);

#endif
