/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h: `wick ... -- program args`: the program is forked first, so that instruments know it,
 * and execs when the window opens. Under sudo it runs as the user who called sudo, with that user's
 * groups: wick needs root, what it looks at does not.
 */
#ifndef COLLECT_HOST_PROGRAM_H
#define COLLECT_HOST_PROGRAM_H

#include <sys/types.h>

#include "base/base.h"

struct program {
	pid_t pid;
	int pidfd;  /* readable when it has ended; -1 where there is no program */
	int go;	    /* closing the write end after a byte lets it exec */
	int failed; /* an errno comes out of it when the exec fails */
	int status; /* as waitpid() gave it */
	bool ended;
};

/*
 * Forks; the child waits. It gets back what wick's caller had: see base/caller.h. To be called
 * before wick gives up capabilities that the caller may have.
 */
int program_fork(struct program *p, char *const *argv, struct error *error);
/* Lets it exec; an exec that fails is an error with the reason. */
int program_go(struct program *p, char *const *argv, struct error *error);
/* Reaps it, if it has ended. */
void program_reap(struct program *p);
/* Kills it if it has not started yet; one that runs is left alone. */
void program_release(struct program *p);

#endif
