/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h: names for frames of a profile that had none when it was recorded: their file's
 * symbols, or its debug file, have come since, or are on another machine, or the run was killed.
 *
 * A build id says which file is meant, since a path may lead to another version by now. Names only
 * come from a file with the recorded one. Addresses of the kernel and of run-time code mean
 * something as long as that kernel runs, and that process.
 */
#ifndef WICK_RESOLVE_H
#define WICK_RESOLVE_H

#include "symbolize.h"

enum resolved {
	RESOLVED_NAMES,	  /* some frames have a name or line now */
	RESOLVED_NOTHING, /* it is the file, and has no names for them */
	RESOLVED_ANOTHER, /* it is of another build, or cannot be read */
};

/* How many frames have no name: of a file, an image, or of the kernel and vdso (origin 0). */
size_t resolve_nameless(const struct profile *p, enum frame_space space, u32 origin);
/* Has it frames, and none of them a line of source? */
bool resolve_lineless(const struct profile *p, u32 file);

/*
 * Names a file's frames, and finds their lines if none has one, by a file that files_take() knows;
 * *nr is how many have got a name.
 */
enum resolved resolve_file(struct profile *p, struct files *files, u32 file, file_ref token,
			   unsigned int timeout_ms, size_t *nr);
/* Those of an image's run-time code or of the vdso, by this token. How many have got a name. */
size_t resolve_code(struct profile *p, struct files *files, enum frame_space space, u32 origin,
		    file_ref token, unsigned int timeout_ms);
size_t resolve_kernel(struct profile *p, const struct kernel_namer *namers, size_t nr_namers);

#endif
