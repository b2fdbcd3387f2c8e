/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h: user stacks that came as copies, until they have been walked.
 *
 * A walk needs the tables of all files it passes through. A file that is sampled for the first time
 * has none yet; it is made by files.h's workers, and the copy waits here, with the mappings of its
 * own moment, which a later exec or exit of its process does not touch.
 */
#ifndef FOLLOW_COPIES_H
#define FOLLOW_COPIES_H

#include "follow.h"
#include "mappings.h"
#include "processes.h"
#include "profile.h"

struct copies;

struct walk_copy {
	const struct wick_copy_body *copy; /* and the stack that follows it: copied */
	struct mappings *mappings; /* a reference that the walk takes over; NULL: not known */
	u32 image;
	u32 row; /* the stack's, reserved */
};

/*
 * `rows`: walk by unwind tables; else by frame pointers only. `wanted` is told what BPF has met.
 * Above `max_bytes` of copies that wait, they are walked with the tables there are.
 */
struct copies *copies_new(struct profile *profile, struct files *files, struct processes *processes,
			  struct wanted_sink wanted, bool rows, u64 max_bytes);
void copies_free(struct copies *w);

/* Walks at once if it can, else keeps the copy. */
void copies_add(struct copies *w, const struct walk_copy *copy);
/* Tries again what waits, if something has come since the last time. */
void copies_retry(struct copies *w);
/*
 * After the run: waits for tables until `deadline_ns`, then walks with what there is; Python's
 * frames may take a little longer.
 */
void copies_finish(struct copies *w, u64 deadline_ns);

/* Those with a frame of Python's evaluator. */
u64 copies_nr_python(const struct copies *w);
u64 copies_nr(const struct copies *w);

#endif
