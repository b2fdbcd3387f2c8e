/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_join.h: a long run is recorded in parts, each of which is a recording of its own: its
 * dictionaries begin anew. Here they become one profile again.
 */
#ifndef PROFILE_RECORDING_JOIN_H
#define PROFILE_RECORDING_JOIN_H

#include "profile.h"

struct joined {
	struct profile *p; /* not owned; empty at first */
	struct table threads, files;
};

/*
 * Adds the next part: a thread of both is one thread. -EINVAL: it is no part of the same run: of
 * another boot of a host, of another time, with another frequency, or merged.
 */
int joined_add(struct joined *j, const struct profile *part, struct error *error);
void joined_release(struct joined *j);

#endif
