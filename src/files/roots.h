/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roots.h: remembers the root directories of a few mount namespaces, so that the files of a
 * container's process can be found when that process is gone, by way of another that was seen.
 * They are descriptors to look through only (O_PATH), which an opener made: holding and closing
 * them asks nothing of a file system. Shared between threads.
 */
#ifndef FILES_ROOTS_H
#define FILES_ROOTS_H

#include "base/base.h"

enum { NR_ROOTS = 16 };

/* A chroot is another root in the same namespace. */
struct root_identity {
	u64 device, inode, mounts;
};

struct roots;

struct roots *roots_new(void);
struct roots *roots_ref(struct roots *roots);
void roots_unref(struct roots *roots);

/* Remembers a root, in place of the one that was used least recently. The descriptor is copied. */
void roots_remember(struct roots *roots, const struct root_identity *identity, int fd);
/* Copies of what is remembered, the caller's to close. Returns how many. */
size_t roots_all(struct roots *roots, int fds[NR_ROOTS]);

/*
 * In an opener: the root directory of a process, given a descriptor of its /proc directory. A
 * descriptor of the caller's or a negative errno; *known: whether *identity was found out.
 */
int root_open(int process, struct root_identity *identity, bool *known);

#endif
