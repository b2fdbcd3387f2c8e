/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing.h: what a host lacks costs the views that need it, and not the others. */
#ifndef CMD_MISSING_H
#define CMD_MISSING_H

#include "options.h"

/*
 * Takes the views out of a drawing of several that cannot be drawn on this host, and says so on
 * standard error, once for each reason. -ENOTSUP with a text where none is left, or where it was
 * the only one.
 */
int leave_out_missing(struct drawing *drawing, struct error *error);

#endif
