/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forker.h: the process that makes openers and parsers. It is forked when wick is still small and
 * has one thread, before anything is loaded; so a new helper costs 0.2 ms however large wick has
 * become, and knows nothing of what wick has collected. It ends helpers too: they have other ids
 * than wick, which may have given up by then what it takes to signal them.
 *
 * It reads nothing that others wrote, and never waits but for wick. When wick ends, however it
 * does, it ends, and all helpers with it.
 */
#ifndef FILES_FORKER_H
#define FILES_FORKER_H

#include "message.h"

/* Starts it; a socket to it, or a negative errno. */
int forker_start(pid_t *pid);
/* Closes the socket, so that it ends and all helpers with it. Waits a moment for those that do. */
void forker_stop(int forker, pid_t pid);

struct child {
	u32 pid;
	int pidfd;  /* becomes readable when it has ended */
	int socket; /* to it */
};

/* From one thread at a time. */
int forker_make(int forker, enum helper_role role, struct child *child);
/* Kills it, and does not wait for that. */
void forker_end(int forker, u32 pid);

#endif
