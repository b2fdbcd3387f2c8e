/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile.h: the separate debug file of a stripped one.
 *
 * It is found in two ways. By the build id, below /usr/lib/debug of wick's own root, where it must
 * belong to root: what is installed by the distribution's packages anyone may read.
 *
 * And below the process's own root, a container's mostly: by the build id below /usr/lib/debug, and
 * by the name that the stripped file has for it, its .gnu_debuglink, beside it: in the same
 * directory, in .debug of that, and below /usr/lib/debug (gdb's manual, "Debugging Information in
 * Separate Files"). There it must be the file's owner's own, or root's and readable by all, since a
 * build id can be copied into any file and must never lead to something that the file's user may
 * not read; and it must be the one that is meant: by the build id, or where there is none by the
 * checksum in the link.
 *
 * What several debug files have in common may be in a third one, which dwz made
 * (.gnu_debugaltlink: a path, and a build id; DWARF 5, section 7.3.6). Debian has these in
 * /usr/lib/debug/.dwz.
 *
 * The parser of the stripped file tells what it is to be found by; an opener looks for it; and the
 * parser, again, checks that it is the one that is meant.
 */
#ifndef FILES_DEBUGFILE_H
#define FILES_DEBUGFILE_H

#include "elf.h"

/* What debug files are looked for below. */
#define DEBUG_ROOT "/usr/lib/debug"

enum { DEBUG_LINK_MAX = 256 };

/* What a stripped file says of its debug file. */
struct debug_link {
	u8 id[ELF_MAX_BUILD_ID];
	u32 id_size; /* 0: it has no build id */
	u32 checksum;
	char name[DEBUG_LINK_MAX]; /* its .gnu_debuglink, a mere name; "": none */
	bool shared; /* it is what a debug file says, of the one that has what it shares */
};

/* ---- in a parser */

/* False: it says nothing. */
bool debug_link_read(const struct elf *elf, struct debug_link *link);
/* The same of a debug file, about what it shares with others; by its build id and its base name. */
bool shared_link_read(const struct elf *elf, struct debug_link *link);
/* Is the file that was found the one that is meant? */
bool debug_link_means(const struct debug_link *link, const struct bytes *found);

/* ---- in an opener */

/* Could a file have said this? What comes from a parser has to be asked. */
bool debug_link_is_sane(const struct debug_link *link);
/*
 * Opens what may be the debug file by its build id, found below `root` (DEBUG_ROOT; another one in
 * tests). A descriptor to look through (O_PATH), or -ENOENT when there is none; -EPERM when it is
 * not to be trusted.
 */
int debugfile_open(const struct debug_link *link, const char *root);
/* The same of what several share, which is found by its name, too. */
int shared_file_open(const struct debug_link *link, const char *root);
/*
 * Those that may be the debug file of the one at `path` below `root`, a descriptor, by build id and
 * by name; `file` is one of that file. Returns how many were opened, at most `max`.
 */
size_t debugfiles_beside(const struct debug_link *link, int root, const char *path, int file,
			 int *found, size_t max);

#endif
