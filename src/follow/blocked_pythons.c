/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blocked_pythons.h"

#include "base/table.h"
#include "base/vec.h"

enum {
	LIMIT_MS = 1000,
	MAX_THREADS = 1 << 14,
	NOT_ASKED = UINT32_MAX,
};

struct asked {
	struct files_request *request;	  /* NULL: it was answered */
	struct files_python *reply;	  /* NULL: not (yet) by anything */
	struct wick_python_frame *frames; /* of the reply, with ids of codes; owned */
};

struct waiting {
	struct blocked_python thread;
	u32 asked, place; /* in which, at which place */
};

struct blocked_pythons {
	struct files *files;
	VEC(struct waiting) threads;
	VEC(struct asked) asked;
	size_t nr_asked; /* of the threads */
};

struct blocked_pythons *blocked_pythons_new(struct files *files)
{
	struct blocked_pythons *b = xcalloc(1, sizeof(*b));

	b->files = files;
	return b;
}

void blocked_pythons_free(struct blocked_pythons *b)
{
	if (!b)
		return;
	vec_for_each (&b->asked, asked) {
		if (asked->request)
			files_abandon(b->files, asked->request);
		files_python_free(asked->reply);
		free(asked->frames);
	}
	vec_release(&b->asked);
	vec_release(&b->threads);
	free(b);
}

u32 blocked_pythons_add(struct blocked_pythons *b, const struct blocked_python *thread)
{
	if (b->threads.nr == MAX_THREADS || !thread->code || !thread->thread.size)
		return 0;
	*vec_add(&b->threads) = (struct waiting){.thread = *thread, .asked = NOT_ASKED};
	return (u32)b->threads.nr;
}

static bool is_together(const struct blocked_python *a, const struct blocked_python *b)
{
	return a->code == b->code && a->base == b->base;
}

/* The thread, and those of the same process that come after it. */
static void ask_with(struct blocked_pythons *b, size_t first)
{
	struct files_python_thread threads[FILES_PYTHON_MAX_THREADS];
	const struct blocked_python *of = &b->threads.at[first].thread;
	u32 nr = 0;

	for (size_t i = first; i < b->threads.nr && nr < FILES_PYTHON_MAX_THREADS; i++) {
		struct waiting *w = &b->threads.at[i];

		if (w->asked != NOT_ASKED || !is_together(&w->thread, of))
			continue;
		w->asked = (u32)b->asked.nr;
		w->place = nr;
		threads[nr++] = w->thread.thread;
	}
	vec_add(&b->asked)->request =
		files_ask_python(b->files, of->code, &of->python, of->base, threads, nr, LIMIT_MS);
}

void blocked_pythons_ask(struct blocked_pythons *b)
{
	for (; b->nr_asked < b->threads.nr; b->nr_asked++)
		if (b->threads.at[b->nr_asked].asked == NOT_ASKED)
			ask_with(b, b->nr_asked);
}

/* By what it says: the same function of many processes is one. */
static void take_code(struct python_codes *codes, struct wick_code_body *body)
{
	const size_t head = offsetof(struct wick_code_body, version);

	body->body.id = hash_bytes((const char *)body + head, sizeof(*body) - head + body->body.nr);
	python_codes_add(codes, body);
}

static void take_reply(struct asked *asked, struct python_codes *codes)
{
	struct files_python *reply = asked->reply;

	if (!reply)
		return;
	for (u32 i = 0; i < reply->nr_codes; i++)
		take_code(codes, reply->codes[i]);
	asked->frames = xmemdup(reply->frames, reply->nr_frames * sizeof(*asked->frames));
	for (u32 i = 0; i < reply->nr_frames; i++)
		if (asked->frames[i].code)
			asked->frames[i].code = reply->codes[asked->frames[i].code - 1]->body.id;
}

bool blocked_pythons_find(struct blocked_pythons *b, u32 number, struct python_codes *codes,
			  struct blocked_stack *stack)
{
	const struct waiting *w = &b->threads.at[number - 1];
	const struct files_python_stack *found;
	struct asked *asked;

	if (w->asked == NOT_ASKED)
		return false;
	asked = &b->asked.at[w->asked];
	if (asked->request && !files_is_answered(b->files, asked->request, 0))
		return false;
	if (asked->request) {
		asked->reply = files_answer_python(b->files, steal(&asked->request));
		take_reply(asked, codes);
	}
	*stack = (struct blocked_stack){};
	if (!asked->reply)
		return true;
	found = &asked->reply->stacks[w->place];
	*stack = (struct blocked_stack){
		.frames = asked->frames + found->first,
		.nr = found->nr,
		.cut = found->cut,
		.evaluator = w->thread.base + w->thread.python.eval_begin,
		.evaluator_end = w->thread.base + w->thread.python.eval_end,
	};
	return true;
}
