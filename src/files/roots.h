/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roots.h: remembers the root directories of a few mount namespaces, so that the files of a
 * container's process can be found when that process is gone, by way of another that was seen.
 * Shared between threads.
 */
#ifndef FILES_ROOTS_H
#define FILES_ROOTS_H

#include "base/base.h"

enum { NR_ROOTS = 16 };

struct roots;

struct roots *roots_new(void);
struct roots *roots_ref(struct roots *roots);
void roots_unref(struct roots *roots);

/*
 * Opens the root directory of a process and remembers it in place of the one that was used least
 * recently. `process` is a descriptor of its /proc directory. A descriptor of the caller's or a
 * negative errno.
 */
int roots_of(struct roots *roots, int process);
/* Descriptors of what is remembered, the caller's to close; the first is wick's own root. Returns
 * how many. */
size_t roots_all(struct roots *roots, int fds[NR_ROOTS + 1]);

#endif
