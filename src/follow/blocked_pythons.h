/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocked_pythons.h: Python's frames of threads that were blocked when BPF copied their stacks:
 * they are read from the process's memory, where the thread still has that stack.
 */
#ifndef FOLLOW_BLOCKED_PYTHONS_H
#define FOLLOW_BLOCKED_PYTHONS_H

#include "files.h"
#include "python_codes.h"

struct blocked_pythons;

struct blocked_python {
	file_ref code; /* the run-time code of its process */
	struct wick_python python;
	u64 base; /* where the interpreter lies */
	struct files_python_thread thread;
};

struct blocked_stack {
	const struct wick_python_frame
		*frames; /* innermost first; ids as python_codes.h has them */
	u32 nr;		 /* 0: they could not be had */
	bool cut;
	u64 evaluator, evaluator_end; /* addresses */
};

struct blocked_pythons *blocked_pythons_new(struct files *files);
void blocked_pythons_free(struct blocked_pythons *b);

/* A number by which it is asked for; 0: there are too many. */
u32 blocked_pythons_add(struct blocked_pythons *b, const struct blocked_python *thread);
/* Asks for all that were added since: together, if they are of one process. */
void blocked_pythons_ask(struct blocked_pythons *b);
/*
 * Does not wait: false while there is no answer. The functions that are met are added to `codes`;
 * the frames live as long as `b`.
 */
bool blocked_pythons_find(struct blocked_pythons *b, u32 number, struct python_codes *codes,
			  struct blocked_stack *stack);

#endif
