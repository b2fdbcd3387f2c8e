/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash.h: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT in wick itself. Where that was is said, and
 * what was collected is written all the same, as far as it can be, in bounded time. Then wick dies
 * by the signal.
 */
#ifndef CMD_CRASH_H
#define CMD_CRASH_H

#include <stdbool.h>

enum crash_attempt {
	CRASH_HERE,	/* in the thread that crashed; other threads but the main one go on */
	CRASH_IN_CHILD, /* what the first attempt crashed or hung in, or did not manage: with less */
};

/* Writes what is there; returns whether it did. */
typedef bool crash_rescue(void *ctx, enum crash_attempt attempt);

/*
 * From here on, in all threads. A build with the address sanitizer leaves it to that. To be called
 * once, by the main thread.
 */
void crash_catch(void);
/* Until the next call this writes what there is. NULL: there is nothing, at first and again. */
void crash_rescue_by(crash_rescue *rescue, void *ctx);

#endif
