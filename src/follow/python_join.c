/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_join.h"

static bool is_evaluator(u64 word)
{
	return (word & WICK_FRAME_IN_FILE) && (word & WICK_FRAME_EVALUATOR);
}

static u32 nr_evaluators(const struct python_stack *stack)
{
	u32 nr = 0;

	for (u32 i = 0; i < stack->nr_native; i++)
		nr += is_evaluator(stack->native[i]);
	return nr;
}

/* What follows the last entry is a group too: the rest of it was cut. */
static u32 nr_groups(const struct python_stack *stack)
{
	u32 nr = 0;

	for (u32 i = 0; i < stack->nr_frames; i++)
		nr += (stack->frames[i].place & WICK_PYTHON_IS_ENTRY) || i + 1 == stack->nr_frames;
	return nr;
}

/* The frames of a group that begins at `at`; returns where the next one does. */
static u32 give_group(const struct python_stack *stack, u32 at, const struct python_sink *sink)
{
	while (at < stack->nr_frames) {
		const struct wick_python_frame *frame = &stack->frames[at++];

		if (frame->code)
			sink->python(sink->ctx, frame);
		if (frame->place & WICK_PYTHON_IS_ENTRY)
			break;
	}
	return at;
}

void python_join(const struct python_stack *stack, const struct python_sink *sink)
{
	u32 evaluators = nr_evaluators(stack), groups = nr_groups(stack), at = 0;
	u32 alone = stack->is_whole && evaluators > groups ? evaluators - groups : 0;
	u32 more = stack->is_whole && groups > evaluators ? groups - evaluators : 0;

	for (u32 i = 0; i < stack->nr_native; i++) {
		if (!is_evaluator(stack->native[i]) || alone || at == stack->nr_frames) {
			alone -= alone && is_evaluator(stack->native[i]);
			sink->native(sink->ctx, stack->native[i]);
			continue;
		}
		for (; more; more--)
			at = give_group(stack, at, sink);
		at = give_group(stack, at, sink);
	}
	while (at < stack->nr_frames)
		at = give_group(stack, at, sink);
}
