/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h: finds a cgroup of the v2 hierarchy by what a user types. */
#ifndef FOLLOW_CGROUP_H
#define FOLLOW_CGROUP_H

#include "base/base.h"

/*
 * `name` is a directory below the cgroup v2 mount, or a path inside the hierarchy ("/system.slice").
 * `id` is what the kernel calls it (its inode), `level` its depth, 0 for the root. -ENOENT.
 */
int cgroup_find(const char *name, u64 *id, u32 *level, struct error *error);

/*
 * The path inside the hierarchy of the cgroup with this id, to be freed: "/system.slice/nginx.service",
 * "/" for the root. NULL where it is gone, or there is no v2 hierarchy.
 */
char *cgroup_path(u64 id);

#endif
