/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h: opening what a stranger may have put there.
 *
 * First the file is only looked at (O_PATH), which has no effect on a device, a FIFO or a lease;
 * what the descriptor says cannot change under us any more. Then it is opened for reading through
 * that descriptor, by /proc/self/fd.
 */
#ifndef FILES_OPEN_H
#define FILES_OPEN_H

#include <sys/stat.h>

#include "files.h"

/* What is compared to know whether a file is still the one it was. */
struct stamp {
	u64 device, inode, size;
	s64 mtime, mtime_ns;
};

struct stamp stamp_of(const struct stat *st);
bool stamp_is(const struct stamp *stamp, const struct stat *st);

/*
 * Looks at `path`, resolved as if `root` were the root directory, and without following a symlink
 * at its end. A descriptor or a negative errno.
 */
int look_in_root(int root, const char *path);
/* The same, following it there, too: to compare what is found, not to open it. */
int look_through_in_root(int root, const char *path);
/* Opens what `look` found for reading; -EMEDIUMTYPE when it is no regular file. */
int open_looked(int look);

/*
 * Is the file system one whose fstat() on an open file waits for no server and no disk? Not an
 * overlay: what lies below it may be any other.
 */
bool is_local(int fd);
/* Does the file system give its files other device numbers than their mappings have? */
bool hides_device(int fd);
bool is_overlay(int fd);

enum files_state state_of_errno(int err);

#endif
