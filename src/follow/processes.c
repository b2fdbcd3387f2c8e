/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "javas.h"
#include "older.h"
#include "blocked_pythons.h"
#include "python_codes.h"
#include "java_rules.h"
#include "python_join.h"
#include "unwinder.h"

struct processes *processes_new(struct profile *profile, struct files *files, struct java_sink java)
{
	struct processes *p = xcalloc(1, sizeof(*p));

	p->profile = profile;
	p->files = files;
	p->older = opendir("/proc");
	p->codes = python_codes_new(profile);
	p->javas = javas_new(profile, files, java);
	return p;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	vec_for_each (p, process)
		mappings_put(process->mappings);
	vec_for_each (&p->asked, asked)
		files_abandon(p->files, asked->request);
	vec_release(&p->asked);
	table_release(&p->by_pid);
	vec_release(&p->rows);
	vec_release(&p->frames);
	python_codes_free(p->codes);
	javas_free(p->javas);
	if (p->older)
		closedir(p->older);
	vec_release(p);
	free(p);
}

struct process *process_find(struct processes *p, u32 pid)
{
	struct table_probe probe = table_probe(&p->by_pid, hash_u64(pid));

	while (table_next(&probe))
		if (p->at[probe.ref].pid == pid)
			return &p->at[probe.ref];
	return NULL;
}

struct process *process_get(struct processes *p, u32 pid)
{
	struct process *process = process_find(p, pid);

	if (process)
		return process;
	table_insert(&p->by_pid, hash_u64(pid), (u32)p->nr);
	process = vec_add(p);
	process->pid = pid;
	return process;
}

/* The row in profile.files of a file's token. */
static u32 row_of(struct processes *p, file_ref token, const char *path)
{
	if (!token)
		return 0;
	while (p->rows.nr <= token)
		vec_add(&p->rows);
	if (!p->rows.at[token]) {
		p->rows.at[token] = profile_file(p->profile, path);
		files_bind(p->files, FILES_OF_FILES, p->rows.at[token], token);
	}
	return p->rows.at[token];
}

struct mapping process_mapping(struct processes *p, const struct files_mapping *m, u64 offset)
{
	struct mapping mapping = {
		.start = m->start,
		.end = m->end,
		.offset = offset,
		.kind = mapping_kind_of(m->path, m->shared),
	};

	if (mapping.kind == MAPPING_FILE)
		mapping.file = row_of(p, files_open(p->files, m), m->path);
	return mapping;
}

u32 processes_announce_again(struct processes *p, u32 pid, const struct mapping *mapping)
{
	const struct profile_file *file = &p->profile->files.at[mapping->file];
	struct string path = strings_get(&p->profile->names, file->path);
	_cleanup_free_ char *copy = format("%.*s", (int)path.size, path.s);

	return row_of(p,
		      files_open_again(p->files,
				       files_bound(p->files, FILES_OF_FILES, mapping->file), pid,
				       mapping->start, mapping->end),
		      copy);
}

/* ---- records */

void processes_event(struct processes *p, const struct sideband_record *r,
		     struct process_event *event)
{
	*event = (struct process_event){.type = r->type,
					.time = r->time,
					.pid = r->pid,
					.tid = r->tid,
					.parent = r->parent};
	if (r->type == SIDEBAND_MMAP)
		event->mapping = process_mapping(p,
						 &(struct files_mapping){
							 .pid = r->pid,
							 .start = r->start,
							 .end = r->start + r->size,
							 .path = r->path,
							 .major = r->major,
							 .minor = r->minor,
							 .inode = r->inode,
							 .generation = r->generation,
							 .has_generation = true,
							 .shared = r->shared,
						 },
						 r->offset);
}

static void replace_mappings(struct process *process, struct mappings *mappings)
{
	mappings_put(process->mappings);
	process->mappings = mappings;
	process->gone = false;
	process->exited = 0;
}

static void apply_fork(struct processes *p, const struct process_event *event)
{
	struct process *parent;
	struct mappings *mappings;

	if (event->pid == event->parent)
		return; /* a thread */
	parent = process_find(p, event->parent);
	mappings = parent ? mappings_get(parent->mappings) : NULL;
	replace_mappings(process_get(p, event->pid), mappings);
	process_find(p, event->pid)->image = 0;
	process_find(p, event->pid)->code = 0;
}

static void apply_exec(struct processes *p, const struct process_event *event)
{
	struct process *process = process_get(p, event->pid);

	javas_forget(p->javas, event->pid);
	replace_mappings(process, mappings_new());
	process->code = 0;
}

file_ref process_code(struct processes *p, struct process *process)
{
	if (!process->code)
		process->code = files_open_perf_map(p->files, process->pid, 0, 0);
	return process->code;
}

/*
 * A process whose older mappings are not known yet: they are read first, and have this one too. If
 * they were asked for before and are not there yet, they may not.
 */
static void apply_mmap(struct processes *p, const struct process_event *event)
{
	struct process *process = process_get(p, event->pid);
	struct asked *asked;

	if (event->mapping.kind == MAPPING_CODE)
		process_code(p, process);
	if (!process->mappings && !process->gone) {
		process_read(p, process);
		process = process_find(p, event->pid);
	}
	asked = process->mappings ? NULL : process_asked(p, event->pid);
	if (asked) {
		asked->again = true;
		return;
	}
	if (!process->mappings)
		process->mappings = mappings_new();
	process->mappings = mappings_add(process->mappings, &event->mapping);
}

static void apply_exit(struct processes *p, const struct process_event *event)
{
	struct process *process = process_find(p, event->pid);

	if (!process || event->pid != event->tid)
		return;
	process->exited = event->time;
	javas_forget(p->javas, event->pid);
	if (process->code)
		files_exiting(p->files, process->code);
	else if (process->image && p->profile->images.at[process->image].has_code)
		files_exiting(p->files, files_bound(p->files, FILES_OF_IMAGES, process->image));
}

void processes_apply(struct processes *p, const struct process_event *event)
{
	switch (event->type) {
	case SIDEBAND_MMAP:
		apply_mmap(p, event);
		break;
	case SIDEBAND_EXEC:
		apply_exec(p, event);
		break;
	case SIDEBAND_FORK:
		apply_fork(p, event);
		break;
	case SIDEBAND_EXIT:
		apply_exit(p, event);
		break;
	}
}

bool processes_hurry(const struct processes *p)
{
	return javas_are_asked(p->javas);
}

void processes_wait(struct processes *p, u64 until_ns)
{
	javas_wait(p->javas, until_ns);
}

void processes_retry(struct processes *p)
{
	javas_retry(p->javas);
}

/*
 * Any call that takes a pid tells; this one does nothing else, and costs a tenth of a look into
 * /proc.
 */
static bool still_there(u32 pid)
{
	return getpgid((pid_t)pid) >= 0 || errno != ESRCH;
}

void processes_forget(struct processes *p, u64 time)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++) {
		struct process *process = &p->at[i];

		/* A leader may exit long before its threads. */
		if (process->exited && process->exited < time && !still_there(process->pid)) {
			mappings_put(process->mappings);
			continue;
		}
		p->at[nr++] = *process;
	}
	if (nr == p->nr)
		return;
	p->nr = nr;
	table_release(&p->by_pid);
	for (size_t i = 0; i < nr; i++)
		table_insert(&p->by_pid, hash_u64(p->at[i].pid), (u32)i);
}

/* ---- stacks */

static struct mappings *mappings_of(struct processes *p, u32 pid, bool exec_pending)
{
	struct process *process = process_get(p, pid);

	if (!process->mappings && !process->gone && !exec_pending) {
		process_read(p, process);
		process = process_find(p, pid);
	}
	return process->mappings;
}

bool processes_knows(struct processes *p, u32 pid)
{
	const struct process *process = process_find(p, pid);

	return process && process->mappings;
}

/* The first frame of an image that no file backs: its runtime may have written down what it is. */
static void want_perf_map(struct processes *p, u32 pid, u32 image)
{
	struct image *row = &p->profile->images.at[image];
	struct process *process = process_find(p, pid);
	file_ref code;

	if (process)
		process->image = image;
	if (!image || row->has_code)
		return;
	row->has_code = true;
	if (!process || !process->code)
		code = files_open_perf_map(p->files, pid, row->inner_pid, row->start_ns);
	else
		code = process->code;
	files_bind(p->files, FILES_OF_IMAGES, image, code);
	if (process && javas_is_mapped(p->javas, process->mappings))
		javas_ask(p->javas, pid, code);
}

static u32 frame_of(struct processes *p, u32 pid, u32 image, u64 address,
		    const struct mapping *mapping)
{
	struct profile *profile = p->profile;

	if (mapping && mapping->kind == MAPPING_FILE && mapping->file)
		return profile_frame(profile, SPACE_FILE, mapping->file,
				     address - mapping->start + mapping->offset);
	if (mapping && mapping->kind == MAPPING_VDSO)
		return profile_frame(profile, SPACE_VDSO, 0,
				     address - mapping->start + mapping->offset);
	if (mapping && mapping->kind == MAPPING_KERNELS)
		return profile_frame(profile, SPACE_NOTE, 0, profile_note(profile, "[vsyscall]"));
	if (mapping)
		want_perf_map(p, pid, image);
	return profile_frame(profile, SPACE_IMAGE, image, address);
}

/* What a Java VM's interpreter runs. */
static u32 method_frame(struct processes *p, u32 pid, u32 image, u64 word)
{
	want_perf_map(p, pid, image);
	return profile_frame(p->profile, SPACE_IMAGE, image, word);
}

file_ref processes_code(struct processes *p, u32 pid, u32 image)
{
	const struct image *row = &p->profile->images.at[image];
	struct process *process = process_get(p, pid);

	if (!process->code)
		process->code = files_open_perf_map(p->files, pid, row->inner_pid, row->start_ns);
	return process->code;
}

bool processes_java_rule(struct processes *p, u32 pid, struct mappings *mappings,
			 const struct unwind_stack *stack, const struct wick_unwind_regs *regs,
			 u32 *rule)
{
	struct process *process = process_find(p, pid);

	*rule = WICK_JAVA_BY_FP;
	if (process && javas_is_mapped(p->javas, mappings))
		javas_ask(p->javas, pid, process_code(p, process));
	return javas_rule(p->javas, pid, stack, regs, rule);
}

struct mappings *processes_mappings(struct processes *p, u32 pid, bool exec_pending)
{
	return mappings_get(mappings_of(p, pid, exec_pending));
}

/* A copied stack whose frames are added to p->frames. */
struct adding {
	struct processes *p;
	const struct walked_stack *stack;
};

/* Of the others, which are return addresses, the call is before them. */
static u64 walked_address(const struct unwind_walked *walked, u32 i)
{
	bool exact = walked->exact[i / 64] >> i % 64 & 1;

	return walked->frames[i] - (exact ? 0 : 1);
}

static void add_walked(void *ctx, u64 word)
{
	const struct adding *a = ctx;
	const struct walked_stack *s = a->stack;
	u32 i = (u32)(word & WICK_FRAME_OFFSET);
	u64 address = walked_address(s->walked, i);

	*vec_add(&a->p->frames) =
		s->walked->frames[i] & WICK_FRAME_METHOD
			? method_frame(a->p, s->pid, s->image, s->walked->frames[i])
			: frame_of(a->p, s->pid, s->image, address,
				   mappings_find(s->mappings, address));
}

static void add_python_of_copy(void *ctx, const struct wick_python_frame *frame)
{
	const struct adding *a = ctx;

	*vec_add(&a->p->frames) = python_codes_frame(a->p->codes, frame);
}

/* How many frames there are until one lies outside of all code: the walk had lost its way then. */
static u32 nr_in_code(const struct walked_stack *s)
{
	const struct unwind_walked *walked = s->walked;

	for (u32 i = 1; i < walked->nr && s->mappings; i++)
		if (!(walked->frames[i] & WICK_FRAME_METHOD) &&
		    !mappings_find(s->mappings, walked_address(walked, i)))
			return i;
	return walked->nr;
}

/* Which frame it is, and whether Python's frames belong in its place. */
static u64 walked_word(const struct walked_stack *s, u32 i)
{
	u64 address = walked_address(s->walked, i);

	if (s->python && address >= s->python->evaluator && address < s->python->evaluator_end)
		return WICK_FRAME_IN_FILE | WICK_FRAME_EVALUATOR | i;
	return WICK_FRAME_IN_FILE | i;
}

static enum wick_end add_frames(struct processes *p, const struct walked_stack *s)
{
	u32 nr = nr_in_code(s);
	enum wick_end end = nr < s->walked->nr ? WICK_BAD_FRAME : s->walked->end;
	bool cut = s->python && s->python->cut;
	u64 words[WICK_USER_FRAMES];
	const struct python_stack stack = {
		.native = words,
		.nr_native = nr,
		.frames = s->python ? s->python->frames : NULL,
		.nr_frames = s->python ? s->python->nr : 0,
		.is_whole = end == WICK_COMPLETE && !cut,
	};
	struct adding adding = {p, s};

	for (u32 i = 0; i < nr; i++)
		words[i] = walked_word(s, i);
	p->frames.nr = 0;
	python_join(&stack, &(struct python_sink){add_walked, add_python_of_copy, &adding});
	return cut ? WICK_TRUNCATED : end;
}

void processes_walked_stack(struct processes *p, const struct walked_stack *stack, u32 row)
{
	const struct unwind_walked *walked = stack->walked;
	enum wick_end end;

	/* An exec is under way, and the old program's code or stack is gone already. */
	if (stack->in_exec && stack->mappings &&
	    (!mappings_find(stack->mappings, walked->frames[0]) ||
	     walked->end == WICK_UNREADABLE)) {
		profile_fill_stack(p->profile, row, NULL, 0, WICK_NO_STACK);
		return;
	}
	end = add_frames(p, stack);
	profile_fill_stack(p->profile, row, p->frames.at, p->frames.nr, end);
}

/* A frame as BPF has written it down; see struct wick_stack_body. */
static u32 frame_of_word(struct processes *p, u32 pid, u32 image, u64 word,
			 const struct mappings *mappings)
{
	u64 offset = word & WICK_FRAME_OFFSET;
	u32 file = (u32)(word >> WICK_FRAME_FILE_SHIFT) & (WICK_MAX_FILES - 1);

	if (!(word & WICK_FRAME_IN_FILE) && word & WICK_FRAME_METHOD)
		return method_frame(p, pid, image, word);
	if (!(word & WICK_FRAME_IN_FILE))
		return frame_of(p, pid, image, word, mappings_find(mappings, word));
	if (!file)
		return profile_frame(p->profile, SPACE_VDSO, 0, offset);
	if (file >= p->profile->files.nr)
		file = 0;
	return profile_frame(p->profile, SPACE_FILE, file, offset);
}

/* Whose frames are added to p->frames. */
struct joining {
	struct processes *p;
	u32 pid, image;
	const struct mappings *mappings;
};

static void add_native(void *ctx, u64 word)
{
	struct joining *j = ctx;

	*vec_add(&j->p->frames) = frame_of_word(j->p, j->pid, j->image, word, j->mappings);
}

static void add_python(void *ctx, const struct wick_python_frame *frame)
{
	struct joining *j = ctx;

	*vec_add(&j->p->frames) = python_codes_frame(j->p->codes, frame);
}

static void frames_of(struct processes *p, const struct wick_stack_body *body, u32 image,
		      const struct mappings *mappings)
{
	const u64 *words = (const u64 *)(body + 1);

	u32 nr_native = body->body.nr - body->python;
	const struct python_stack stack = {
		.native = words,
		.nr_native = nr_native,
		.frames = (const void *)(words + nr_native),
		.nr_frames = body->python / 2,
		.is_whole = body->end == WICK_COMPLETE && !body->python_cut,
	};
	struct joining joining = {p, body->tgid, image, mappings};

	p->frames.nr = 0;
	python_join(&stack, &(struct python_sink){add_native, add_python, &joining});
}

static enum wick_end end_of(const struct wick_stack_body *body)
{
	if (body->python_cut)
		return WICK_TRUNCATED;
	return body->end < WICK_NR_ENDS ? body->end : WICK_BAD_FRAME;
}

void processes_python_code(struct processes *p, const struct wick_code_body *body)
{
	python_codes_add(p->codes, body);
}

struct python_codes *processes_python_codes(struct processes *p)
{
	return p->codes;
}

u32 processes_stack(struct processes *p, const struct wick_stack_body *body)
{
	frames_of(p, body, 0, NULL);
	return profile_stack(p->profile, p->frames.at, p->frames.nr, end_of(body));
}

void processes_fill_stack(struct processes *p, const struct wick_stack_body *body, u32 image,
			  bool exec_pending, u32 row)
{
	frames_of(p, body, image, mappings_of(p, body->tgid, exec_pending));
	profile_fill_stack(p->profile, row, p->frames.at, p->frames.nr, end_of(body));
}
