/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walks.h: samples whose user stack came as a copy, until it has been walked.
 *
 * A walk needs the tables of all files it passes through. A file that nobody has sampled before has
 * none yet; it is made behind (files.h), and the sample waits here, with the mappings of its
 * own moment, which a later exec or exit of its process does not touch.
 */
#ifndef COLLECT_WALKS_H
#define COLLECT_WALKS_H

#include "files.h"
#include "mappings.h"
#include "processes.h"
#include "profile.h"
#include "tables.h"

struct walks;

/* A sample whose leg and kernel stack are rows of the profile already. */
struct walk_sample {
	const struct wick_copy_body *copy; /* and the stack behind it: copied */
	struct mappings *mappings; /* a reference that the walk takes over; NULL: not known */
	u32 leg, kernel, chain, image;
};

/* `rows`: walk by unwind tables; else by frame pointers only. `tables` is told what BPF has met. */
struct walks *walks_new(struct profile *profile, struct files *files, struct processes *processes,
			struct tables *tables, bool rows);
void walks_free(struct walks *w);

/* BPF has met a file that it does not know, at that address. */
void walks_learn(struct walks *w, const struct wick_file_key *key, const struct mappings *mappings,
		 u64 address);
/* Walks at once if it can, else keeps the sample. */
void walks_add(struct walks *w, const struct walk_sample *sample);
/* Tries again what waits. */
void walks_retry(struct walks *w);
/* After the run: waits for tables until `deadline_ns`, then walks with what there is. */
void walks_finish(struct walks *w, u64 deadline_ns);

#endif
