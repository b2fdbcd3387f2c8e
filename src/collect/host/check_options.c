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

int check_options(const struct collect_options *o, struct error *error)
{
	int err = privileges_check(error);

	if (err)
		return err;
	err = check_ids(o->pids, o->nr_pids, "process", error);
	return err ? err : check_ids(o->tids, o->nr_tids, "thread", error);
}
