/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_join.h: a long run is recorded in parts, each of which is a recording of its own: its
 * dictionaries begin anew. Here they become one profile again.
 */
#ifndef PROFILE_RECORDING_JOIN_H
#define PROFILE_RECORDING_JOIN_H

#include "profile.h"

/*
 * Adds the next part to what is joined: a thread of both is one thread. The first one is added to
 * an empty profile. -EINVAL: it is no part of the same run: of another boot of a host, of another
 * time, with another frequency, or merged.
 */
int profile_join(struct profile *p, const struct profile *part, struct error *error);

#endif
