/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python_join.h: a native stack and the Python frames that were found with it, as one stack in the
 * order of calls.
 *
 *	native		sort_key	evaluator	list_sort	evaluator	main
 *	Python		a b c|				d e|
 *	together	sort_key	a b c		list_sort	d e		main
 *
 * Each frame of the evaluator stands for the Python frames up to the next entry (|). A thread can
 * be met just before the evaluator has taken up its Python frame, or after it has let go of it: so
 * where both stacks are whole, they are laid side by side from the root, and an evaluator that is
 * left at the leaf stays. Where one of them is cut, it is from the leaf.
 */
#ifndef FOLLOW_PYTHON_JOIN_H
#define FOLLOW_PYTHON_JOIN_H

#include "base/base.h"
#include "wick.h"

struct python_stack {
	const u64 *native; /* words of a struct wick_stack_body */
	u32 nr_native;
	const struct wick_python_frame *frames;
	u32 nr_frames;
	bool is_whole; /* both are */
};

/* Is told the frames of the joined stack, leaf first. */
struct python_sink {
	void (*native)(void *ctx, u64 word);
	void (*python)(void *ctx, const struct wick_python_frame *frame);
	void *ctx;
};

void python_join(const struct python_stack *stack, const struct python_sink *sink);

#endif
