/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.c: records can be read forwards only, and later ones count: what code they place where is
 * written down, and named backwards. A record of moved code has no name, but the index of the code;
 * its name is that of the last code with this index that was loaded before. A record's code is not
 * looked at.
 */
#include "jitdump.h"

#include "base/checked.h"
#include "base/vec.h"
#include "latest.h"

enum {
	MAGIC = 0x4a695444, /* as this machine writes it */
	VERSION = 1,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	MAX_RECORDS = 1 << 20,
};

struct head {
	u32 magic, version, size, machine, padding, pid;
	u64 time, flags;
};

struct record {
	u32 id, size; /* with all that belongs to it */
	u64 time;
};

struct load {
	u32 pid, tid;
	u64 vma, address, size, index;
	/* the name, ended by a 0; the code */
};

struct move {
	u32 pid, tid;
	u64 vma, old_address, address, size, index;
};

/* Of records in the file. */
struct places {
	VEC_FIELDS(u64);
};

/* Loaded code, by its index, then by its record's place in the file. */
struct named {
	u64 index, at;
};

struct index {
	VEC_FIELDS(struct named);
};

bool jitdump_is_name(const char *path, u32 pid)
{
	const char *slash = strrchr(path, '/');
	char name[32];

	snprintf(name, sizeof(name), "/jit-%u.dump", pid);
	return slash && !strcmp(slash, name);
}

static bool read_head(const struct bytes *dump, u64 *at)
{
	struct head head;

	if (!bytes_read(dump, 0, &head, sizeof(head)) || head.magic != MAGIC ||
	    head.version != VERSION || head.size < sizeof(head))
		return false;
	*at = head.size;
	return true;
}

static void add_record(const struct bytes *dump, u64 at, const struct record *record,
		       struct places *codes, struct index *index)
{
	struct load load;

	if (record->id == CODE_LOAD && record->size > sizeof(*record) + sizeof(load) &&
	    bytes_read(dump, at + sizeof(*record), &load, sizeof(load))) {
		*vec_add(codes) = at;
		*vec_add(index) = (struct named){load.index, at};
	}
	if (record->id == CODE_MOVE && record->size >= sizeof(*record) + sizeof(struct move))
		*vec_add(codes) = at;
}

/* Every record is at least its own head, so this ends. */
static void find_codes(const struct bytes *dump, struct places *codes, struct index *index,
		       bool *cut)
{
	struct record record;
	u64 at;

	if (!read_head(dump, &at))
		return;
	for (u32 nr = 0; bytes_read(dump, at, &record, sizeof(record)); nr++) {
		if (record.size < sizeof(record) || !lies_within(at, record.size, dump->size))
			return;
		if (nr == MAX_RECORDS) {
			*cut = true;
			return;
		}
		add_record(dump, at, &record, codes, index);
		at += record.size;
	}
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Where the last code of the index was loaded before `move`; 0: nowhere. */
static u64 find_load(const struct index *index, u64 code, u64 move)
{
	const struct named wanted = {code, move};
	size_t low = 0, high = index->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_named(&index->at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && index->at[low - 1].index == code ? index->at[low - 1].at : 0;
}

/* Names [start, start + code_size) as the code whose load's record is at `at`. */
static void take_name(const struct bytes *dump, u64 at, u64 start, u64 code_size,
		      struct latest *latest)
{
	char name[NAME_SIZE_MAX + 1];
	struct record record;
	size_t size;

	if (!bytes_read(dump, at, &record, sizeof(record)))
		return;
	at += sizeof(record) + sizeof(struct load);
	size = min((size_t)record.size - sizeof(record) - sizeof(struct load), sizeof(name));
	size = strnlen(name, bytes_read_some(dump, at, name, size));
	if (size)
		latest_name(latest, start, code_size, name, size);
}

static void take_code(const struct bytes *dump, u64 at, const struct index *index,
		      struct latest *latest)
{
	struct record record;
	struct load load;
	struct move move;
	u64 named;

	if (!bytes_read(dump, at, &record, sizeof(record)))
		return;
	if (record.id == CODE_LOAD && bytes_read(dump, at + sizeof(record), &load, sizeof(load)))
		take_name(dump, at, load.address, load.size, latest);
	if (record.id == CODE_MOVE && bytes_read(dump, at + sizeof(record), &move, sizeof(move))) {
		named = find_load(index, move.index, at);
		if (named)
			take_name(dump, named, move.address, move.size, latest);
	}
}

u64 jitdump_name(const struct bytes *dump, struct files_symbols *reply)
{
	_cleanup_(latest_release) struct latest latest;
	struct places codes = {};
	struct index index = {};

	if (!latest_init(&latest, reply))
		return 0;
	find_codes(dump, &codes, &index, &reply->cut);
	vec_sort(&index, compare_named);
	for (size_t i = codes.nr; i-- > 0 && !latest_is_done(&latest);)
		take_code(dump, codes.at[i], &index, &latest);
	vec_release(&codes);
	vec_release(&index);
	return latest.nr_named;
}
