/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check_options.h"

#include "privileges.h"

static int check_ids(const u32 *ids, size_t nr, const char *what, struct error *error)
{
	for (size_t i = 0; i < nr; i++) {
		_cleanup_free_ char *path = format("/proc/%u", ids[i]);

		if (access(path, F_OK))
			return fail(error, -ESRCH,
				    "no such %s: %u. It has ended, or is in another pid namespace "
				    "than wick; `ps -eLo pid,tid,comm` lists those that there are.",
				    what, ids[i]);
	}
	return 0;
}

/*
 * Mappings, names and pids are read there: without it nothing would have a name, and with that of
 * another pid namespace, one of another process.
 */
static int check_proc(struct error *error)
{
	char self[32] = {};

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		return fail(error, -errno,
			    "cannot read /proc/self: %s. wick reads there what processes are; "
			    "`mount -t proc proc /proc` mounts it.",
			    strerror(errno));
	if (atol(self) != getpid())
		return fail(error, -ESRCH,
			    "/proc is of another pid namespace: wick is %d here, and %s there, so "
			    "processes would be mixed up; `mount -t proc proc /proc` mounts its "
			    "own.",
			    getpid(), self);
	return 0;
}

int check_options(const struct collect_options *o, struct error *error)
{
	int err = privileges_check(error);

	if (!err)
		err = check_proc(error);
	if (err)
		return err;
	err = check_ids(o->pids, o->nr_pids, "process", error);
	return err ? err : check_ids(o->tids, o->nr_tids, "thread", error);
}
