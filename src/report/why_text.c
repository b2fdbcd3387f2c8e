/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why_text.h"

#include "base/method_name.h"
#include "fit.h"
#include "plumbing.h"

enum { LONGEST_WORD = 48 }; /* columns */

/* What is added to "COMM in FUNCTION"; NULL: the class. */
static const char *const whats[WHY_NR + 1] = {
	[WHY_RAN] = " ran",
	[WHY_SHORT_WAITS] = " in short waits",
	[WHY_UNKNOWN] = ", what ended that was not seen",
	[WHY_STILL] = ", and that has not ended",
	[WHY_STRANGER] = ", a thread that was not followed",
	[WHY_BEFORE] = ", before it began",
	[WHY_GONE] = ", after it had ended",
	[WHY_CYCLE] = ", whom one of those before waits for",
	[WHY_DEPTH] = ", and 32 threads wait in a row",
	[WHY_LIMIT] = ", and more that is not told",
};

static void add_word(struct strbuf *b, const struct profile *p, u32 string)
{
	struct string s = strings_get(&p->names, string);
	_cleanup_strbuf_ struct strbuf safe = {};

	if (s.size > LONGEST_WORD)
		s = method_short_name(s);
	strbuf_add_safe_utf8(&safe, s.s, s.size);
	if (safe.size)
		add_fitted(b, safe.s, safe.size, LONGEST_WORD);
}

void why_add_thread(struct strbuf *b, const struct profile *p, u32 leg)
{
	add_word(b, p, p->legs.at[leg].comm);
	strbuf_addf(b, "-%u/%u", p->legs.at[leg].pid, p->legs.at[leg].tid);
}

static bool is_tracing(struct string name)
{
	return string_begins(name, "bpf_") || string_begins(name, "__traceiter_") ||
	       string_begins(name, "__bpf_");
}

/* The function nearest to the leaf that is not on every thread's way out. */
static u32 kernel_function(const struct profile *p, u32 kernel)
{
	const struct stack *s = &p->stacks.at[kernel];

	for (u32 i = 0; i < s->nr; i++) {
		u32 function = p->frames.at[p->stack_frames.at[s->first + i]].function;
		const struct tree_frame *shown = &p->functions.at[function].shown;

		if (!frame_is_plumbing(&p->names, shown) &&
		    !is_tracing(strings_get(&p->names, shown->name)))
			return function;
	}
	return 0;
}

void why_add_function(struct strbuf *b, const struct profile *p, const struct why_label *label)
{
	u32 function = label->function;

	if (!function && label->kernel)
		function = kernel_function(p, label->kernel);
	if (!function)
		return;
	strbuf_adds(b, " in ");
	add_word(b, p, p->functions.at[function].shown.name);
}

void why_add_place(struct strbuf *b, const struct profile *p, const struct why_label *label)
{
	add_word(b, p, label->comm);
	why_add_function(b, p, label);
}

static void add_cpu(struct strbuf *b, const struct profile *p, u32 other)
{
	if (!strings_get(&p->names, other).size) {
		strbuf_adds(b, "had no CPU");
		return;
	}
	add_word(b, p, other);
	strbuf_adds(b, " had the CPU");
}

void why_add_label(struct strbuf *b, const struct profile *p, const struct why_label *label)
{
	if (label->what == WHY_NO_CPU) {
		add_word(b, p, label->comm);
		strbuf_adds(b, strings_get(&p->names, label->comm).size ? ": " : "");
		if (label->class == WHY_THROTTLED)
			strbuf_adds(b, "the quota of its cgroup was used up");
		else
			add_cpu(b, p, label->other);
		return;
	}
	why_add_place(b, p, label);
	if (label->what == WHY_NR || label->what == WHY_INTERRUPT || label->what == WHY_UNKNOWN ||
	    label->what == WHY_STILL)
		strbuf_addf(b, ": %s", why_class_names[label->class]);
	if (label->held)
		strbuf_addf(b, ", %s", why_held_words[label->held]);
	if (whats[label->what])
		strbuf_adds(b, whats[label->what]);
	if (label->usual) {
		strbuf_adds(b, ", most in ");
		add_word(b, p, p->functions.at[label->usual].shown.name);
		strbuf_addf(b, ": %s", why_class_names[label->usual_class]);
	}
}

/* ---- objects */

/* Names that need no word are those of the kernel: "eventfd". */
static const char *const nouns[WICK_NR_OBJECTS] = {
	[WICK_OBJECT_FUTEX] = "futex",	    [WICK_OBJECT_LOCK] = "lock",
	[WICK_OBJECT_SOCKET] = "socket",    [WICK_OBJECT_ACCEPTED] = "socket",
	[WICK_OBJECT_CONNECTED] = "socket", [WICK_OBJECT_FILE] = "file",
	[WICK_OBJECT_PIPE] = "pipe",	    [WICK_OBJECT_TERMINAL] = "terminal",
	[WICK_OBJECT_CHILD] = "child",	    [WICK_OBJECT_TIMER] = "timer",
};

static void add_safe(struct strbuf *b, const struct profile *p, u32 string)
{
	struct string s = strings_get(&p->names, string);

	strbuf_add_safe_utf8(b, s.s, s.size);
}

static const char *noun_of(const struct why_object *object)
{
	const char *noun = object->kind < WICK_NR_OBJECTS ? nouns[object->kind] : NULL;

	return noun ? noun : "";
}

/* The name of a Unix socket ends in the process that it leads to: is that the thread's? */
static bool is_named(const struct profile *p, const struct object *o, u32 leg)
{
	return o->peer_pid && o->peer_pid == p->legs.at[leg].pid &&
	       o->peer_pid == p->legs.at[leg].tid;
}

static struct string name_of(const struct profile *p, const struct why_object *object)
{
	return strings_get(&p->names, p->objects.at[object->object].name);
}

/* Of a connection, the end that stays the same: the server's. */
static struct string server_of(const struct profile *p, const struct why_object *object)
{
	struct string name = name_of(p, object);
	const char *arrow = strstr(name.s, " -> ");

	if (arrow && object->kind == WICK_OBJECT_CONNECTED)
		return (struct string){arrow + 1, name.size - (size_t)(arrow + 1 - name.s)};
	if (arrow && object->kind == WICK_OBJECT_ACCEPTED)
		name.size = (size_t)(arrow - name.s);
	return name;
}

/* After its noun, where it has one. */
static void add_name(struct strbuf *b, const struct profile *p, const struct why_object *object,
		     struct string name)
{
	const struct object *o = &p->objects.at[object->object];

	if (*noun_of(object) && name.size)
		strbuf_addc(b, ' ');
	strbuf_add_safe_utf8(b, name.s, name.size);
	if (strings_get(&p->names, o->device).size) {
		strbuf_adds(b, " on ");
		add_safe(b, p, o->device);
	}
	if (object->holder && !object->has_several) {
		strbuf_adds(b, " held by ");
		why_add_thread(b, p, object->holder);
	} else if (object->other && !is_named(p, o, object->other)) {
		strbuf_adds(b, " with ");
		why_add_thread(b, p, object->other);
	}
}

void why_add_object(struct strbuf *b, const struct profile *p, const struct why_object *object)
{
	strbuf_adds(b, noun_of(object));
	add_name(b, p, object, name_of(p, object));
}

void why_add_object_briefly(struct strbuf *b, const struct profile *p,
			    const struct why_object *object)
{
	strbuf_adds(b, noun_of(object));
	add_name(b, p, object, server_of(p, object));
}

/* Of one of many objects there is no word, nor of the timer that ends a sleep. */
static const struct why_object *object_of(const struct why_node *node)
{
	const struct why_object *first = node->objects.at;

	return node->objects.nr && first->kind != WICK_OBJECT_TIMER && first->ns >= node->ns / 2
		       ? first
		       : NULL;
}

void why_add_node(struct strbuf *b, const struct profile *p, const struct why_node *node)
{
	const struct why_object *object = object_of(node);

	why_add_label(b, p, &node->label);
	if (!object)
		return;
	/* "lock 0x7ff0", not "lock, lock 0x7ff0" */
	if (!strcmp(noun_of(object), why_class_names[node->label.class])) {
		add_name(b, p, object, name_of(p, object));
		return;
	}
	strbuf_adds(b, ", ");
	why_add_object(b, p, object);
}
