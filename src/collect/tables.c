/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tables.h"

#include <bpf/bpf.h>
#include <sys/mman.h>

#include "unwinder.h"

enum { CHUNK_BYTES = WICK_CHUNK_WORDS * sizeof(u32) };

struct chunk {
	int fd;
	u32 *words;
	u32 used; /* of them */
};

/* A file that BPF has asked for. */
struct known {
	struct wick_file_key key;
	enum wick_file_kind kind;
	file_ref token;
	u32 file; /* row in profile.files; 0: the vdso */
	enum { WANTED, PUBLISHED, REFUSED } state;
};

struct tables {
	VEC_FIELDS(struct known);
	struct table by_key;
	VEC(struct chunk) chunks;
	u32 nr_regions, nr_published, nr_wanted;
	u64 bytes;
	struct tables_maps maps;
	bool attached, rows;
	struct profile *profile;
	struct files *files;
};

struct tables *tables_new(struct profile *profile, struct files *files, bool rows)
{
	struct tables *t = xcalloc(1, sizeof(*t));

	t->profile = profile;
	t->files = files;
	t->rows = rows;
	return t;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	vec_for_each (&t->chunks, chunk) {
		munmap(chunk->words, CHUNK_BYTES);
		close(chunk->fd);
	}
	vec_release(&t->chunks);
	table_release(&t->by_key);
	vec_release(t);
	free(t);
}

void tables_attach(struct tables *t, const struct tables_maps *maps)
{
	t->maps = *maps;
	t->attached = true;
}

/* ---- rows */

static int add_chunk(struct tables *t)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "wick_rows", sizeof(u32),
						CHUNK_BYTES, 1, &options);
	u32 slot = (u32)t->chunks.nr;
	void *words;

	if (fd < 0)
		return -errno;
	if (slot == WICK_CHUNKS)
		return -ENOSPC;
	words = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (words == MAP_FAILED)
		return -errno;
	if (bpf_map_update_elem(t->maps.chunks, &slot, &fd, BPF_ANY)) {
		munmap(words, CHUNK_BYTES);
		return -errno;
	}
	*vec_add(&t->chunks) = (struct chunk){.fd = steal_fd(&fd), .words = words};
	return 0;
}

/* Writes the rows of one segment into the last chunk, or a new one. */
static int put_segment(struct tables *t, const struct unwind_table *table, u32 segment, u32 number)
{
	struct wick_region region = {};
	struct chunk *chunk;
	u32 nr = 0;

	for (int attempt = 0; attempt < 2 && !nr; attempt++) {
		if ((attempt || !t->chunks.nr) && add_chunk(t))
			return -ENOSPC;
		chunk = &t->chunks.at[t->chunks.nr - 1];
		nr = unwind_table_cut(table, segment, WICK_SEGMENT_BITS, chunk->words + chunk->used,
				      WICK_CHUNK_WORDS - chunk->used, &region.shape);
	}
	if (!nr)
		return -ENOSPC;
	region.chunk = (u32)t->chunks.nr - 1;
	region.first_word = chunk->used;
	chunk->used += nr;
	t->bytes += nr * sizeof(u32);
	return bpf_map_update_elem(t->maps.regions, &number, &region, BPF_ANY) ? -errno : 0;
}

static int put_rows(struct tables *t, const struct unwind_table *table, struct wick_file *file)
{
	unwind_table_segments(table, WICK_SEGMENT_BITS, &file->first_segment, &file->nr_segments);
	file->first_region = t->nr_regions;
	if (file->nr_segments > WICK_REGIONS - t->nr_regions)
		return -ENOSPC;
	for (u32 i = 0; i < file->nr_segments; i++) {
		int err = put_segment(t, table, file->first_segment + i, file->first_region + i);

		if (err)
			return err;
	}
	t->nr_regions += file->nr_segments;
	return 0;
}

/* ---- files */

static struct known *find(struct tables *t, const struct wick_file_key *key)
{
	struct table_probe probe = table_probe(&t->by_key, hash_bytes(key, sizeof(*key)));

	while (table_next(&probe))
		if (!memcmp(&t->at[probe.ref].key, key, sizeof(*key)))
			return &t->at[probe.ref];
	return NULL;
}

void tables_want(struct tables *t, const struct wick_file_key *key, const struct mapping *mapping)
{
	struct known known = {.key = *key};

	if (!mapping || find(t, key))
		return;
	if (mapping->kind == MAPPING_FILE && mapping->file) {
		known.file = mapping->file;
		known.token = t->profile->files.at[mapping->file].token;
	} else if (mapping->kind == MAPPING_VDSO) {
		known.kind = WICK_FILE_VDSO;
		known.token = files_vdso(t->files);
	} else {
		known.kind = WICK_FILE_CODE;
	}
	table_insert(&t->by_key, hash_bytes(key, sizeof(*key)), (u32)t->nr);
	*vec_add(t) = known;
	t->nr_wanted++;
}

/* Is the file that was opened the one that BPF has met? */
static enum files_match same_file(struct tables *t, const struct known *known)
{
	const struct wick_file_key *key = &known->key;

	if (known->kind == WICK_FILE_VDSO || known->kind == WICK_FILE_CODE)
		return FILES_SAME;
	return files_match(t->files, known->token,
			   &(struct files_identity){
				   .major = key->dev >> 20,
				   .minor = key->dev & ((1u << 20) - 1),
				   .inode = key->inode,
				   .generation = key->generation,
				   .size = key->size,
				   .mtime_sec = key->mtime_sec,
				   .mtime_nsec = key->mtime_nsec,
			   });
}

static bool publish(struct tables *t, struct known *known)
{
	struct wick_file file = {.kind = known->kind, .file = known->file};
	enum files_match match = same_file(t, known);
	const struct unwind_table *table = NULL;
	bool pending = match == FILES_NOT_OPEN_YET;

	if (!pending && match == FILES_SAME && t->rows && known->token)
		table = files_unwind_table(t->files, known->token, &pending);
	if (pending)
		return false;
	known->state = REFUSED;
	if (match == FILES_SAME && !(table && put_rows(t, table, &file)) &&
	    !bpf_map_update_elem(t->maps.known_files, &known->key, &file, BPF_ANY)) {
		known->state = PUBLISHED;
		t->nr_published++;
		__atomic_fetch_add(t->maps.epoch, 1, __ATOMIC_RELEASE);
	}
	return true;
}

void tables_retry(struct tables *t)
{
	if (!t->attached || !t->nr_wanted)
		return;
	vec_for_each (t, known)
		if (known->state == WANTED && publish(t, known))
			t->nr_wanted--;
}

bool tables_pending(const struct tables *t)
{
	return t->nr_wanted != 0;
}

u64 tables_bytes(const struct tables *t)
{
	return t->bytes;
}

u64 tables_nr_files(const struct tables *t)
{
	return t->nr_published;
}
