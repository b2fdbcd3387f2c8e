/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identify.h: the build ids of a run's files, while it goes on. Names are asked for when the run is
 * over; a run that is killed has none, and only a file whose build id was recorded can name its
 * frames later (resolve.h).
 */
#ifndef WICK_IDENTIFY_H
#define WICK_IDENTIFY_H

#include "files.h"
#include "profile.h"

struct identifier;

struct identifier *identifier_new(struct files *files);
/*
 * To be called now and then, never waits: takes the build ids that have come, and asks for those of
 * files with frames since the last call.
 */
void identifier_step(struct identifier *i, struct profile *p);
/* Gives up what has not come. Before files_free(). */
void identifier_free(struct identifier *i);

#endif
