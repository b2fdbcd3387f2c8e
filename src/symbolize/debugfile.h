/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile.h: the separate debug file of a stripped one.
 *
 * It is found by the build id and only below /usr/lib/debug of wick's own root, and must belong to
 * root: a container's own debug files would be one more place for a stranger's links, and a build
 * id can be copied into any file, so it must never lead to something that the file's user may not
 * read. What is installed by the distribution's packages anyone may read.
 */
#ifndef WICK_DEBUGFILE_H
#define WICK_DEBUGFILE_H

#include "elf.h"

/*
 * Opens the debug file with the build id of `elf`, found below `root` ("/usr/lib/debug"; another
 * one in tests). A descriptor, or -ENOENT when there is none; -EPERM when it is not to be trusted.
 */
int debugfile_open(const struct elf *elf, const char *root);

#endif
