/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize.c: sorts the frames of a profile by where their addresses count from, asks each of
 * these origins once for all its addresses, and turns the answers into functions.
 *
 *	frames, sorted   file 1: 0x1000 0x1f20 | file 2: 0x88 | image 3: 0x7f.. | kernel: ...
 *	                 \---- one request ---/ \-- another -/ ...
 *
 * All requests are made before the first answer is waited for, so that files are read side by side.
 */
#include "build_id.h"
#include "called.h"
#include "downloaded.h"
#include "naming.h"
#include "symbolize.h"

/* Frames with one origin; `nr` places in run.frames and run.addresses from `first` on. */
struct group {
	enum frame_space space;
	u32 origin;
	size_t first, nr;
	struct files_request *request, *lines; /* NULL: nothing is asked */
};

struct run {
	struct profile *profile;
	struct files *files;
	u32 *frames;	/* refs, sorted by space, origin, address */
	u64 *addresses; /* of those */
	size_t nr;
	VEC(struct group) groups;
	struct naming_result *result; /* the profile's */
	unsigned int timeout_ms;
};

static int compare_frames(const void *a, const void *b, void *profile)
{
	const struct frame *frames = ((const struct profile *)profile)->frames.at;
	const struct frame *x = &frames[*(const u32 *)a], *y = &frames[*(const u32 *)b];

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void run_init(struct run *run, struct profile *p)
{
	run->profile = p;
	run->frames = xcalloc(p->frames.nr, sizeof(*run->frames));
	run->addresses = xcalloc(p->frames.nr, sizeof(*run->addresses));
	for (u32 i = 0; i < p->frames.nr; i++)
		if (p->frames.at[i].space != SPACE_NOTE)
			run->frames[run->nr++] = i;
	qsort_r(run->frames, run->nr, sizeof(*run->frames), compare_frames, p);
	for (size_t i = 0; i < run->nr; i++) {
		const struct frame *frame = &p->frames.at[run->frames[i]];
		struct group *last = run->groups.nr ? &run->groups.at[run->groups.nr - 1] : NULL;

		run->addresses[i] = frame->address;
		if (!last || last->space != frame->space || last->origin != frame->origin) {
			last = vec_add(&run->groups);
			last->space = frame->space;
			last->origin = frame->origin;
			last->first = i;
		}
		last->nr++;
	}
}

static void run_release(struct run *run)
{
	free(run->frames);
	free(run->addresses);
	vec_release(&run->groups);
}

static void set_function(struct run *run, size_t place, u32 function)
{
	run->profile->frames.at[run->frames[place]].function = function;
	if (run->profile->functions.at[function].named)
		run->result->resolved++;
	else
		run->result->unresolved++;
}

/* The kernel. */

static void name_kernel(struct run *run, const struct group *group,
			const struct kernel_namer *namers, size_t nr_namers)
{
	struct profile *p = run->profile;
	const u32 *frames = run->frames + group->first;

	for (size_t i = 0; i < group->nr; i++)
		p->frames.at[frames[i]].function = 0;
	run->result->kernel_error = name_kernel_frames(p, frames, run->addresses + group->first,
						       group->nr, namers, nr_namers);
	for (size_t i = 0; i < group->nr; i++)
		set_function(run, group->first + i, p->frames.at[frames[i]].function);
}

/* Files, images and the vdso. */

static file_ref token_of(struct run *run, const struct group *group)
{
	if (group->space == SPACE_FILE)
		return files_bound(run->files, FILES_OF_FILES, group->origin);
	if (group->space == SPACE_IMAGE)
		return files_bound(run->files, FILES_OF_IMAGES, group->origin);
	return files_vdso(run->files);
}

static const char *module_of(struct run *run, const struct group *group)
{
	const struct profile *p = run->profile;

	if (group->space == SPACE_FILE)
		return strings_get(&p->names, p->files.at[group->origin].name).s;
	return group->space == SPACE_VDSO ? "[vdso]" : "";
}

/*
 * What is shown for an address without a name: [libfoo.so.1+0x5f3a20], the start of the function by
 * its unwind entry, so that thirty functions are not one; else [libfoo.so.1], [vdso], [unknown].
 */
static u32 note_of(struct run *run, const struct group *group, const char *module, u64 address)
{
	_cleanup_free_ char *note = NULL;
	const char *base = *module == '[' ? module + 1 : module;
	int size = (int)strlen(base) - (*module == '[');
	u64 start;

	if (!*module)
		return 0;
	if (files_function_start(run->files, token_of(run, group), address, &start))
		note = format("[%.*s+0x%llx]", size, base, (unsigned long long)start);
	else
		note = format("[%.*s]", size, base);
	return profile_function(run->profile, note, strlen(note), module, FRAME_NOTE, false);
}

static void keep_state(struct run *run, const struct group *group,
		       const struct files_symbols *reply)
{
	struct profile *p = run->profile;

	if (group->space == SPACE_FILE) {
		p->files.at[group->origin].state = reply->state;
		if (reply->build_id_size)
			p->files.at[group->origin].build_id = build_id_string(p, reply);
	}
	if (group->space == SPACE_IMAGE)
		p->images.at[group->origin].state = reply->state;
}

/*
 * A symbol without a size names its own address only, where local functions have no symbol. But the
 * unwind table may know how far the function reaches that begins there: names of the starts of
 * those functions whose addresses have none. `places` are theirs in the answer; NULL: nothing is
 * to be asked.
 */
static struct files_symbols *ask_starts(struct run *run, const struct group *group,
					const struct files_symbols *reply, size_t *places)
{
	_cleanup_free_ u64 *starts = xcalloc(reply->nr, sizeof(*starts));
	file_ref token = token_of(run, group);
	size_t nr = 0;
	u64 start;

	for (size_t i = 0; i < reply->nr; i++) {
		places[i] = reply->nr;
		if (reply->at[i].name ||
		    !files_function_start(run->files, token, reply->at[i].address, &start))
			continue;
		if (!nr || starts[nr - 1] != start)
			starts[nr++] = start;
		places[i] = nr - 1;
	}
	return nr ? files_symbols(run->files, token, starts, nr, run->timeout_ms) : NULL;
}

/* The better of two answers for an address. */
static const struct files_symbol *symbol_of(const struct files_symbols *reply,
					    const struct files_symbols *starts, size_t place,
					    size_t i)
{
	const struct files_symbol *start = starts && place < starts->nr ? &starts->at[place] : NULL;

	return start && start->name && start->start == start->address ? start : &reply->at[i];
}

/* ---- lines of source */

/* What has not come by then is done without. */
static void take_lines(struct run *run, const struct group *group, u64 until_ns)
{
	struct files_lines *lines;

	if (!files_is_answered(run->files, group->lines, until_ns)) {
		run->result->files_without_time++;
		files_abandon(run->files, group->lines);
		return;
	}
	lines = files_answer_lines(run->files, group->lines);
	take_source_lines(run->profile, run->frames + group->first, lines, module_of(run, group));
	run->result->files_without_time +=
		lines->cut || lines->state == FILES_TOO_LONG || lines->state == FILES_CRASHED;
	files_lines_free(lines);
}

/* ---- all */

static void take_answer(struct run *run, const struct group *group)
{
	struct files_symbols *reply = files_answer(run->files, group->request), *starts = NULL;
	enum frame_kind kind = group->space == SPACE_IMAGE ? FRAME_JIT : FRAME_USER;
	_cleanup_free_ char *module = xstrdup(module_of(run, group));
	_cleanup_free_ size_t *places = xcalloc(group->nr, sizeof(*places));

	if (group->space == SPACE_FILE && reply->state == FILES_NO_SYMBOLS)
		starts = ask_starts(run, group, reply, places);
	for (size_t i = 0; i < group->nr; i++) {
		const struct files_symbol *symbol = symbol_of(reply, starts, places[i], i);

		set_function(run, group->first + i,
			     symbol->name ? demangled_function(run->profile, symbol->name,
							       symbol->name_size, module, kind)
					  : note_of(run, group, module, symbol->address));
	}
	keep_state(run, group, reply);
	files_symbols_free(starts);
	files_symbols_free(reply);
}

void symbolize(struct profile *p, struct files *files, const struct kernel_namer *namers,
	       size_t nr_namers, unsigned int timeout_ms, bool with_lines)
{
	_cleanup_(run_release) struct run run = {
		.files = files, .result = &p->naming, .timeout_ms = timeout_ms};
	u64 until_ns;

	p->naming = (struct naming_result){};
	run_init(&run, p);
	vec_for_each (&run.groups, group)
		if (group->space != SPACE_KERNEL)
			group->request =
				files_ask(files, token_of(&run, group),
					  run.addresses + group->first, group->nr, timeout_ms);
	vec_for_each (&run.groups, group)
		if (with_lines && (group->space == SPACE_FILE || group->space == SPACE_IMAGE))
			group->lines = files_ask_lines(files, token_of(&run, group),
						       run.addresses + group->first, group->nr,
						       timeout_ms);
	call_programs(p, files, timeout_ms);
	vec_for_each (&run.groups, group)
		if (group->space == SPACE_KERNEL)
			name_kernel(&run, group, namers, nr_namers);
	vec_for_each (&run.groups, group)
		if (group->request)
			take_answer(&run, group);
	until_ns = monotonic_ns() + ((u64)timeout_ms + files_download_ms(files)) * NSEC_PER_MSEC;
	vec_for_each (&run.groups, group)
		if (group->lines)
			take_lines(&run, group, until_ns);
}
