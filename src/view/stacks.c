/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include "base/strbuf.h"

/* What a broken walk is called, at the root side of what it found; design: a broken stack can never
 * look like a root function. */
static const char *const end_notes[WICK_NR_ENDS] = {
	[WICK_TRUNCATED] = "[truncated]", [WICK_NO_UNWIND_INFO] = "[no unwind info]",
	[WICK_BAD_FRAME] = "[bad frame]", [WICK_UNREADABLE] = "[unreadable stack]",
	[WICK_LOST] = "[lost stack]",
};

static void add_name(struct frames *f, struct profile *p, const char *name, size_t size,
		     enum frame_kind kind)
{
	*vec_add(f) = (struct tree_frame){
		.name = strings_add(&p->names, name, size),
		.kind = kind,
	};
}

static void group_comm(struct strbuf *name, const struct profile *p, const struct leg *leg)
{
	struct string comm = strings_get(&p->names, leg->comm);

	strbuf_add(name, comm.s, comm.size);
}

static u32 process_name(const struct profile *p, const struct leg *leg)
{
	u32 name = p->images.at[leg->image].comm;

	return name ? name : leg->comm;
}

static void group_process(struct strbuf *name, const struct profile *p, const struct leg *leg)
{
	struct string process = strings_get(&p->names, process_name(p, leg));

	strbuf_add(name, process.s, process.size);
}

static void group_pid(struct strbuf *name, const struct profile *p, const struct leg *leg)
{
	struct string comm = strings_get(&p->names, p->images.at[leg->image].comm);

	strbuf_add(name, comm.s, comm.size);
	strbuf_addf(name, "-%u", leg->pid);
}

static void group_tid(struct strbuf *name, const struct profile *p, const struct leg *leg)
{
	group_comm(name, p, leg);
	strbuf_addf(name, "-%u/%u", leg->pid, leg->tid);
}

static void group_cgroup(struct strbuf *name, const struct profile *p, const struct leg *leg)
{
	struct string path = strings_get(&p->names, leg->cgroup_path);

	if (path.size)
		strbuf_add(name, path.s, path.size);
	else
		strbuf_addf(name, "cgroup-%llu", (unsigned long long)leg->cgroup);
}

struct grouping_row {
	const char *name;
	void (*write)(struct strbuf *name, const struct profile *p, const struct leg *leg);
};

static const struct grouping_row groupings[] = {
	[GROUP_PROCESS] = {"process", group_process},
	[GROUP_COMM] = {"comm", group_comm},
	[GROUP_PID] = {"pid", group_pid},
	[GROUP_TID] = {"tid", group_tid},
	[GROUP_CGROUP] = {"cgroup", group_cgroup},
	[GROUP_NONE] = {"none", NULL},
};

int grouping_by_name(const char *name, enum grouping *group)
{
	for (size_t i = 0; i < ARRAY_SIZE(groupings); i++) {
		if (!strcmp(groupings[i].name, name)) {
			*group = (enum grouping)i;
			return 0;
		}
	}
	return -EINVAL;
}

void frames_add_group(struct frames *f, struct profile *p, u32 leg, enum grouping group)
{
	_cleanup_strbuf_ struct strbuf name = {};

	if (!groupings[group].write)
		return;
	if (!leg) {
		frames_add_note(f, p, "[unknown]");
		return;
	}
	groupings[group].write(&name, p, &p->legs.at[leg]);
	add_name(f, p, name.s ? name.s : "", name.size, FRAME_GROUP);
	if (group == GROUP_PROCESS && process_name(p, &p->legs.at[leg]) != p->legs.at[leg].comm)
		frames_add_group(f, p, leg, GROUP_COMM);
}

/*
 * In the middle of a stack a frame's kind no longer says that it is a thread's name, whose spaces
 * are not written.
 */
static u32 without_spaces(struct profile *p, u32 name)
{
	struct string s = strings_get(&p->names, name);
	_cleanup_strbuf_ struct strbuf copy = {};

	strbuf_add(&copy, s.s, s.size);
	for (size_t i = 0; i < copy.size; i++)
		if (copy.s[i] == ' ')
			copy.s[i] = '_';
	return copy.size ? strings_add(&p->names, copy.s, copy.size) : name;
}

void frames_of_waker(struct frames *f, struct profile *p, size_t first)
{
	for (size_t i = first; i < f->nr; i++) {
		struct tree_frame *frame = &f->at[i];

		if (frame->kind == FRAME_GROUP)
			frame->name = without_spaces(p, frame->name);
		if (frame->kind != FRAME_NOTE)
			frame->kind = FRAME_WAKER;
	}
}

enum grouping group_above_root(enum grouping group)
{
	return group == GROUP_NONE || group == GROUP_PROCESS ? GROUP_COMM : group;
}

void frames_add_note(struct frames *f, struct profile *p, const char *text)
{
	add_name(f, p, text, strlen(text), FRAME_NOTE);
}

void frames_add_named_note(struct frames *f, struct profile *p, const char *what,
			   struct string name)
{
	_cleanup_strbuf_ struct strbuf note = {};

	strbuf_addf(&note, "[%s: ", what);
	strbuf_add(&note, name.s, name.size);
	strbuf_addc(&note, ']');
	add_name(f, p, note.s, note.size, FRAME_NOTE);
}

static const struct tree_frame *shown(const struct profile *p, const struct stack *s, u32 i)
{
	const struct frame *frame = &p->frames.at[p->stack_frames.at[s->first + i]];

	return &p->functions.at[frame->function].shown;
}

struct string stack_name(const struct profile *p, u32 stack, u32 i)
{
	return strings_get(&p->names, shown(p, &p->stacks.at[stack], i)->name);
}

/* How the kernel enters a tracing program. */
static bool is_trace_entry(const char *name)
{
	static const char *const prefixes[] = {"__traceiter_", "__bpf_trace_", "bpf_trace_run",
					       "bpf_trampoline_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* bpf_prog_TAG_NAME; functions that a program calls are called so too. */
static bool is_program(const char *name)
{
	return !strncmp(name, "bpf_prog_", 9);
}

/*
 * The leaf-side frames that are our own work: a sample may interrupt a tracing program of this run,
 * or a function that it calls; the kernel calls the program itself. What it traced is the leaf
 * then. Other people's programs cost what they cost, and stay.
 */
u32 stack_own_frames(const struct profile *p, u32 stack)
{
	const struct stack *s = &p->stacks.at[stack];
	bool is_ours = true;
	u32 nr = 0;

	for (u32 i = 0; i < s->nr; i++) {
		const struct tree_frame *frame = shown(p, s, i);
		const char *name = strings_get(&p->names, frame->name).s;

		if (frame->kind != FRAME_KERNEL)
			return nr;
		if (is_program(name))
			is_ours = strstr(name, "_wick_");
		if (!is_trace_entry(name))
			continue;
		if (!is_ours)
			return nr;
		nr = i + 1;
	}
	return nr;
}

u32 stack_traced_at(const struct profile *p, u32 stack, const char *name, const char *other)
{
	for (u32 i = 0; i < p->stacks.at[stack].nr; i++) {
		struct string s = stack_name(p, stack, i);

		if (string_is(s, name) || string_is(s, other))
			return i;
	}
	return stack_own_frames(p, stack);
}

static void add_line(struct frames *f, u32 place, const struct function *function,
		     const struct source_line *source)
{
	struct tree_frame *frame = vec_add(f);

	*frame = function->shown;
	frame->place = place + 1;
	frame->path = source->path;
	frame->line = frame->last_line = source->line;
}

/* A frame's own function, then those that are inlined there, the innermost last. */
static void add_place(struct frames *f, struct profile *p, u32 place)
{
	const struct frame *frame = &p->frames.at[place];
	const struct source_line *lines[MAX_INLINED + 1] = {&p->sources.at[0]};
	u32 nr = 0;

	for (u32 at = frame->source; at && nr <= MAX_INLINED; at = p->sources.at[at].outer)
		lines[nr++] = &p->sources.at[at];
	nr += !nr;
	add_line(f, place, &p->functions.at[frame->function], lines[nr - 1]);
	while (--nr)
		add_line(f, place, &p->functions.at[lines[nr - 1]->function], lines[nr - 1]);
}

void frames_add_part(struct frames *f, struct profile *p, u32 stack, u32 leaf, u32 root)
{
	const struct stack *s = &p->stacks.at[stack];

	/* What is cut off at the root was walked, or does not matter. */
	if (root == s->nr && end_notes[s->end])
		frames_add_note(f, p, end_notes[s->end]);
	for (u32 i = root; i-- > leaf;)
		add_place(f, p, p->stack_frames.at[s->first + i]);
}

void frames_add_stack(struct frames *f, struct profile *p, u32 stack)
{
	frames_add_part(f, p, stack, stack_own_frames(p, stack), p->stacks.at[stack].nr);
}

/* Those of groups at the root, or the note in the place of one, stay there. */
static void reverse(struct frames *f, bool has_group)
{
	size_t first = 0, last = f->nr;

	while (first < last && f->at[first].kind == FRAME_GROUP)
		first++;
	if (!first)
		first = has_group;
	while (first + 1 < last) {
		struct tree_frame frame = f->at[first];

		f->at[first++] = f->at[--last];
		f->at[last] = frame;
	}
}

/* Whose host is not the only one: above all else. */
static void add_host(struct frames *f, struct profile *p, u32 leg, const struct view_options *o)
{
	struct string name;

	if (!leg || o->group == GROUP_NONE || !profile_has_hosts(p))
		return;
	name = profile_host_name(p, leg);
	add_name(f, p, name.s, name.size, FRAME_GROUP);
	for (size_t i = f->nr - 1; i > 0; i--) {
		struct tree_frame frame = f->at[i];

		f->at[i] = f->at[i - 1];
		f->at[i - 1] = frame;
	}
}

/* False: the options leave it out. */
bool frames_operate(struct frames *f, struct profile *p, const struct view_options *options,
		    u64 value)
{
	return !options->operations ||
	       operations_apply(options->operations, &p->names, f->at, &f->nr, value);
}

void frames_give(struct frames *f, struct profile *p, const struct view_options *options,
		 struct weighted_stack stack, const struct stack_sink *sink)
{
	bool has_group;
	u32 root;

	add_host(f, p, stack.leg, options);
	root = f->nr ? f->at[0].name : 0;
	if (!frames_operate(f, p, options, stack.value))
		return;
	has_group = options->group != GROUP_NONE && f->nr && f->at[0].name == root;
	if (options->reverse)
		reverse(f, has_group);
	stack.frames = f->at;
	stack.nr = f->nr;
	stack_sink_add(sink, &stack);
}

void frames_add_losses(struct profile *p, const struct view_options *options, enum wick_kind kind,
		       const struct stack_sink *sink)
{
	struct frames frames = {};

	for (size_t i = 0; i < p->losses.nr; i++) {
		const struct loss *loss = &p->losses.at[i];

		/* How many blocks the lost time was is not known. */
		if (loss->kind != kind || !loss->note || !loss->value ||
		    options->metric->column != loss->column)
			continue;
		frames.nr = 0;
		frames_add_note(&frames, p, loss->note);
		frames_give(&frames, p, options, (struct weighted_stack){.value = loss->value},
			    sink);
	}
	vec_release(&frames);
}
