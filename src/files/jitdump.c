/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.c: records can be read forwards only, and later ones count: the places of those of loaded
 * code are written down, and these read backwards. A record's code is not looked at.
 */
#include "jitdump.h"

#include "base/checked.h"
#include "base/vec.h"
#include "latest.h"

enum {
	MAGIC = 0x4a695444, /* as this machine writes it */
	VERSION = 1,
	CODE_LOAD = 0,
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

/* Of records in the file. */
struct places {
	VEC_FIELDS(u64);
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

/* Every record is at least its own head, so this ends. */
static void find_loads(const struct bytes *dump, struct places *loads, bool *cut)
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
		if (record.id == CODE_LOAD && record.size > sizeof(record) + sizeof(struct load))
			*vec_add(loads) = at;
		at += record.size;
	}
}

static void take_load(const struct bytes *dump, u64 at, struct latest *latest)
{
	char name[NAME_SIZE_MAX + 1];
	struct record record;
	struct load load;
	size_t size;

	if (!bytes_read(dump, at, &record, sizeof(record)) ||
	    !bytes_read(dump, at + sizeof(record), &load, sizeof(load)))
		return;
	at += sizeof(record) + sizeof(load);
	size = min((size_t)record.size - sizeof(record) - sizeof(load), sizeof(name));
	size = strnlen(name, bytes_read_some(dump, at, name, size));
	if (size)
		latest_name(latest, load.address, load.size, name, size);
}

u64 jitdump_name(const struct bytes *dump, struct files_symbols *reply)
{
	_cleanup_(latest_release) struct latest latest;
	struct places loads = {};

	if (!latest_init(&latest, reply))
		return 0;
	find_loads(dump, &loads, &reply->cut);
	for (size_t i = loads.nr; i-- > 0 && !latest_is_done(&latest);)
		take_load(dump, loads.at[i], &latest);
	vec_release(&loads);
	return latest.nr_named;
}
