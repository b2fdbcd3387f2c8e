/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_fixture.h: a profile built by hand, and what views make of it. */
#ifndef WICK_VIEW_FIXTURE_H
#define WICK_VIEW_FIXTURE_H

#include "test.h"
#include "base/strbuf.h"
#include "emit.h"
#include "view.h"
#include "why.h"

struct fixture {
	struct profile p;
	struct view_options options;
	u32 sleeper, waker, other; /* legs */
	u32 user, kernel;	   /* main;work, and read down to __schedule */
};

/* "root;...;leaf" as a stack. */
static inline u32 stack(struct fixture *f, enum frame_kind kind, const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	VEC(u32) frames = {};
	char *rest = copy, *name;
	u32 ref;

	while ((name = strsep(&rest, ";"))) {
		u32 function = profile_function(&f->p, name, strlen(name), "", kind, true);
		u32 frame = profile_frame(&f->p, SPACE_KERNEL, (u32)kind, function);

		f->p.frames.at[frame].function = function;
		*vec_add(&frames) = frame;
	}
	for (size_t i = 0; i < frames.nr / 2; i++) {
		u32 swap = frames.at[i];

		frames.at[i] = frames.at[frames.nr - 1 - i];
		frames.at[frames.nr - 1 - i] = swap;
	}
	ref = profile_stack(&f->p, frames.at, frames.nr, WICK_COMPLETE);
	vec_release(&frames);
	return ref;
}

static inline u32 thread(struct fixture *f, const char *comm, u32 pid, u32 tid)
{
	struct image image = {.pid = pid, .start_ns = pid, .comm = strings_adds(&f->p.names, comm)};
	struct leg leg = {.pid = pid, .tid = tid, .start_ns = tid, .comm = image.comm};

	leg.image = profile_image(&f->p, &image);
	return profile_leg(&f->p, &leg);
}

static inline void fixture_init(struct fixture *f)
{
	*f = (struct fixture){};
	profile_init(&f->p);
	f->p.begin = 1000 * NSEC_PER_SEC;
	f->p.end = f->p.begin + 10 * NSEC_PER_SEC;
	f->sleeper = thread(f, "my app", 10, 11);
	f->waker = thread(f, "the waker", 20, 20);
	f->other = thread(f, "other", 30, 30);
	f->user = stack(f, FRAME_USER, "main;work");
	f->kernel = stack(f, FRAME_KERNEL, "do_syscall_64;ksys_read;schedule;__schedule");
}

static inline void fixture_release(struct fixture *f)
{
	profile_release(&f->p);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

static inline u64 project(struct fixture *f, const char *name, const char *metric,
			  struct call_tree *tree)
{
	const struct view *view = view_by_name(name);
	struct view_options options = f->options;
	struct stack_sink sink = call_tree_sink(tree);
	struct why *why = why_new(&f->p);

	options.why = why;
	options.metric = metric_by_name(view, metric);
	call_tree_init(tree, &f->p.names);
	if (options.operations)
		operations_begin(options.operations);
	view->project(&f->p, &options, &sink);
	call_tree_finish(tree);
	if (options.operations)
		call_tree_prune(tree, options.operations);
	why_free(why);
	return tree->sum;
}

static inline char *lines_in(struct fixture *f, const char *name, const char *metric, bool annotate)
{
	struct caption caption = {.annotate = annotate};
	struct call_tree tree;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct error error;

	caption.unit = metric_by_name(view_by_name(name), metric)->unit;
	project(f, name, metric, &tree);
	CHECK_EQ(format_by_name("folded")->write(&tree, &caption, out, &error), 0);
	fclose(out);
	call_tree_release(&tree);
	return text;
}

/* `metric`: NULL: the view's own. */
#define CHECK_LINES_BY(f, view, metric, want)                                                      \
	do {                                                                                       \
		_cleanup_free_ char *lines = lines_in(f, view, metric, false);                     \
		CHECK_STR(lines, want);                                                            \
	} while (0)

#define CHECK_LINES(f, view, want) CHECK_LINES_BY(f, view, NULL, want)

#endif
