/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h: builds the frames of one stack, root first: what all views do. */
#ifndef VIEW_STACKS_H
#define VIEW_STACKS_H

#include "view.h"

/* The root frame of a leg; of GROUP_PROCESS also a second one. Nothing for GROUP_NONE. */
void frames_add_group(struct frames *f, struct profile *p, u32 leg, enum grouping group);
/* For threads that are not at the root: they are one frame, and always there. */
enum grouping group_above_root(enum grouping group);
/* Frames from `first` on, but for notes, become those of a thread that the ones before wait for. */
void frames_of_waker(struct frames *f, struct profile *p, size_t first);
void frames_add_note(struct frames *f, struct profile *p, const char *text);
/* The note of a walk that broke, then the stack's frames from root to leaf. */
void frames_add_stack(struct frames *f, struct profile *p, u32 stack);
/* Frames [leaf, root) of it, of a stack whose rest is not this thread's doing. */
void frames_add_part(struct frames *f, struct profile *p, u32 stack, u32 leaf, u32 root);
/* A note that ends in a name: "[timer: hrtimer_wakeup]". */
void frames_add_named_note(struct frames *f, struct profile *p, const char *what,
			   struct string name);
/* The name of a stack's frame i, counted from the leaf. */
struct string stack_name(const struct profile *p, u32 stack, u32 i);
/* Frames at the leaf that are this run's own work. */
u32 stack_own_frames(const struct profile *p, u32 stack);
/*
 * The frame nearest to the leaf that is a function of one of these two names: where the traced
 * thing happened. What is nearer to the leaf is tracing, whatever it is called. Where there is
 * none, as stack_own_frames().
 */
u32 stack_traced_at(const struct profile *p, u32 stack, const char *name, const char *other);
/* What was counted but has no key any more: boxes of their own, so that widths stay true. */
void frames_add_losses(struct profile *p, const struct view_options *options, enum wick_kind kind,
		       const struct stack_sink *sink);
/*
 * Gives them to the sink, below their host where the profile has several, with all else that the
 * stack is told to have, unless the operations remove it; leaf first for --reverse, but for the
 * group frames, which stay at the root. Changes the frames.
 */
void frames_give(struct frames *f, struct profile *p, const struct view_options *options,
		 struct weighted_stack stack, const struct stack_sink *sink);
/* The options' operations, which frames_give() begins with; false: they remove the stack. */
bool frames_operate(struct frames *f, struct profile *p, const struct view_options *options,
		    u64 value);

#endif
