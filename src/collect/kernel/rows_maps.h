/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows_maps.h: the BPF maps that publish.h writes through its sink. */
#ifndef COLLECT_KERNEL_ROWS_MAPS_H
#define COLLECT_KERNEL_ROWS_MAPS_H

#include "base/vec.h"
#include "publish.h"

struct wick_bpf;

/*
 * Embedded. Chunks and regions are mapped memory of the maps, whose descriptors are the skeleton's.
 */
struct rows_maps {
	int known_files, chunk_map;
	struct wick_region *regions;
	VEC(u32 *) chunks;
};

/* Maps the regions. A negative errno. */
int rows_maps_open(struct rows_maps *m, struct wick_bpf *skeleton);
u32 *rows_maps_add_chunk(struct rows_maps *m, u32 number);
int rows_maps_set_file(struct rows_maps *m, const struct wick_file_key *key,
		       const struct wick_file *file);
int rows_maps_remove_file(struct rows_maps *m, const struct wick_file_key *key);
void rows_maps_release(struct rows_maps *m);

#endif
