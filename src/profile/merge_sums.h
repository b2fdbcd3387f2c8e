/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_sums.h: what a profile has one of, added to that of another one. */
#ifndef PROFILE_MERGE_SUMS_H
#define PROFILE_MERGE_SUMS_H

#include "merge_rows.h"

/* What was observed, and what is known of it. */
void merged_facts(const struct merged_rows *m);
void merged_losses(const struct merged_rows *m);
/* What `from` has that `before` has not. */
void merged_memory(struct memory_account *to, const struct memory_account *from,
		   const struct memory_account *before);

#endif
