/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * publish.h: what BPF is told of files: the number that frames in them have, and their unwind rows.
 *
 * BPF walks with the rows of the files it has been told of. Where it meets another, or a part of one whose rows are
 * not there, it sends the stack and says which that was; the file's table is made behind (files.h), and that part
 * of it published here (shelf.h) when it is there. So only what is sampled has rows in the kernel, and each
 * is sent for once.
 *
 * All of it is bounded. What was not used for longest makes room for what is wanted: rows, and files, which BPF
 * does not know then until it meets them again.
 */
#ifndef PUBLISH_PUBLISH_H
#define PUBLISH_PUBLISH_H

#include "collect.h"
#include "follow/mappings.h"
#include "follow/processes.h"
#include "wick.h"

struct tables;

/* The maps of bpf/mappings.h and bpf/rows.h. */
struct tables_maps {
	int known_files, regions, chunks;
	u64 *epoch; /* known_files_epoch */
	u32 *clock; /* rows_clock */
};

/* `rows`: whether there shall be any; else frame pointers are all that BPF walks by. */
struct tables *tables_new(struct profile *profile, struct files *files, struct processes *processes,
			  bool rows);
void tables_free(struct tables *t);
/* Until then wishes are kept. At most so many bytes of rows. */
int tables_attach(struct tables *t, const struct tables_maps *maps, u64 max_bytes);

/* BPF has met what it does not know, in this mapping; NULL: nobody knows what is mapped there. */
void tables_want(struct tables *t, const struct wick_copy_body *copy,
		 const struct mapping *mapping);
/* Publishes what has become ready. */
void tables_retry(struct tables *t);

/* What has to leave is unlinked; then programs have to end that are running; then its room is free. */
void tables_make_room(struct tables *t);
void tables_reclaim(struct tables *t);

/* Some are being made. */
bool tables_pending(const struct tables *t);

void tables_cost(const struct tables *t, struct rows_cost *cost);

#endif
