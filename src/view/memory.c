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
		    unsigned int column, const struct stack_sink *sink)
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
		frames_give(&frames, p, options,
			    (struct weighted_stack){.leg = sample->leg,
						    .value = sample->column[column]},
			    sink);
	}
	vec_release(&frames);
}

static void project_faults(struct profile *p, const struct view_options *options,
			   const struct stack_sink *sink)
{
	project(p, options, WICK_FAULT, options->metric->column, sink);
	frames_add_losses(p, options, WICK_FAULT, sink);
}

const struct view faults_view = {
	.name = "faults",
	.title = "Page-fault flame graph",
	.summary = "where memory becomes resident; width: faults, bytes or time in them",
	.brief = "where memory becomes resident: page faults",
	.needs = NEED_FAULT,
	.colors = "memory",
	.each_metric = true,
	.metrics = {COUNT_OF("faults", 0), BYTES(1), MICROSECONDS(2), NANOSECONDS(2)},
	.project = project_faults,
	.reading = "Width is page faults; with --metric bytes, the memory that became "
		   "resident in them; with --metric us, the time that they took. record draws "
		   "all three. A page costs memory when a program touches it, not when the "
		   "program asks for it: in bytes, this graph shows where resident memory "
		   "comes from. Kernel frames on top: the fault was taken in a system call, "
		   "or the call made the memory resident itself. [major fault]: the fault had "
		   "to wait for a disk.",
	.example = "load;main;read_table;parse;memset 20000\n"
		   "load;main;map_index;lookup;[major fault] 300",
	.meaning = "20,000 pages of 4 KiB, 80 MiB, became resident when parse cleared its "
		   "memory. 300 pages of the index had to be read from the disk, one by one.",
};

/* What is held has been followed apart from the counts: their losses are none of it. */
static void project_calls(struct profile *p, const struct view_options *options,
			  enum wick_kind kind, const struct stack_sink *sink)
{
	if (options->outstanding) {
		project(p, options, kind, HELD_COLUMN, sink);
		return;
	}
	project(p, options, kind, options->metric->column, sink);
	frames_add_losses(p, options, kind, sink);
}

static void project_brk(struct profile *p, const struct view_options *options,
			const struct stack_sink *sink)
{
	project_calls(p, options, WICK_BRK, sink);
}

const struct view brk_view = {
	.name = "brk",
	.title = "Heap growth (brk) flame graph",
	.summary = "where the heap grows, by brk(); width: bytes",
	.brief = "where the heap grows, by brk()",
	.needs = NEED_BRK,
	.colors = "memory",
	.metrics = {BYTES(1), COUNT_OF("calls", 0)},
	.project = project_brk,
	.reading = "Width is the number of bytes by which the end of the heap moved, as brk() "
		   "returned it. malloc grows the heap for small blocks and maps large ones: "
		   "see mmap. With --outstanding, width is the part that is still there at "
		   "the end of the run.",
	.example = "app;main;read_config;strdup;malloc;sysmalloc;__sbrk;brk 135168",
	.meaning = "The heap grew by 132 KiB, its usual step, when read_config copied a "
		   "string. The caller that makes the heap grow need not be the one that took "
		   "most of it, but many such stacks are a fair sample.",
};

static void project_mmap(struct profile *p, const struct view_options *options,
			 const struct stack_sink *sink)
{
	project_calls(p, options, WICK_MMAP, sink);
}

const struct view mmap_view = {
	.name = "mmap",
	.title = "Mapped memory (mmap) flame graph",
	.summary = "where memory is mapped, by mmap() and mremap(); width: bytes",
	.brief = "where memory is mapped, and what is still held",
	.needs = NEED_MMAP,
	.colors = "memory",
	.metrics = {BYTES(1), COUNT_OF("calls", 0)},
	.project = project_mmap,
	.reading = "Width is the number of bytes that mmap() mapped and mremap() added. "
		   "[file-backed]: a mapping of a file; without it, of anonymous memory. With "
		   "--outstanding, width is the memory that was mapped in the run and not "
		   "given back before its end: where a leak grows. Mappings without access "
		   "(PROT_NONE) are addresses, not memory; only --reserved draws them.",
	.example = "app;main;serve;new_session;malloc;sysmalloc_mmap;mmap 52428800",
	.meaning = "With --outstanding: sessions took 50 MiB in this run that are still "
		   "mapped.",
};
