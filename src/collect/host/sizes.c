/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sizes.h"

#include <bpf/libbpf.h>
#include <mntent.h>

/*
 * Of a slice: 2,000 walks a second and CPU, and what ends without one. Counts are drained sooner
 * where half of the room is taken.
 */
enum { EVENT_KEYS = 65536, EVENT_KEYS_A_CPU = 4096, MOST_KEYS = 262144, FEWEST_KEYS = 4096 };

enum {
	KEY_SIZE = 256, /* bytes, of both maps: bpftool says 128 of one */
	MOST_BODIES = 256 << 20,
	MOST_RECORDS = 64 << 20,
	MOST_COPIES = 64 << 20,
	SMALLEST_RING = 256 << 10,
};

/* ---- what a cgroup may use */

/* "max", as version 2 says it, is no number; version 1 says 2^63 less a page. */
static u64 read_limit(const char *directory, const char *name)
{
	_cleanup_free_ char *path = format("%s/%s", directory, name);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	unsigned long long bytes;

	if (!f || fscanf(f, "%llu", &bytes) != 1 || bytes >= 1ull << 62)
		return UINT64_MAX;
	return bytes;
}

/* Of the cgroup at `path` below `mount`, and all above it. */
static u64 limit_on_the_way(const char *mount, const char *path, const char *name)
{
	_cleanup_free_ char *at = format("%s%s", mount, path);
	size_t root = strlen(mount);
	u64 limit = UINT64_MAX;

	for (;;) {
		char *slash;

		limit = min(limit, read_limit(at, name));
		slash = strrchr(at + root, '/');
		if (!slash)
			return limit;
		*slash = '\0';
	}
}

/*
 * The path in a line of /proc/self/cgroup, "4:memory:/a/b" or "0::/a/b", if it is that of
 * `controller`.
 */
static const char *path_in(char *line, const char *controller)
{
	char *controllers = strchr(line, ':'), *path, *one, *rest;

	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return NULL;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!*controller)
		return controllers[1] ? NULL : path;
	for (one = strtok_r(controllers + 1, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
		if (!strcmp(one, controller))
			return path;
	return NULL;
}

/* To be freed; NULL: there is none. */
static char *own_path(const char *controller)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/cgroup", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		const char *path = path_in(line, controller);

		if (path)
			return xstrdup(path);
	}
	return NULL;
}

/* Where a hierarchy is mounted, to be freed; NULL: nowhere. */
static char *mount_of(const char *type, const char *option)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *found = NULL;

	while (mounts && !found && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, type) && (!option || hasmntopt(entry, option)))
			found = xstrdup(entry->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return found;
}

static u64 limit_in(const char *type, const char *controller, const char *name)
{
	_cleanup_free_ char *mount = mount_of(type, *controller ? controller : NULL);
	_cleanup_free_ char *path = own_path(controller);

	return mount && path ? limit_on_the_way(mount, path, name) : UINT64_MAX;
}

u64 memory_limit(void)
{
	return min(limit_in("cgroup2", "", "memory.max"),
		   limit_in("cgroup", "memory", "memory.limit_in_bytes"));
}

u64 memory_for_run(void)
{
	u64 host = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);

	return min(host / 4, memory_limit() / 2);
}

/* ---- sizes */

static u64 wanted_keys(const struct collect_options *o)
{
	u64 cpus = (u64)max(libbpf_num_possible_cpus(), 1), samples = (u64)o->frequency * cpus;

	if (needs_more_than(o->needs, NEED_CPU))
		return min(max(cpus * EVENT_KEYS_A_CPU, (u64)EVENT_KEYS), (u64)MOST_KEYS);
	/*
	 * Nearly every sample of a slice can be a key of its own; a late drain has twice as many.
	 */
	return min(max(samples * 4, (u64)16384), (u64)MOST_KEYS);
}

static u32 keys_for(const struct collect_options *o, u64 memory)
{
	u64 most = max(memory / 16 / KEY_SIZE, (u64)FEWEST_KEYS);

	return o->max_keys ? o->max_keys : (u32)min(wanted_keys(o), most);
}

/*
 * A ring of 2 MB, more where many CPUs send: 128 KB each, a power of two. Twice as much where many
 * threads can be met at once whose files are not known yet. It is emptied when a quarter of it is
 * full (bpf/intern.h), so it has to last until a real-time thread gets a CPU. A larger one takes
 * longer to make: 0.3 ms a MB.
 */
static u32 ring_for(const struct collect_options *o, u64 memory)
{
	u32 factor = needs_more_than(o->needs, NEED_CPU) ? 2 : 1, size = factor * (2u << 20);
	u64 wanted = (u64)max(libbpf_num_possible_cpus(), 1) * factor * (128u << 10);

	while (size < wanted && size < 64u << 20)
		size *= 2;
	while (size > memory / 64 && size > SMALLEST_RING)
		size /= 2;
	return size;
}

struct sizes sizes_for(const struct collect_options *o, u64 memory)
{
	return (struct sizes){
		.memory = memory,
		.keys = keys_for(o, memory),
		.ring = ring_for(o, memory),
		.blocks = min(memory / 16 / sizeof(struct block), (u64)MOST_BLOCKS),
		.bodies = min(memory / 8, (u64)MOST_BODIES),
		.records = min(memory / 32, (u64)MOST_RECORDS),
		.copies = min(memory / 32, (u64)MOST_COPIES),
		.tables = min(memory / 8, o->unwind_bytes),
		/* Two are made at once, and while they are, take a fifth of their files' size. */
		.table_file = memory < UINT64_MAX ? memory / 4 : 0,
	};
}
