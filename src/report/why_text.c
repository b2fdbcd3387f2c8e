/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why_text.h"

#include "plumbing.h"

enum { LONGEST_WORD = 60 };

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

	strbuf_add_safe_utf8(b, s.s, min(s.size, (size_t)LONGEST_WORD));
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

void why_add_place(struct strbuf *b, const struct profile *p, const struct why_label *label)
{
	u32 function = label->function;

	add_word(b, p, label->comm);
	if (!function && label->kernel)
		function = kernel_function(p, label->kernel);
	if (!function)
		return;
	strbuf_adds(b, " in ");
	add_word(b, p, p->functions.at[function].shown.name);
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
		add_cpu(b, p, label->other);
		return;
	}
	why_add_place(b, p, label);
	if (label->what == WHY_NR || label->what == WHY_INTERRUPT || label->what == WHY_UNKNOWN ||
	    label->what == WHY_STILL)
		strbuf_addf(b, ": %s", why_class_names[label->class]);
	if (whats[label->what])
		strbuf_adds(b, whats[label->what]);
}
