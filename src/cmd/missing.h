/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.h: what a host lacks, or a kernel refuses, costs the views that need it, and not the
 * others.
 */
#ifndef CMD_MISSING_H
#define CMD_MISSING_H

#include "options.h"

/*
 * Takes the views out of a drawing of several that cannot be drawn on this host, and says so on
 * standard error, once for each reason; they are in drawing.missing then. -ENOTSUP with a text
 * where none is left, or where it was the only one.
 */
int leave_out_missing(struct drawing *drawing, struct error *error);

/*
 * The same of those whose programs the kernel refuses, when it has refused what they take together:
 * each instrument is tried alone. `error` is that refusal's, and stays where no view is left, or
 * none has to go: -ENOEXEC then.
 */
int leave_out_refused(struct run_options *o, struct error *error);

#endif
