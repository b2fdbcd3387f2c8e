/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bug.h: what holds unless wick itself is wrong.
 *
 *	if (bug(ref >= pool->nr))
 *		return (struct string){"", 0};
 *
 * bug() is true where the condition is. The first time at each place it says so on standard error;
 * then the caller goes on without what is wrong, since ending a run would lose what was collected.
 * Nothing that comes from outside (files, the kernel's records, other processes, options) may
 * fulfil it: that is no bug, but a case. What no input can change, as whether a table of the
 * program has room for its own rows, is asserted.
 */
#ifndef WICK_BUG_H
#define WICK_BUG_H

#include <stdbool.h>
#include <stdint.h>

#define bug(condition)                                                                             \
	({                                                                                         \
		static bool bug_is_said;                                                           \
		__builtin_expect((condition) &&                                                    \
					 bug_found(&bug_is_said, __FILE__, __LINE__, #condition),  \
				 0);                                                               \
	})

/* Always true. Signal-safe, and safe in any thread. */
bool bug_found(bool *is_said, const char *file, int line, const char *condition);
/* How often bug() was true in this process. */
uint64_t bugs_found(void);

#endif
