/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c: where a thread waits, and which one woke it, in a few words. */
#include "base/method_name.h"
#include "base/strbuf.h"
#include "facts.h"
#include "format.h"
#include "plumbing.h"

enum { WORDS = 5, LONGEST_WORD = 60 };

/* Every thread sleeps in these, and comes into the kernel by these: they tell nothing. */
static bool is_common(struct string name)
{
	static const char *const beginnings[] = {
		"schedule",	    "__schedule",     "io_schedule",  "do_syscall_64",
		"entry_SYSCALL_64", "__x64_sys_",     "el0t_64_",     "el0_svc",
		"do_el0_svc",	    "invoke_syscall", "__arm64_sys_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (string_begins(name, beginnings[i]))
			return true;
	return false;
}

static void add_word(struct strbuf *text, size_t nr, struct string name)
{
	strbuf_adds(text, nr ? BETWEEN_FUNCTIONS : "");
	name = method_short_name(name);
	strbuf_add_safe_utf8(text, name.s, min(name.size, (size_t)LONGEST_WORD));
}

static struct string keep(struct facts *f, const struct strbuf *text)
{
	u32 ref = strings_add(&f->texts, text->s ? text->s : "", text->size);

	return strings_get(&f->texts, ref);
}

struct string place_of(struct facts *f, struct profile *p, u32 user, u32 kernel)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct frames frames = {};
	size_t nr = 0;

	frames_add_wait(&frames, p, user, kernel);
	for (size_t i = frames.nr; i-- > 0 && nr < WORDS;) {
		struct string name = strings_get(&p->names, frames.at[i].name);

		if (!is_common(name))
			add_word(&text, nr++, name);
	}
	if (!nr && frames.nr)
		add_word(&text, nr, strings_get(&p->names, frames.at[frames.nr - 1].name));
	else if (!nr)
		strbuf_adds(&text, "[not walked]");
	vec_release(&frames);
	return keep(f, &text);
}

/* ---- in fewer words */

enum { SHORT_WORDS = 3 };

static u32 frame_at(const struct profile *p, const struct stack *s, u32 i)
{
	return p->stack_frames.at[s->first + i];
}

static const struct tree_frame *shown_at(const struct profile *p, const struct stack *s, u32 i)
{
	return &p->functions.at[p->frames.at[frame_at(p, s, i)].function].shown;
}

static bool is_of_libc(const struct profile *p, const struct stack *s, u32 i)
{
	return file_is_libc(strings_get(&p->names, shown_at(p, s, i)->module));
}

/*
 * The last function of libc that the program called, and the program's own ones that led there.
 * From `spot` on, if it is beyond those by which the program waits for anything. Of a program that
 * is interpreted, its functions.
 */
static void add_program(struct strbuf *text, const struct profile *p, u32 user, u32 spot)
{
	const struct stack *s = &p->stacks.at[user];
	bool interpreted = stack_is_interpreted(p, user);
	u32 first = 0;
	size_t nr = 0;

	while (first < s->nr && is_of_libc(p, s, first))
		first++;
	if (first == s->nr)
		first = 0;
	first = spot > first ? spot : first - (first > 0 && !interpreted);
	for (u32 i = first; i < s->nr && nr < SHORT_WORDS; i++) {
		const struct tree_frame *shown = shown_at(p, s, i);

		if (shown->name && !frame_is_plumbing(&p->names, shown) &&
		    !(interpreted && frame_is_interpreters(p, frame_at(p, s, i))))
			add_word(text, nr++, strings_get(&p->names, shown->name));
	}
}

struct string short_place_of(struct facts *f, struct profile *p, const struct why *why, u32 user,
			     u32 kernel)
{
	_cleanup_strbuf_ struct strbuf text = {};

	add_program(&text, p, user, why ? why_spot(why, user) : 0);
	return text.size ? keep(f, &text) : place_of(f, p, user, kernel);
}

/* ---- wakers */

struct string waker_of(struct facts *f, struct profile *p, u32 chain)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct frames waker = {};

	frames_add_first_waker(&waker, p, chain);
	if (waker.nr) {
		struct string name = strings_get(&p->names, waker.at[0].name);

		strbuf_add_safe_utf8(&text, name.s, name.size);
	}
	vec_release(&waker);
	return keep(f, &text);
}
