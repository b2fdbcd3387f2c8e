/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jail.h: a helper process gives up what it does not need. Where wick itself holds little, its
 * helpers hold that or less.
 */
#ifndef FILES_JAIL_H
#define FILES_JAIL_H

#include "base/base.h"

/*
 * Closes all descriptors but *keep, which becomes the only one beside three of /dev/null; wipes
 * arguments and environment, so that the process shows itself as `title`; gives up the terminal and
 * the caller's process group, but stays in its session; and dumps no core.
 */
void jail_begin(const char *title, int *keep);
/* What a process that is one of these already does, to have another name. */
void jail_again(const char *title, int *keep);

/* For the process that makes the others: what they need, and to end them. */
void jail_forker(void);
/* Opens files: capabilities for that, small limits. */
void jail_opener(void);
/*
 * Parses: no capabilities, the ids 65534 (of the user "nobody"), no file system, and of system calls
 * only those that read and write what is open, and ask for memory. Any other ends it.
 */
void jail_parser(void);
/*
 * Becomes a user, to be known as such by one of his processes: no capabilities, and he can neither
 * trace it nor read its memory. Fails where wick may not become him.
 */
int jail_attacher(uid_t uid, gid_t gid);
/*
 * Talks to a network by libraries that look around in the file system: no capabilities, and the ids
 * 65534. Fails where wick may give its own away, and that did not succeed.
 */
int jail_downloader(void);

#endif
