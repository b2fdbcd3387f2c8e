/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile.h: the separate debug file of a stripped one.
 *
 * It is found in two ways. By the build id, only below /usr/lib/debug of wick's own root, and must
 * belong to root: a container's own debug files would be one more place for a stranger's links, and
 * a build id can be copied into any file, so it must never lead to something that the file's user
 * may not read. What is installed by the distribution's packages anyone may read.
 *
 * And by the name that the stripped file has for it, its .gnu_debuglink, beside it: in the same
 * directory, in .debug of that, and below /usr/lib/debug of the same root (gdb's manual, "Debugging
 * Information in Separate Files"). There it must be the file's owner's own, or root's and readable
 * by all; and it must be the one that is meant: by the build id, or where there is none by the
 * checksum in the link.
 */
#ifndef FILES_DEBUGFILE_H
#define FILES_DEBUGFILE_H

#include "elf.h"

/*
 * Opens the debug file with the build id of `elf`, found below `root` ("/usr/lib/debug"; another
 * one in tests). A descriptor, or -ENOENT when there is none; -EPERM when it is not to be trusted.
 */
int debugfile_open(const struct elf *elf, const char *root);
/* That of the stripped file which is at `path` below `root`, a descriptor. As above. */
int debugfile_beside(const struct elf *elf, int root, const char *path);

#endif
