/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wick_glob.h: shell patterns on thread names, the same code in BPF and in user space.
 *
 * A pattern is compiled into a nondeterministic automaton that is run with one bit a token
 * (Baeza-Yates & Gonnet, "A new approach to text searching", 1992): a byte is one table lookup, a
 * shift and an or, there is no backtracking, and a loop of at most 15 rounds is easy to verify.
 *
 *	*	any bytes, also none		[a-z]	one of these
 *	?	any one byte			[!a-z]	none of these
 *	\x	x itself
 */
#ifndef WICK_GLOB_H
#define WICK_GLOB_H

#include "wick.h"

/*
 * State after a star or a token was reached: a star may be passed without taking a byte. Compiling
 * folds runs of stars into one, so that one step closes the set.
 */
static inline __u64 wick_glob_close(const volatile struct wick_glob *glob, __u64 state)
{
	return state | (state & glob->stars) << 1;
}

/* Does the whole of the NUL-terminated `comm` match? */
static inline int wick_glob_match(const volatile struct wick_glob *glob,
				  const char comm[WICK_COMM_SIZE])
{
	__u64 state = wick_glob_close(glob, 1);

	for (int i = 0; i < WICK_COMM_SIZE - 1 && comm[i]; i++) {
		__u64 taken = state & glob->accept[(unsigned char)comm[i]];

		/* A star stays where it is when it takes a byte, every other token moves on. */
		state = (taken & ~glob->stars) << 1 | (taken & glob->stars);
		state = wick_glob_close(glob, state);
	}
	return (state & glob->end) != 0;
}

#ifndef __bpf__
#include "base/base.h"

/* Compiles a pattern. -EINVAL: a `[` that is not closed, or more than WICK_GLOB_MAX tokens. */
int wick_glob_compile(struct wick_glob *glob, const char *pattern, struct error *error);
#endif

#endif
