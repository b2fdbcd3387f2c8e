/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h: names for frames of a profile that had none when it was recorded: their file's
 * symbols, or its debug file, have come since, or are on another machine.
 *
 * A build id says which file is meant, since a path may lead to another version by now. Names only
 * come from a file with the recorded one.
 */
#ifndef WICK_RESOLVE_H
#define WICK_RESOLVE_H

#include "symbolize.h"

enum resolved {
	RESOLVED_NAMES,	  /* some frames have one now */
	RESOLVED_NOTHING, /* it is the file, and has no names for them */
	RESOLVED_ANOTHER, /* it is of another build, or cannot be read */
};

/* How many frames of a file, a row of profile.files, have no name. */
size_t resolve_nameless(const struct profile *p, u32 file);
/* Names them by a file that files_take() knows; *nr is how many have got a name. */
enum resolved resolve_file(struct profile *p, struct files *files, u32 file, file_ref token,
			   unsigned int timeout_ms, size_t *nr);

#endif
