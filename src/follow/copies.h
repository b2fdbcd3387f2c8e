/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h: user stacks that came as copies, until they have been walked.
 *
 * A walk needs the tables of all files it passes through. A file that nobody has sampled before has
 * none yet; it is made behind (files.h), and the copy waits here, with the mappings of its
 * own moment, which a later exec or exit of its process does not touch.
 */
#ifndef FOLLOW_COPIES_H
#define FOLLOW_COPIES_H

#include "files.h"
#include "mappings.h"
#include "processes.h"
#include "profile.h"
#include "publish/publish.h"

struct walks;

struct walk_copy {
	const struct wick_copy_body *copy; /* and the stack behind it: copied */
	struct mappings *mappings; /* a reference that the walk takes over; NULL: not known */
	u32 image;
	u32 row; /* the stack's, reserved */
};

/* `rows`: walk by unwind tables; else by frame pointers only. `tables` is told what BPF has met. */
struct walks *walks_new(struct profile *profile, struct files *files, struct processes *processes,
			struct tables *tables, bool rows);
void walks_free(struct walks *w);

/* Walks at once if it can, else keeps the copy. */
void walks_add(struct walks *w, const struct walk_copy *copy);
/* Tries again what waits, if something has come since the last time. */
void walks_retry(struct walks *w);
/* After the run: waits for tables until `deadline_ns`, then walks with what there is. */
void walks_finish(struct walks *w, u64 deadline_ns);

u64 walks_nr_copies(const struct walks *w);

#endif
