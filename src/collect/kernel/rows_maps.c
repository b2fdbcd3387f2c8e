/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rows_maps.h"

#include <bpf/bpf.h>
#include <sys/mman.h>

#include "wick.h"
#include "wick.skel.h"

enum {
	CHUNK_BYTES = WICK_CHUNK_WORDS * sizeof(u32),
	REGIONS_BYTES = WICK_REGIONS * sizeof(struct wick_region),
};

static void *map_memory(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int rows_maps_open(struct rows_maps *m, struct wick_bpf *skeleton)
{
	m->known_files = bpf_map__fd(skeleton->maps.known_files);
	m->chunk_map = bpf_map__fd(skeleton->maps.chunks);
	m->regions = map_memory(bpf_map__fd(skeleton->maps.regions), REGIONS_BYTES);
	return m->regions ? 0 : -errno;
}

/* The outer map keeps the chunk: its descriptor is not needed afterwards. */
u32 *rows_maps_add_chunk(struct rows_maps *m, u32 number)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "wick_rows", sizeof(u32),
						CHUNK_BYTES, 1, &options);
	u32 *words;

	if (fd < 0)
		return NULL;
	words = map_memory(fd, CHUNK_BYTES);
	if (!words)
		return NULL;
	if (bpf_map_update_elem(m->chunk_map, &number, &fd, BPF_ANY)) {
		munmap(words, CHUNK_BYTES);
		return NULL;
	}
	*vec_add(&m->chunks) = words;
	return words;
}

int rows_maps_set_file(struct rows_maps *m, const struct wick_file_key *key,
		       const struct wick_file *file)
{
	return bpf_map_update_elem(m->known_files, key, file, BPF_ANY) ? -errno : 0;
}

int rows_maps_remove_file(struct rows_maps *m, const struct wick_file_key *key)
{
	return bpf_map_delete_elem(m->known_files, key) ? -errno : 0;
}

void rows_maps_release(struct rows_maps *m)
{
	vec_for_each (&m->chunks, words)
		munmap(*words, CHUNK_BYTES);
	if (m->regions)
		munmap(m->regions, REGIONS_BYTES);
	vec_release(&m->chunks);
}
