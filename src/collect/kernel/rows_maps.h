/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows_maps.h: the BPF maps that publish.h writes through its sink. */
#ifndef COLLECT_KERNEL_ROWS_MAPS_H
#define COLLECT_KERNEL_ROWS_MAPS_H

#include "chunk_maker.h"
#include "publish.h"

struct wick_bpf;

/* Embedded. The regions are mapped memory of their map, whose descriptor is the skeleton's. */
struct rows_maps {
	int known_files, pythons, javas;
	struct wick_region *regions;
	struct chunk_maker *chunks;
};

/* Maps the regions. A negative errno. */
int rows_maps_open(struct rows_maps *m, struct wick_bpf *skeleton, u32 max_chunks);
/* As struct publish_sink has it. */
int rows_maps_add_chunk(struct rows_maps *m, u32 number, u32 **words);
int rows_maps_set_file(struct rows_maps *m, const struct wick_file_key *key,
		       const struct wick_file *file);
int rows_maps_set_python(struct rows_maps *m, u32 row, const struct wick_python *python);
/* How to walk through this process's code; NULL: as through any other's. */
void rows_maps_set_java(struct rows_maps *m, u32 pid, const struct wick_java *java);
int rows_maps_remove_file(struct rows_maps *m, const struct wick_file_key *key);
void rows_maps_release(struct rows_maps *m);

#endif
