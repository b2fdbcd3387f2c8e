/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input.h"

#include "operations.h"

void input_release(struct input *in)
{
	vec_release(&in->path);
}

/* `hosts/a.folded.gz` is a.folded.gz, with the end cut that tells how it was made. */
static u32 add_label(struct input *in)
{
	static const char *const ends[] = {".gz", ".pb", ".folded", ".txt", ".collapsed"};
	const char *slash = strrchr(in->lines->name, '/');
	const char *name = slash && slash[1] ? slash + 1 : in->lines->name;
	struct tree_frame frame = {.kind = FRAME_GROUP};
	size_t size = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t end = strlen(ends[i]);

		if (size > end && !memcmp(name + size - end, ends[i], end))
			size -= end;
	}
	frame.name = strings_add(in->names, name, size);
	return input_child(in, 0, &frame);
}

static int take_unit(struct input *in, const struct view *view, struct unit unit)
{
	struct stack_files *files = in->files;

	if (!files->nr_files++) {
		files->view = view;
		files->unit = unit;
		return 0;
	}
	if (strcmp(files->unit.name, unit.name))
		return fail(in->error, -EINVAL,
			    "%s is in %s, what was read before it in %s: these do not add up",
			    in->lines->name, unit.name, files->unit.name);
	if (files->view != view)
		files->view = NULL;
	return 0;
}

int input_begin(struct input *in, const struct view *view, struct unit unit)
{
	int err = take_unit(in, view, unit);

	if (err)
		return err;
	in->root = in->options->label ? add_label(in) : 0;
	return 0;
}

int input_take_columns(struct input *in, unsigned int columns)
{
	struct stack_files *files = in->files;

	if (files->nr_stacks && files->differential != (columns == 2))
		return fail(
			in->error, -EINVAL,
			"%s has %s on each line, what was read before it %s: say --columns 1 or "
			"--columns 2",
			in->lines->name, columns == 2 ? "two counts" : "one count",
			columns == 2 ? "one" : "two");
	files->differential = columns == 2;
	return 0;
}

int input_refuse(struct input *in, const char *why)
{
	return fail(in->error, -EINVAL, "%s: %s", in->lines->name, why);
}

u32 input_child(struct input *in, u32 parent, const struct tree_frame *frame)
{
	return in->options->chart ? call_tree_append(in->tree, parent, frame)
				  : call_tree_child(in->tree, parent, frame);
}

/* The kind that a suffix tells, which is cut off; `kind` where there is none. */
static enum frame_kind take_suffix(const char *s, size_t *size, enum frame_kind kind)
{
	if (s[*size - 1] != ']')
		return kind;
	for (size_t i = 0; i < NR_FRAME_KINDS; i++) {
		size_t length = strlen(frame_suffixes[i]);

		if (!length || *size <= length ||
		    memcmp(s + *size - length, frame_suffixes[i], length))
			continue;
		*size -= length;
		return (enum frame_kind)i;
	}
	return kind;
}

static bool is_note(const char *s, size_t size)
{
	if (size >= 2 && s[0] == '[' && s[size - 1] == ']')
		return true;
	return size && s[0] == '-' && (size == 1 || (size == 2 && s[1] == '-'));
}

struct tree_frame input_frame(struct input *in, const char *s, size_t size, enum frame_kind kind)
{
	struct tree_frame frame = {.kind = is_note(s, size) ? FRAME_NOTE : kind};

	if (size)
		frame.kind = take_suffix(s, &size, frame.kind);
	frame.name = strings_add(in->names, s, size);
	return frame;
}

static bool same_frame(const struct tree_frame *a, const struct tree_frame *b)
{
	return a->name == b->name && a->kind == b->kind;
}

/* What the stack before has in common with it has nodes already; in a chart, those go on. */
u32 input_node(struct input *in, const struct tree_frame *frames, size_t nr)
{
	bool reverse = in->options->reverse;
	u32 node = in->root;

	for (size_t i = 0; i < nr; i++) {
		const struct tree_frame *frame = &frames[reverse ? nr - 1 - i : i];

		if (i < in->path.nr && same_frame(&in->path.at[i].frame, frame)) {
			node = in->path.at[i].node;
			continue;
		}
		in->path.nr = i;
		node = input_child(in, node, frame);
		*vec_add(&in->path) = (struct input_step){.frame = *frame, .node = node};
	}
	in->path.nr = min(in->path.nr, nr);
	return node;
}

void input_add_counts(struct input *in, u32 node, u64 value, u64 before)
{
	call_tree_add_self(in->tree, node, value);
	if (in->files->differential)
		call_tree_add_before(in->tree, node, before);
}

/* Values of a tree are multiples of what its unit says, which folded text may have refined. */
static bool fits(const struct input *in, u64 *value)
{
	const struct unit *unit = &in->files->unit;
	u64 sum;

	if (!unit->time && __builtin_mul_overflow(*value, unit->divisor, value))
		return false;
	return !__builtin_add_overflow(in->tree->sum, *value, &sum);
}

int input_add(struct input *in, struct tree_frame *frames, size_t nr, u64 value)
{
	struct operations *operations = in->options->operations;

	if (!fits(in, &value))
		return fail(in->error, -EINVAL, "%s: the sum of all values is 2^64 or more",
			    in->lines->name);
	in->files->nr_stacks++;
	if (!operations || operations_apply(operations, in->names, frames, &nr, value))
		call_tree_add_self(in->tree, input_node(in, frames, nr), value);
	return 0;
}

void input_leave_out(struct input *in, const char *what, u64 number, const char *why)
{
	struct stack_files *files = in->files;

	if (files->nr_bad++) {
		if (strcmp(files->bad_noun, what))
			files->bad_noun = "part";
		return;
	}
	files->bad_noun = what;
	if (!strcmp(what, "line"))
		fail(&files->first_bad, -EINVAL, "%s:%llu: %s", in->lines->name,
		     (unsigned long long)number, why);
	else
		fail(&files->first_bad, -EINVAL, "%s, %s %llu: %s", in->lines->name, what,
		     (unsigned long long)number, why);
}
