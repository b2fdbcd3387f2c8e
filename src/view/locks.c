/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.c: what `wick locks` draws: the waits of the log of blocks that were for locks.
 *
 *	[lock 0x7f3e08 of worker-12];worker;user...;kernel...;--;holder;user...;kernel...
 *
 * A line's value is the time that the threads of the first part waited while the holder was there.
 * What else the holder waited for is not followed: `wick why` does.
 */
#include "metrics.h"
#include "sched.h"
#include "why.h"

struct projection {
	struct profile *p;
	const struct view_options *options;
	const struct stack_sink *sink;
	struct why_locks locks;
	struct why_pieces pieces;
	struct frames frames;
};

static void add_lock(struct projection *x, u32 ref)
{
	const struct why_lock *lock = &x->locks.all.at[x->locks.of_block.at[ref] - 1];
	_cleanup_strbuf_ struct strbuf name = {};

	strbuf_addc(&name, '[');
	why_lock_name(x->p, lock, &name);
	strbuf_addc(&name, ']');
	frames_add_note(&x->frames, x->p, name.s);
}

static void add_running(struct projection *x, u32 ref)
{
	const struct hop *hop = ref == WHY_NO_BLOCK ? NULL : why_hop(x->p, &x->p->blocks.at[ref]);

	if (hop)
		frames_add_stack(&x->frames, x->p, hop->user);
	frames_add_note(&x->frames, x->p, "[ran]");
}

static void add_holder(struct projection *x, const struct why_holder *holder)
{
	const struct why_step *step;

	frames_add_note(&x->frames, x->p, "--");
	if (holder->step == WHY_NO_STEP) {
		frames_add_note(&x->frames, x->p, "[unknown]");
		return;
	}
	step = &x->pieces.steps.at[holder->step];
	frames_add_group(&x->frames, x->p, step->leg, group_above_root(x->options->group));
	if (holder->what == WHY_RAN)
		add_running(x, step->block);
	else if (holder->block == WHY_NO_BLOCK)
		frames_add_note(&x->frames, x->p,
				holder->what == WHY_SHORT_WAITS ? "[short waits]" : "[unknown]");
	else
		frames_add_wait(&x->frames, x->p, x->p->blocks.at[holder->block].user,
				x->p->blocks.at[holder->block].kernel);
	if (holder->what == WHY_NO_CPU)
		frames_add_note(&x->frames, x->p, "[runqueue]");
}

static void give_piece(struct projection *x, u32 ref, const struct why_piece *piece)
{
	const struct block *block = &x->p->blocks.at[ref];
	struct why_holder holder = why_lock_holder(&x->locks, ref, &x->pieces, piece);
	size_t first;

	add_lock(x, ref);
	frames_add_group(&x->frames, x->p, block->leg, x->options->group);
	frames_add_wait(&x->frames, x->p, block->user, block->kernel);
	first = x->frames.nr;
	add_holder(x, &holder);
	frames_of_waker(&x->frames, x->p, first);
	frames_give(&x->frames, x->p, x->options,
		    (struct weighted_stack){
			    .leg = block->leg,
			    .waker = x->sink->wakers ? sched_waker(x->p, block->chain) : 0,
			    .state = sched_letter(block->state),
			    .value = piece->ns,
		    },
		    x->sink);
	x->frames.nr = 0;
}

static void project_locks(struct profile *p, const struct view_options *options,
			  const struct stack_sink *sink)
{
	struct projection x = {.p = p, .options = options, .sink = sink};

	if (!options->why)
		return;
	why_locks_find(&x.locks, options->why);
	for (u32 ref = 0; ref < x.locks.of_block.nr; ref++) {
		struct sample is = {.kind = WICK_SCHED, .state = p->blocks.at[ref].state};

		if (!x.locks.of_block.at[ref] || !sched_is_shown(&is, options))
			continue;
		why_explain_all_like(options->why, ref, &x.pieces);
		vec_for_each (&x.pieces.pieces, piece)
			give_piece(&x, ref, piece);
	}
	vec_release(&x.frames);
	why_pieces_release(&x.pieces);
	why_locks_release(&x.locks);
}

const struct view locks_view = {
	.name = "locks",
	.title = "Waits for locks",
	.summary = "who waits for which lock, and above it what its holder did; width: time waited",
	.brief = "who waits for which lock, and what its holder did",
	.needs = NEED_SCHED | NEED_WAKERS | NEED_CHAINS,
	.colors = "waits",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1)},
	.project = project_locks,
	.reading =
		"The lowest box is a lock; above it stands the stack of a thread that waits for it, then a box "
		"\"--\", and above that the thread that has the lock meanwhile, with what it does: a stack on which it "
		"waits, or from which it let the lock go, with [ran] on top. Waits that were too short to be walked "
		"are not drawn.\n\n"
		"A lock of a program is a futex, named by its address and process. One of the kernel is named by the "
		"function that takes it. The page, which is printed without -o, is a table of the locks.",
	.example =
		"[lock 0x7f3e08 of worker-12];worker;main;takes;futex_wait;--;holder;main;reads;pipe_read 900\n"
		"[lock 0x7f3e08 of worker-12];worker;main;takes;futex_wait;--;holder;main;lets_go;[ran] 100",
	.meaning =
		"worker waited 1 ms for a lock. Its holder read from a pipe for 0.9 ms of that, with the lock held, "
		"and ran for the rest.",
};
