/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rows_maps.h"

#include <bpf/bpf.h>
#include <sys/mman.h>

#include "wick.h"
#include "wick.skel.h"

enum {
	REGIONS_BYTES = WICK_REGIONS * sizeof(struct wick_region),
};

static void *map_memory(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int rows_maps_open(struct rows_maps *m, struct wick_bpf *skeleton, u32 max_chunks)
{
	m->pythons = bpf_map__fd(skeleton->maps.pythons);
	m->javas = bpf_map__fd(skeleton->maps.javas);
	m->known_files = bpf_map__fd(skeleton->maps.known_files);
	m->chunks = chunk_maker_new(bpf_map__fd(skeleton->maps.chunks), max_chunks);
	m->regions = map_memory(bpf_map__fd(skeleton->maps.regions), REGIONS_BYTES);
	return m->regions ? 0 : -errno;
}

int rows_maps_add_chunk(struct rows_maps *m, u32 number, u32 **words)
{
	return chunk_maker_take(m->chunks, number, words);
}

int rows_maps_set_file(struct rows_maps *m, const struct wick_file_key *key,
		       const struct wick_file *file)
{
	return bpf_map_update_elem(m->known_files, key, file, BPF_ANY) ? -errno : 0;
}

int rows_maps_set_python(struct rows_maps *m, u32 row, const struct wick_python *python)
{
	return bpf_map_update_elem(m->pythons, &row, python, BPF_ANY) ? -errno : 0;
}

/* One that finds no room is walked by frame pointers. */
void rows_maps_set_java(struct rows_maps *m, u32 pid, const struct wick_java *java)
{
	if (java)
		bpf_map_update_elem(m->javas, &pid, java, BPF_ANY);
	else
		bpf_map_delete_elem(m->javas, &pid);
}

int rows_maps_remove_file(struct rows_maps *m, const struct wick_file_key *key)
{
	return bpf_map_delete_elem(m->known_files, key) ? -errno : 0;
}

void rows_maps_release(struct rows_maps *m)
{
	chunk_maker_free(m->chunks);
	if (m->regions)
		munmap(m->regions, REGIONS_BYTES);
}
