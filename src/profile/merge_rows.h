/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge_rows.h: rows of one profile in another one. Tables are taken over in the order in which one
 * refers to another, and for each row it is kept which one it has become.
 */
#ifndef PROFILE_MERGE_ROWS_H
#define PROFILE_MERGE_ROWS_H

#include "profile.h"

struct merged_rows {
	struct profile *to;
	const struct profile *from;
	u64 shift;	/* what is added to times */
	u32 first_host; /* of its hosts in `to`; its row 0 is the first, if it has no other */
	/* The files of `to`: one of the same path and build id is the same. NULL: none is. */
	struct table *files_of_run;
	/* By row of `from`. */
	u32 *functions, *sources, *files, *images, *legs, *frames, *stacks, *hops, *chains,
		*objects;
};

/* All dictionaries but samples. The hosts have to be there. */
void merged_rows_init(struct merged_rows *m);
void merged_rows_release(struct merged_rows *m);

u32 merged_string(const struct merged_rows *m, u32 ref);
/* What identifies a sample; its columns are 0. */
struct sample merged_sample(const struct merged_rows *m, const struct sample *sample);
struct block merged_block(const struct merged_rows *m, const struct block *block);

#endif
