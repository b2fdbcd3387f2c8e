/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish.h"

#include "base/table.h"
#include "shelf.h"

enum {
	MAX_KEYS =
		4 *
		WICK_KNOWN_FILES, /* that are remembered; then those are forgotten that BPF does not know */
	/* How often another content of a file is looked for. */
	MAX_TRIES = 4,
	EVICTED_AT_ONCE = 8, /* of all files, the part that leaves when there are too many */
	NO_OWNER = UINT32_MAX,
};

/* A file that BPF has asked for. */
struct known {
	struct wick_file_key key;
	enum wick_file_kind kind;
	enum { EVICTED, WANTED, PUBLISHED, REFUSED } state;
	file_ref token;
	u32 nr_tries;
	/* Where it was met. */
	u32 pid;
	struct mapping mapping;
	u64 offset;
	/* As it was published. */
	struct wick_file file;
};

struct publisher {
	VEC_FIELDS(struct known);
	struct table by_key;
	VEC(u32) wanted;	 /* files */
	VEC(u32) wanted_regions; /* of published files */
	u32 owners[WICK_REGIONS];
	bool pythons[WICK_PYTHONS]; /* rows that are in use */
	u32 nr_published;
	u64 nr_evicted;
	bool too_many;	     /* files, for one that was wanted */
	struct shelf *shelf; /* NULL: not attached yet */
	struct publish_sink sink;
	bool rows;
	struct files *files;
};

struct publisher *publisher_new(struct files *files, bool rows)
{
	struct publisher *t = xcalloc(1, sizeof(*t));

	t->files = files;
	t->rows = rows;
	memset(t->owners, 0xff, sizeof(t->owners));
	return t;
}

void publisher_free(struct publisher *t)
{
	if (!t)
		return;
	shelf_free(t->shelf);
	vec_release(&t->wanted);
	vec_release(&t->wanted_regions);
	table_release(&t->by_key);
	vec_release(t);
	free(t);
}

void publisher_attach(struct publisher *t, const struct publish_sink *sink, u64 max_bytes)
{
	t->sink = *sink;
	t->shelf = shelf_new(
		&(struct shelf_memory){
			.regions = sink->regions,
			.clock = sink->clock,
			.add_chunk = sink->add_chunk,
			.ctx = sink->ctx,
		},
		max_bytes);
}

/* ---- wishes */

static struct known *find_known(struct publisher *t, const struct wick_file_key *key)
{
	struct table_probe probe = table_probe(&t->by_key, hash_bytes(key, sizeof(*key)));

	while (table_next(&probe))
		if (!memcmp(&t->at[probe.ref].key, key, sizeof(*key)))
			return &t->at[probe.ref];
	return NULL;
}

static void own_regions(struct publisher *t, const struct known *known, u32 owner)
{
	for (u32 i = 0; i < known->file.nr_segments; i++)
		t->owners[known->file.first_region + i] = owner;
}

/* Files that are neither published nor wanted: they are wanted anew when BPF meets them. */
static void forget(struct publisher *t)
{
	u32 nr = 0;

	table_release(&t->by_key);
	t->wanted.nr = 0;
	vec_for_each (t, known) {
		if (known->state == EVICTED || known->state == REFUSED)
			continue;
		if (known->state == PUBLISHED)
			own_regions(t, known, nr);
		else
			*vec_add(&t->wanted) = nr;
		table_insert(&t->by_key, hash_bytes(&known->key, sizeof(known->key)), nr);
		t->at[nr++] = *known;
	}
	t->nr = nr;
}

/* NULL where too many are wanted already. */
static struct known *find_or_add(struct publisher *t, const struct wick_file_key *key)
{
	struct known *known = find_known(t, key);

	if (known)
		return known;
	if (t->nr == MAX_KEYS)
		forget(t);
	if (t->nr == MAX_KEYS)
		return NULL;
	table_insert(&t->by_key, hash_bytes(key, sizeof(*key)), (u32)t->nr);
	known = vec_add(t);
	known->key = *key;
	return known;
}

static void want_region(struct publisher *t, u32 region)
{
	if (shelf_has(t->shelf, region))
		return;
	vec_for_each (&t->wanted_regions, wanted)
		if (*wanted == region)
			return;
	*vec_add(&t->wanted_regions) = region;
}

/* The rows for an offset in a published file. */
static void want_rows(struct publisher *t, const struct known *known, u64 offset)
{
	u64 segment = (offset >> WICK_SEGMENT_BITS) - known->file.first_segment;

	if (segment < known->file.nr_segments)
		want_region(t, known->file.first_region + (u32)segment);
}

static void want_file(struct publisher *t, struct known *known, const struct wick_copy_body *copy,
		      const struct mapping *mapping)
{
	known->pid = copy->tgid;
	known->mapping = *mapping;
	if (mapping->kind == MAPPING_FILE && mapping->file) {
		known->kind = WICK_FILE_MAPPED;
		known->token = files_bound(t->files, FILES_OF_FILES, mapping->file);
	} else if (mapping->kind == MAPPING_VDSO) {
		known->kind = WICK_FILE_VDSO;
		known->token = files_vdso(t->files);
	} else {
		known->kind = WICK_FILE_CODE;
		known->token = 0;
	}
	known->state = WANTED;
	*vec_add(&t->wanted) = (u32)(known - t->at);
}

void publisher_want(struct publisher *t, const struct wick_copy_body *copy,
		    const struct mapping *mapping)
{
	struct known *known;

	if (copy->stopped_in < WICK_REGIONS) {
		if (t->shelf && t->owners[copy->stopped_in] != NO_OWNER)
			want_region(t, (u32)copy->stopped_in);
		return;
	}
	known = mapping ? find_or_add(t, &copy->file) : NULL;
	if (!known)
		return;
	known->offset = copy->stopped_at - mapping->start + mapping->offset;
	if (known->state == PUBLISHED)
		want_rows(t, known, known->offset);
	else if (known->state == EVICTED ||
		 (known->state == REFUSED && known->nr_tries < MAX_TRIES))
		want_file(t, known, copy, mapping);
}

/* ---- files */

/* Is the file that was opened the one that BPF has met? */
static enum files_match same_file(struct publisher *t, const struct known *known)
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

/* Written over, perhaps, since it was opened: then what is there now is a file of its own. */
static bool announce_again(struct publisher *t, struct known *known)
{
	u32 row;

	if (known->nr_tries++ >= MAX_TRIES)
		return false;
	row = t->sink.announce_again(t->sink.ctx, known->pid, &known->mapping);
	if (!row)
		return false;
	known->mapping.file = row;
	known->token = files_bound(t->files, FILES_OF_FILES, row);
	return true;
}

/* 1 + the row that an interpreter has been given; 0: the file is none, or there are too many. */
static u32 add_python(struct publisher *t, const struct unwind_table *table)
{
	const struct wick_python *python = table ? unwind_table_python(table) : NULL;

	for (u32 row = 0; python && row < WICK_PYTHONS; row++) {
		if (t->pythons[row])
			continue;
		if (t->sink.set_python(t->sink.ctx, row, python))
			return 0;
		t->pythons[row] = true;
		return row + 1;
	}
	return 0;
}

static void remove_python(struct publisher *t, const struct wick_file *file)
{
	if (file->python)
		t->pythons[file->python - 1] = false;
}

static bool add_to_map(struct publisher *t, struct known *known, const struct unwind_table *table)
{
	struct wick_file *file = &known->file;

	*file = (struct wick_file){.kind = known->kind, .file = known->mapping.file};
	if (table)
		unwind_table_segments(table, WICK_SEGMENT_BITS, &file->first_segment,
				      &file->nr_segments);
	if (t->nr_published == WICK_KNOWN_FILES ||
	    shelf_add_file(t->shelf, table, file->first_segment, file->nr_segments,
			   &file->first_region))
		return false;
	file->python = add_python(t, table);
	if (t->sink.set_file(t->sink.ctx, &known->key, file)) {
		remove_python(t, file);
		shelf_remove_file(t->shelf, file->first_region, file->nr_segments);
		return false;
	}
	own_regions(t, known, (u32)(known - t->at));
	t->nr_published++;
	return true;
}

/* Programs look up again what they have kept of files. */
static void tell_programs(struct publisher *t)
{
	__atomic_fetch_add(t->sink.epoch, 1, __ATOMIC_RELEASE);
}

/* False while it has to wait. */
static bool publish(struct publisher *t, struct known *known)
{
	enum files_match match = same_file(t, known);
	const struct unwind_table *table = NULL;
	bool pending = match == FILES_NOT_OPEN_YET;

	if (match == FILES_ANOTHER && announce_again(t, known))
		return false;
	if (match == FILES_SAME && t->rows && known->token)
		table = files_unwind_table(t->files, known->token, &pending);
	if (pending)
		return false;
	if (match == FILES_ANOTHER) {
		known->state = REFUSED;
	} else if (!add_to_map(t, known, table)) {
		known->state = EVICTED;
		t->too_many = true;
	} else {
		known->state = PUBLISHED;
		want_rows(t, known, known->offset);
		tell_programs(t);
	}
	return true;
}

static bool publish_rows(struct publisher *t, u32 region)
{
	const struct known *known =
		t->owners[region] == NO_OWNER ? NULL : &t->at[t->owners[region]];
	const struct unwind_table *table;
	bool pending = false;

	if (!known)
		return true;
	table = files_unwind_table(t->files, known->token, &pending);
	if (pending)
		return false;
	return !table ||
	       shelf_put(t->shelf, region, table,
			 known->file.first_segment + region - known->file.first_region) != -EAGAIN;
}

void publisher_retry(struct publisher *t)
{
	size_t nr = 0;

	if (!t->shelf)
		return;
	shelf_tick(t->shelf, monotonic_ns());
	vec_for_each (&t->wanted, wanted)
		if (!publish(t, &t->at[*wanted]))
			t->wanted.at[nr++] = *wanted;
	t->wanted.nr = nr;
	nr = 0;
	vec_for_each (&t->wanted_regions, region)
		if (!publish_rows(t, *region))
			t->wanted_regions.at[nr++] = *region;
	t->wanted_regions.nr = nr;
}

/* ---- making room */

static u32 last_use(const struct publisher *t, const struct known *known)
{
	return shelf_file_used(t->shelf, known->file.first_region, known->file.nr_segments);
}

static void evict_file(struct publisher *t, struct known *known)
{
	if (t->sink.remove_file(t->sink.ctx, &known->key))
		return;
	own_regions(t, known, NO_OWNER);
	remove_python(t, &known->file);
	shelf_remove_file(t->shelf, known->file.first_region, known->file.nr_segments);
	known->state = EVICTED;
	t->nr_published--;
	t->nr_evicted++;
}

struct idle_file {
	u32 used, known;
};

static int oldest_first(const void *a, const void *b)
{
	const struct idle_file *x = a, *y = b;

	return (s32)(x->used - y->used) < 0 ? -1 : x->used != y->used;
}

/* A part of all at once: one that is wanted is seldom the last one. */
static void evict_files(struct publisher *t)
{
	VEC(struct idle_file) idles = {};
	size_t nr;

	vec_for_each (t, known)
		if (known->state == PUBLISHED && shelf_is_idle(t->shelf, last_use(t, known)))
			*vec_add(&idles) = (struct idle_file){.used = last_use(t, known),
							      .known = (u32)(known - t->at)};
	vec_sort(&idles, oldest_first);
	nr = min(idles.nr, (size_t)t->nr_published / EVICTED_AT_ONCE + 1);
	for (size_t i = 0; i < nr; i++)
		evict_file(t, &t->at[idles.at[i].known]);
	vec_release(&idles);
	tell_programs(t);
}

void publisher_make_room(struct publisher *t)
{
	if (t->too_many)
		evict_files(t);
	t->too_many = false;
	shelf_make_room(t->shelf);
}

void publisher_reclaim(struct publisher *t)
{
	shelf_reclaim(t->shelf);
}

bool publisher_pending(const struct publisher *t)
{
	return t->wanted.nr || t->wanted_regions.nr;
}

void publisher_cost(const struct publisher *t, struct rows_cost *cost)
{
	struct files_tables tables = files_tables(t->files);
	struct shelf_stats shelf = shelf_stats(t->shelf);

	*cost = (struct rows_cost){
		.kernel_files = t->nr_published,
		.kernel_bytes = shelf.bytes,
		.kernel_max_bytes = shelf.max_bytes,
		.evicted_files = t->nr_evicted,
		.evicted_regions = shelf.nr_evicted,
		.user_bytes = tables.bytes,
		.user_max_bytes = tables.max_bytes,
		.evicted_tables = tables.nr_evicted,
		.pending = tables.nr_pending,
	};
}
