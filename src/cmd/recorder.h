/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h: the recording of a run, as a file that grows while the run goes on. It has its name
 * from the first slice on, so that it is there whatever becomes of wick, and replaces what had that
 * name before. A write that fails ends the recording, not the run: what is in the file stays.
 */
#ifndef CMD_RECORDER_H
#define CMD_RECORDER_H

#include "options.h"
#include "profile.h"
#include "relay.h"

struct recorder;

/*
 * NULL: the options ask for no recording. In a relay it goes on with the file of the runner before
 * it, and keeps what it has until that has ended.
 */
struct recorder *recorder_new(const struct run_options *o, const struct relay *relay,
			      struct profile *p);
void recorder_free(struct recorder *r);

/*
 * Each of these does nothing for NULL.
 *
 * Writes what has come since the last slice, which ends now. The first one makes the file, and the
 * directory that it is in if the options ask for one.
 */
void recorder_add_slice(struct recorder *r, struct profile *p, u64 until);
/* Says that another slice, with what is written at the end, may pass --max-size; else false. */
bool recorder_is_full(struct recorder *r, const struct profile *p);
/* Writes names, and what is known at the end. Returns the exit status: 1 if something failed. */
int recorder_finish(struct recorder *r, struct profile *p);

/* The descriptor that it writes to; -1: none. */
int recorder_file(const struct recorder *r);
/* Where the file is; NULL: there is none. */
const char *recorder_path(const struct recorder *r);
/* The directory that was made for it and all pictures; NULL: none was. */
const char *recorder_directory(const struct recorder *r);

#endif
