/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shelf.h: the unwind rows that BPF can read: a bounded number of chunks, which regions of files
 * share.
 *
 * A file has its regions as long as BPF knows it (struct wick_file); each has rows or, to be asked
 * for by the next sample that needs them, none. When there is no room for rows that are wanted,
 * others have to leave, those first that were not used for longest. A program may be walking in
 * them at that moment, so their room is given away only when no program is running any more that
 * was running then:
 *
 *	shelf_make_room()	unlinks
 *	...			the caller waits for running programs: see counts_flip()
 *	shelf_reclaim()		the room is free
 *
 * What was used within the last second stays. If it is all in use, then what else is wanted has no
 * rows here, and its stacks are sent and walked in user space: dearer, not worse.
 */
#ifndef PUBLISH_SHELF_H
#define PUBLISH_SHELF_H

#include "base/base.h"
#include "unwind.h"
#include "unwinder.h"

/* The maps of bpf/unwind_rows.h. */
struct shelf_memory {
	struct wick_region *regions; /* WICK_REGIONS of them */
	u32 *clock;		     /* rows_clock */
	/*
	 * The words of a chunk that programs find under this number. Numbers come in order.
	 * -EAGAIN: it is being made; other errors: there is none to be had.
	 */
	int (*add_chunk)(void *ctx, u32 number, u32 **words);
	void *ctx;
};

struct shelf_stats {
	u64 bytes, max_bytes; /* of rows */
	u64 nr_regions, nr_evicted;
};

struct shelf;

struct shelf *shelf_new(const struct shelf_memory *memory, u64 max_bytes);
void shelf_free(struct shelf *s);

/* Tells programs what time it is. */
void shelf_tick(struct shelf *s, u64 now_ns);

/*
 * Regions for the segments of a file, from *first on, without rows; one for a file that has none.
 * -ENOSPC.
 */
int shelf_add_file(struct shelf *s, const struct unwind_table *table, u32 first_segment, u32 nr,
		   u32 *first);
/* BPF does not know the file any more, but may not have noticed. */
void shelf_remove_file(struct shelf *s, u32 first, u32 nr);
/* When rows of the file were used last, or the file was met: on the clock of programs. */
u32 shelf_file_used(const struct shelf *s, u32 first, u32 nr);
bool shelf_is_idle(const struct shelf *s, u32 used);

/*
 * Brings the rows of a region. -ENOSPC: there is no room now, shelf_make_room() will see to that;
 * -EAGAIN: room is being made; -EFBIG: there never will be, or the table is another one than
 * shelf_add_file() was told of.
 */
int shelf_put(struct shelf *s, u32 region, const struct unwind_table *table, u32 segment);
bool shelf_has(const struct shelf *s, u32 region);

void shelf_make_room(struct shelf *s);
void shelf_reclaim(struct shelf *s);

struct shelf_stats shelf_stats(const struct shelf *s);

#endif
