/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.c: which share of user frames has names, and which files and processes have the others. */
#include "base/numbers.h"
#include "advice.h"
#include "facts.h"

/* Of frames without names, by file or by image. */
struct weights {
	VEC_FIELDS(u64);
};

static void add_weight(struct weights *w, u32 ref, u64 weight)
{
	while (w->nr <= ref)
		vec_add(w);
	add_to_sum(&w->at[ref], weight);
}

static void weigh_stack(struct name_facts *names, struct weights *files, struct weights *images,
			const struct profile *p, const struct stack *stack, u64 weight)
{
	for (u32 i = 0; i < stack->nr; i++) {
		const struct frame *frame = &p->frames.at[p->stack_frames.at[stack->first + i]];

		bool named = p->functions.at[frame->function].named;

		if (frame->space == SPACE_NOTE && !named)
			continue;
		add_to_sum(&names->all, weight);
		if (named)
			add_to_sum(&names->named, weight);
		else if (frame->space == SPACE_FILE)
			add_weight(files, frame->origin, weight);
		else if (frame->space == SPACE_IMAGE)
			add_weight(images, frame->origin, weight);
	}
}

static struct nameless file_row(const struct profile *p, u32 ref, u64 weight)
{
	const struct profile_file *file = &p->files.at[ref];

	if (!ref)
		return (struct nameless){.what = NAMELESS_CODE, .weight = weight};
	return (struct nameless){
		.what = NAMELESS_FILE,
		.weight = weight,
		.name = strings_get(&p->names, file->name),
		.path = strings_get(&p->names, file->path),
		.state = file->state,
	};
}

/* ---- what makes a process's code */

/*
 * A process may have any name (a server's own, a title, a thread's): the file of a runtime in its
 * stacks says more. By image, the row of that file; 0: none was seen.
 */
struct runtimes {
	VEC_FIELDS(u32);
};

static void note_runtime(struct runtimes *r, const struct profile *p, const struct sample *sample,
			 const bool *is_runtime)
{
	const struct stack *stack = &p->stacks.at[sample->user];
	u32 image = p->legs.at[sample->leg].image;

	for (u32 i = 0; i < stack->nr && !r->at[image]; i++) {
		const struct frame *frame = &p->frames.at[p->stack_frames.at[stack->first + i]];

		if (frame->space == SPACE_FILE && is_runtime[frame->origin])
			r->at[image] = frame->origin;
	}
}

static void find_runtimes(struct runtimes *r, const struct profile *p)
{
	_cleanup_free_ bool *is_runtime = xcalloc(p->files.nr, sizeof(*is_runtime));

	for (u32 i = 1; i < p->files.nr; i++)
		is_runtime[i] = advice_knows_runtime(strings_get(&p->names, p->files.at[i].name).s);
	while (r->nr < p->images.nr)
		vec_add(r);
	vec_for_each (&p->samples, sample)
		note_runtime(r, p, sample, is_runtime);
}

static struct string runtime_of(const struct runtimes *r, const struct profile *p, u32 image)
{
	u32 file = image < r->nr ? r->at[image] : 0;

	return file ? strings_get(&p->names, p->files.at[file].name) : (struct string){};
}

/* ---- rows */

static struct nameless image_row(const struct profile *p, const struct runtimes *runtimes, u32 ref,
				 u64 weight)
{
	const struct image *image = &p->images.at[ref];

	if (!ref)
		return (struct nameless){.what = NAMELESS_CODE, .weight = weight};
	return (struct nameless){
		.what = NAMELESS_PROCESS,
		.weight = weight,
		.name = strings_get(&p->names, image->comm),
		.state = image->state,
		.pid = image->pid,
		.inner_pid = image->inner_pid,
		.has_code = image->has_code,
		.runtime = runtime_of(runtimes, p, ref),
	};
}

static int compare_nameless(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

static void list_worst(struct name_facts *names, const struct weights *files,
		       const struct weights *images, const struct profile *p)
{
	struct runtimes runtimes = {};

	find_runtimes(&runtimes, p);
	for (u32 i = 0; i < files->nr; i++)
		if (files->at[i])
			*vec_add(&names->worst) = file_row(p, i, files->at[i]);
	for (u32 i = 0; i < images->nr; i++)
		if (images->at[i])
			*vec_add(&names->worst) = image_row(p, &runtimes, i, images->at[i]);
	vec_release(&runtimes);
	vec_sort(&names->worst, compare_nameless);
}

void names_finish(struct facts *f, const struct profile *p)
{
	struct weights files = {}, images = {};

	vec_for_each (&p->samples, sample)
		weigh_stack(&f->names, &files, &images, p, &p->stacks.at[sample->user],
			    sample->column[0]);
	list_worst(&f->names, &files, &images, p);
	f->names.files_without_time = p->naming.files_without_time;
	f->names.unfollowed = p->unfollowed;
	f->names.kernel_error = p->naming.kernel ? 0 : -p->naming.kernel_error;
	vec_release(&files);
	vec_release(&images);
}
