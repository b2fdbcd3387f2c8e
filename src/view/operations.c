/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operations.c: one stack after the other, each operation in one pass over its frames.
 *
 * What a pattern says of a name is asked of regexec() once, however many frames have the name.
 */
#include "operations.h"

#include "base/numbers.h"
#include "plumbing.h"

/* A kind's place in the verdicts of a name: plumbing also depends on kind and module. */
enum { VERDICTS_OF_NAME = 2 * NR_FRAME_KINDS, KNOWN = 1, YES = 2, COUNTED = 4 };

static bool has_regex(enum operation_kind kind)
{
	return kind <= OPERATION_SHOW_FROM;
}

static int compile(struct operation *op, struct error *error)
{
	char why[200];
	int code;

	if (!*op->text)
		return fail(error, -EINVAL, "an empty pattern matches everything");
	op->regex = xcalloc(1, sizeof(*op->regex));
	code = regcomp(op->regex, op->text, REG_EXTENDED | REG_NOSUB);
	if (!code)
		return 0;
	regerror(code, op->regex, why, sizeof(why));
	free(op->regex);
	op->regex = NULL;
	return fail(error, -EINVAL, "'%s' is no regular expression: %s", op->text, why);
}

static int parse_percent(struct operation *op, struct error *error)
{
	char *end;

	op->percent = strtod(op->text, &end);
	if (end == op->text || *end || !(op->percent >= 0 && op->percent <= 100))
		return fail(error, -EINVAL, "'%s' is not a number from 0 to 100", op->text);
	return 0;
}

int operations_add(struct operations *operations, enum operation_kind kind, const char *text,
		   struct error *error)
{
	struct operation op = {.kind = kind, .text = text};
	size_t at = operations->nr;
	int err = 0;

	if (has_regex(kind))
		err = compile(&op, error);
	else if (kind == OPERATION_MIN_PERCENT)
		err = parse_percent(&op, error);
	if (err)
		return err;
	vec_add(operations);
	for (; at && operations->at[at - 1].kind > kind; at--)
		operations->at[at] = operations->at[at - 1];
	operations->at[at] = op;
	return 0;
}

void operations_release(struct operations *operations)
{
	vec_for_each (operations, op) {
		if (op->regex)
			regfree(op->regex);
		free(op->regex);
		vec_release(&op->verdicts);
	}
	vec_release(operations);
	*operations = (struct operations){};
}

void operations_begin(struct operations *operations)
{
	operations->total = operations->nr_total = 0;
	vec_for_each (operations, op) {
		op->nr_stacks = op->removed = op->nr_frames = op->joined = 0;
		op->verdicts.nr = 0;
	}
}

static bool ask(const struct operation *op, const struct strings *names,
		const struct tree_frame *frame)
{
	struct string name = strings_get(names, frame->name);
	regmatch_t all = {.rm_eo = (regoff_t)name.size};

	if (op->kind == OPERATION_HIDE_PLUMBING)
		return frame_is_plumbing(names, frame);
	if (!op->regex)
		return name.size == strlen(op->text) && !memcmp(name.s, op->text, name.size);
	return !regexec(op->regex, name.s, 1, &all, REG_STARTEND);
}

static unsigned char *verdict_on(struct operation *op, const struct strings *names,
				 const struct tree_frame *frame)
{
	size_t at = op->kind == OPERATION_HIDE_PLUMBING
			    ? (size_t)frame->name * VERDICTS_OF_NAME +
				      (size_t)(2 * frame->kind + !!frame->module)
			    : frame->name;

	if (at >= op->verdicts.nr) {
		size_t more = at + 1 - op->verdicts.nr;

		vec_reserve(&op->verdicts, more);
		memset(op->verdicts.at + op->verdicts.nr, 0, more);
		op->verdicts.nr = at + 1;
	}
	if (!op->verdicts.at[at])
		op->verdicts.at[at] = KNOWN | (ask(op, names, frame) ? YES : 0);
	return &op->verdicts.at[at];
}

static bool matches(struct operation *op, const struct strings *names,
		    const struct tree_frame *frame)
{
	return *verdict_on(op, names, frame) & YES;
}

/* The first frame from the root that matches; `nr`: none. */
static size_t first_match(struct operation *op, const struct strings *names,
			  const struct tree_frame *frames, size_t nr)
{
	size_t i = 0;

	while (i < nr && !matches(op, names, &frames[i]))
		i++;
	return i;
}

static bool keep_frames(struct operation *op, const struct strings *names,
			struct tree_frame *frames, size_t *nr)
{
	bool kept_is = op->kind == OPERATION_SHOW_FRAMES, was_empty = !*nr;
	size_t kept = 0;

	for (size_t i = 0; i < *nr; i++) {
		unsigned char *verdict = verdict_on(op, names, &frames[i]);

		if (!!(*verdict & YES) == kept_is) {
			frames[kept++] = frames[i];
		} else if (!(*verdict & COUNTED)) {
			*verdict |= COUNTED;
			op->nr_frames++;
		}
	}
	*nr = kept;
	return kept || (was_empty && !kept_is);
}

static bool cut_above(struct operation *op, const struct strings *names, struct tree_frame *frames,
		      size_t *nr)
{
	size_t first = first_match(op, names, frames, *nr);

	*nr -= first;
	memmove(frames, frames + first, *nr * sizeof(*frames));
	return *nr;
}

static bool collapse(struct operation *op, struct tree_frame *frames, size_t *nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < *nr; i++)
		if (!kept || frames[kept - 1].name != frames[i].name ||
		    frames[kept - 1].kind != frames[i].kind)
			frames[kept++] = frames[i];
	op->nr_frames += *nr - kept;
	*nr = kept;
	return true;
}

static bool apply(struct operation *op, const struct strings *names, struct tree_frame *frames,
		  size_t *nr)
{
	switch (op->kind) {
	case OPERATION_SHOW_STACKS:
		return first_match(op, names, frames, *nr) < *nr;
	case OPERATION_HIDE_STACKS:
		return first_match(op, names, frames, *nr) == *nr;
	case OPERATION_SHOW_FRAMES:
	case OPERATION_HIDE_FRAMES:
	case OPERATION_HIDE_PLUMBING:
		return keep_frames(op, names, frames, nr);
	case OPERATION_SHOW_FROM:
	case OPERATION_FOCUS:
		return cut_above(op, names, frames, nr);
	case OPERATION_COLLAPSE_RECURSION:
		return collapse(op, frames, nr);
	case OPERATION_MIN_PERCENT: /* call_tree_prune() */
	case NR_OPERATION_KINDS:
		break;
	}
	return true;
}

bool operations_apply(struct operations *operations, const struct strings *names,
		      struct tree_frame *frames, size_t *nr, u64 value)
{
	add_to_sum(&operations->total, value);
	operations->nr_total++;
	vec_for_each (operations, op) {
		if (apply(op, names, frames, nr))
			continue;
		op->nr_stacks++;
		add_to_sum(&op->removed, value);
		return false;
	}
	return true;
}

void operations_scale(struct operations *operations, u64 factor)
{
	operations->total = saturated((unsigned __int128)operations->total * factor);
	vec_for_each (operations, op)
		op->removed = saturated((unsigned __int128)op->removed * factor);
}

u64 operations_kept(const struct operations *operations)
{
	u64 kept = operations->total;

	vec_for_each (operations, op)
		kept -= min(kept, op->removed);
	return kept;
}
