/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c: where memory comes from: the faults, brk and mmap views.
 *
 *	comm;user...				a fault in user mode; a brk() or mmap()
 *	comm;user...;kernel...			a fault in the kernel, or pages that a call made
 *						resident
 *	comm;user...;[major fault]		... that had to wait for a file, or for swap
 *	comm;user...;[file-backed]		a mapping of a file
 *	comm;user...;[reserved]			one without access (PROT_NONE), on request
 */
#include "metrics.h"
#include "stacks.h"

static void add_notes(struct frames *f, struct profile *p, const struct sample *sample)
{
	if (sample->kind == WICK_FAULT && sample->state & WICK_MEMORY_MAJOR)
		frames_add_note(f, p, "[major fault]");
	if (sample->state & WICK_MEMORY_FILE)
		frames_add_note(f, p, "[file-backed]");
	if (sample->state & WICK_MEMORY_RESERVED)
		frames_add_note(f, p, "[reserved]");
}

/* Addresses cost nothing: 64 GB of them would leave no room for the memory that is there. */
static bool is_shown(const struct sample *sample, const struct view_options *options)
{
	return options->reserved || !(sample->state & WICK_MEMORY_RESERVED);
}

/* Where a call has made memory resident, without the function that tells of it. */
static void add_kernel(struct frames *f, struct profile *p, u32 kernel)
{
	u32 leaf = stack_own_frames(p, kernel), nr = p->stacks.at[kernel].nr;
	struct string name = leaf < nr ? stack_name(p, kernel, leaf) : (struct string){};

	if (name.size &&
	    memmem(name.s, name.size, "mm_trace_rss_stat", strlen("mm_trace_rss_stat")))
		leaf++;
	frames_add_part(f, p, kernel, leaf, nr);
}

static void project(struct profile *p, const struct view_options *options, enum wick_kind kind,
		    unsigned int column, struct call_tree *tree)
{
	struct frames frames = {};

	for (size_t i = 0; i < p->samples.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		if (sample->kind != kind || !is_shown(sample, options) || !sample->column[column])
			continue;
		frames.nr = 0;
		frames_add_group(&frames, p, sample->leg, options->group);
		frames_add_stack(&frames, p, sample->user);
		add_kernel(&frames, p, sample->kernel);
		add_notes(&frames, p, sample);
		if (options->reverse)
			frames_reverse(&frames, options->group != GROUP_NONE);
		call_tree_add(tree, frames.at, frames.nr, sample->column[column]);
	}
	vec_release(&frames);
}

static void project_faults(struct profile *p, const struct view_options *options,
			   struct call_tree *tree)
{
	project(p, options, WICK_FAULT, options->metric->column, tree);
	frames_add_losses(p, options, WICK_FAULT, tree);
}

const struct view faults_view = {
	.name = "faults",
	.title = "Page-fault flame graph",
	.summary = "where memory becomes resident; width: faults, bytes or time in them",
	.needs = NEED_FAULT,
	.colors = "mem",
	.each_metric = true,
	.metrics = {COUNT_OF("faults", 0), BYTES(1), MICROSECONDS(2), NANOSECONDS(2)},
	.project = project_faults,
};

/* What is held has been followed apart from the counts: their losses are none of it. */
static void project_calls(struct profile *p, const struct view_options *options,
			  enum wick_kind kind, struct call_tree *tree)
{
	if (options->outstanding) {
		project(p, options, kind, HELD_COLUMN, tree);
		return;
	}
	project(p, options, kind, options->metric->column, tree);
	frames_add_losses(p, options, kind, tree);
}

static void project_brk(struct profile *p, const struct view_options *options,
			struct call_tree *tree)
{
	project_calls(p, options, WICK_BRK, tree);
}

const struct view brk_view = {
	.name = "brk",
	.title = "Heap growth (brk) flame graph",
	.summary = "where the heap grows, by brk(); width: bytes",
	.needs = NEED_BRK,
	.colors = "mem",
	.metrics = {BYTES(1), COUNT_OF("calls", 0)},
	.project = project_brk,
};

static void project_mmap(struct profile *p, const struct view_options *options,
			 struct call_tree *tree)
{
	project_calls(p, options, WICK_MMAP, tree);
}

const struct view mmap_view = {
	.name = "mmap",
	.title = "Mapped memory (mmap) flame graph",
	.summary = "where memory is mapped, by mmap() and mremap(); width: bytes",
	.needs = NEED_MMAP,
	.colors = "mem",
	.metrics = {BYTES(1), COUNT_OF("calls", 0)},
	.project = project_mmap,
};
