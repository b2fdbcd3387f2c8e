/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.h: what this process was given by the one that started it, and changes for itself:
 * descriptors, signals, scheduling, limits; and whether it has been given more rights than its
 * caller has. A program that is run for the caller gets all of that back.
 */
#ifndef WICK_CALLER_H
#define WICK_CALLER_H

#include "base.h"

/*
 * Does the process have rights that its caller lacks: by a setuid or setgid bit, or by capabilities
 * of its file?
 */
bool caller_is_less(void);

/*
 * Gives each standard descriptor that the caller has closed to what can neither be read nor
 * written, so that no file that is opened later gets its number.
 */
void caller_fill_descriptors(void);

/*
 * In a child of one thread, before it execs: descriptors, ignored and blocked signals, scheduling
 * policy, nice value and limits are the caller's again. What cannot be restored, as a policy that
 * takes a privilege, stays.
 */
void caller_restore(void);

#endif
