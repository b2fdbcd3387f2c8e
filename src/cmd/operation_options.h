/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operation_options.h: the options that leave something out of stacks, of all that draws. */
#ifndef CMD_OPERATION_OPTIONS_H
#define CMD_OPERATION_OPTIONS_H

#include <argp.h>

#include "base/strbuf.h"
#include "operation_sums.h"
#include "operations.h"
#include "unit.h"

extern const struct argp_option operation_rows[]; /* the last one is empty, as argp's are */

/* ARGP_ERR_UNKNOWN: none of operation_rows. Prints what is wrong, and exits. */
error_t operation_parse(struct operations *operations, int key, const char *arg,
			struct argp_state *state);
/* What they have left out by now, to be released with vec_release(). Texts stay the operations'. */
struct operation_sums operation_sums_of(const struct operations *operations,
					const struct unit *unit);
/*
 * Appends what was kept, of how much, and what each operation has left out; nothing where there are
 * none.
 */
void operation_sums_describe(struct strbuf *b, const struct operation_sums *sums);
void operations_describe(struct strbuf *b, const struct operations *operations,
			 const struct unit *unit);

#endif
