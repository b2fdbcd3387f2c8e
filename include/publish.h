/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * publish.h: what BPF is told of files: the number that frames in them have, and their unwind rows.
 *
 * BPF walks with the rows of the files it has been told of. Where it meets another, or a part of
 * one whose rows are not there, it sends the stack and says which that was. The file's table is
 * made by files.h's workers, and that part of it published when it is there. So only what is
 * sampled has rows in the kernel, and each is sent for once.
 *
 * All of it is bounded. What was not used for longest makes room for what is wanted: rows, and
 * files, which BPF does not know then until it meets them again.
 *
 * Where BPF reads, this writes through a sink: the maps are src/collect/'s.
 */
#ifndef WICK_PUBLISH_H
#define WICK_PUBLISH_H

#include "files.h"
#include "mapping.h"
#include "run.h"
#include "unwind.h"
#include "wick.h"

struct publisher;

/* The maps of bpf/mappings.h and bpf/unwind_rows.h. They must outlive the publisher. */
struct publish_sink {
	struct wick_region *regions; /* WICK_REGIONS of them */
	u64 *epoch;		     /* known_files_epoch */
	u32 *clock;		     /* rows_clock */
	/*
	 * The words of a chunk that programs find under this number. Numbers come in order.
	 * -EAGAIN: it is being made; other errors: there is none to be had.
	 */
	int (*add_chunk)(void *ctx, u32 number, u32 **words);
	/*
	 * Programs know the file from now on, or no longer. A negative errno: it stays as it was.
	 */
	int (*set_file)(void *ctx, const struct wick_file_key *key, const struct wick_file *file);
	/* The row of the map `pythons`, before a file names it. */
	int (*set_python)(void *ctx, u32 row, const struct wick_python *python);
	int (*remove_file)(void *ctx, const struct wick_file_key *key);
	/*
	 * The content of the file in this mapping has changed since it was opened: announces it
	 * again. Its row in profile.files; 0: it is gone.
	 */
	u32 (*announce_again)(void *ctx, u32 pid, const struct mapping *mapping);
	void *ctx;
};

/* `rows`: whether there are any; without, frame pointers are all that BPF walks by. */
struct publisher *publisher_new(struct files *files, bool rows);
void publisher_free(struct publisher *t);
/* Until then wishes are kept. At most so many bytes of rows. */
void publisher_attach(struct publisher *t, const struct publish_sink *sink, u64 max_bytes);

/* BPF has met what it does not know, in this mapping; NULL: what is mapped there is not known. */
void publisher_want(struct publisher *t, const struct wick_copy_body *copy,
		    const struct mapping *mapping);
/* Publishes what has become ready. */
void publisher_retry(struct publisher *t);

/*
 * What has to leave is unlinked; then programs have to end that are running; then its room is free.
 */
void publisher_make_room(struct publisher *t);
void publisher_reclaim(struct publisher *t);

/* Some are being made. */
bool publisher_pending(const struct publisher *t);

void publisher_cost(const struct publisher *t, struct rows_cost *cost);

#endif
