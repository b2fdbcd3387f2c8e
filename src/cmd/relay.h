/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.h: a recording of a day in bounded memory. A run keeps what it has seen, so a process that
 * has seen much hands over to another one, which begins with nothing, and whose window begins when
 * its own ends. What they record are the parts of one file (recording.h).
 *
 *	first runner   |---- window ----|- names -|
 *	second runner            |open  |---- window ----|- names -|
 *	file            slice ... slice  names END  slice ...
 *
 * Their parent does nothing but start them and pass on what they tell each other: it has the
 * privileges that a runner takes to begin and has dropped since. A runner locks the file while it
 * may write to it, so its successor waits for its end, whatever that is.
 */
#ifndef CMD_RELAY_H
#define CMD_RELAY_H

#include "options.h"

struct relay;

/* Is it a run that may become long, and leaves nothing but a recording? */
bool relay_is_wanted(const struct run_options *o);

/*
 * Forks runners: the first one at once, another one each time that one hands over. Each exits with
 * what run(ctx, relay) returns. Returns the exit status: of the first runner that failed, else 0.
 * Where none can be forked, run(ctx, NULL) is called here.
 */
int relay_run(const struct run_options *o, int (*run)(void *ctx, struct relay *relay), void *ctx);

/* ---- in a runner; NULL: it runs alone */

/* Is another one before it, whose file it goes on with? */
bool relay_follows(const struct relay *r);
/* Is there another one, before or after it? */
bool relay_is_part(const struct relay *r);
/* Begins its window when it is open, a while after that, and tells. */
void relay_fit(struct relay *r, struct collect_options *o);
/* How long the window of the first runner was open at `begin`. */
u64 relay_before(const struct relay *r, u64 begin);
/*
 * Once a second, `begin` and `end` being of its window: hands over when it is time to, if the file
 * is one that others can go on with. Returns when the window is to end, since another one begins
 * then; UINT64_MAX: none is known.
 */
u64 relay_step(struct relay *r, const struct run_options *o, u64 begin, u64 end, int file);
/*
 * The file that the runner before it has begun, to append to; it may write once it has the lock.
 */
int relay_open(const struct relay *r, const char *path, struct error *error);
/* Takes the lock of a file. False: another runner has it, or, if `wait`, it cannot be locked. */
bool relay_lock(int file, bool wait);

#endif
