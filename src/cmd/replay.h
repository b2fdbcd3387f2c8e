/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h: what a run would have drawn, from its recording. */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include "options.h"
#include "recording.h"

/* Opens a file as the caller may: a descriptor, or a negative errno with a text. */
int replay_open(const char *path, struct error *error);
/* Says on standard error what is damaged, or not there since the run was killed. */
void replay_say_lacks(const char *path, const struct recording *r, const struct profile *p);

/*
 * Opens a recording and reads it: 0, or a negative errno with a text. Says what it lacks.
 */
int replay_read(const char *path, const struct recording_range *range, struct profile *p,
		struct recording *r, struct error *error);

/*
 * The same of a part of its window, whose ends are as --from and --to take them; NULL: up to its
 * end. -EINVAL where they are none, or nothing is between them.
 */
int replay_read_part(const char *path, const char *from, const char *to, struct profile *p,
		     struct recording *r, struct error *error);
/* What a recording does not have of what a view needs, "sched", "wakers"; NULL: nothing. */
const char *replay_lacks(const struct profile *p, const struct view *view);

/* Is it a recording, by how it begins? Nothing but a regular file is opened. */
bool replay_is_recording(const char *path);

/* Draws o->input by the other options. Returns the exit status. */
int replay(struct run_options *o);

#endif
