/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weigh.c: the weighted stacks of a view, for formats that take more than one value of a stack. */
#include "sched.h"
#include "why.h"

static void weigh_by(const struct view *view, struct profile *p, const struct view_options *options,
		     const struct metric *metric, struct weighted_stacks *stacks)
{
	struct view_options of_metric = *options;
	struct stack_sink sink = weighted_stacks_sink(stacks);

	of_metric.metric = metric;
	weighted_stacks_begin(stacks, metric->unit);
	view->project(p, &of_metric, &sink);
}

static void add_block(struct profile *p, const struct view_options *options,
		      const struct block *block, struct weighted_stacks *stacks)
{
	struct frames frames = {};

	frames_add_group(&frames, p, block->leg, options->group);
	frames_add_wait(&frames, p, block->user, block->kernel);
	if (frames_operate(&frames, p, options, 0))
		*vec_add(&stacks->blocks) = (struct weighted_block){
			.node = weighted_stacks_node(stacks, frames.at, frames.nr),
			.leg = block->leg,
			.waker = sched_waker(p, block->chain),
			.waker_leg = sched_waker_leg(p, block->chain),
			.state = sched_letter(block->state),
			.begin = block->begin,
			.end = block->woken,
			.ran = block->end,
		};
	vec_release(&frames);
}

static int compare_begins(const void *a, const void *b)
{
	const struct weighted_block *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

static bool is_left_out(const struct view_options *options, u32 block)
{
	return options->no_idle && options->why && why_class(options->why, block) == WHY_IDLE;
}

/* The waits of the log that the options leave in. A series is none: when each was is not known. */
static void add_blocks(struct profile *p, const struct view_options *options,
		       struct weighted_stacks *stacks)
{
	for (size_t i = 0; i < profile_nr_chosen(p); i++) {
		const struct block block = p->blocks.at[i];
		struct sample sample = {.kind = WICK_SCHED, .state = block.state};

		if (!block.more && sched_is_shown(&sample, options) &&
		    !is_left_out(options, (u32)i))
			add_block(p, options, &block, stacks);
	}
	vec_sort(&stacks->blocks, compare_begins);
}

/* The first metric of the view that has this column: another one is the same in another unit. */
static const struct metric *first_of_column(const struct view *view, unsigned int column)
{
	const struct metric *metric = view->metrics;

	while (metric->column != column)
		metric++;
	return metric;
}

void view_weigh(const struct view *view, struct profile *p, const struct view_options *options,
		struct weighted_stacks *stacks)
{
	stacks->profile = p;
	/* Samples of CPUs alone are of equal length. */
	stacks->frequency = view->needs == NEED_CPU ? p->frequency : 0;
	weigh_by(view, p, options, options->metric, stacks);
	/* What is held at the end has one value, whatever the metric. */
	for (size_t i = 0; !options->outstanding && i < MAX_METRICS; i++) {
		const struct metric *metric = &view->metrics[i];

		if (metric->unit.name && metric->column != options->metric->column &&
		    first_of_column(view, metric->column) == metric)
			weigh_by(view, p, options, metric, stacks);
	}
	stacks->has_waits = view->needs & NEED_SCHED;
	if (stacks->has_waits && stacks->with_blocks)
		add_blocks(p, options, stacks);
	if (options->operations)
		weighted_stacks_prune(stacks, options->operations);
}
