/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h: what the readers of files of stacks share: where stacks go, and how they are added.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "lines.h"
#include "stack_file.h"

/* A file, and the tree that it is read into. */
struct input {
	struct stack_files *files;
	struct call_tree *tree;
	struct strings *names;
	const struct stack_file_options *options;
	struct lines *lines;
	struct error *error;
	u32 root; /* the node above all stacks of the file; input_begin() makes it */
	struct input_path {
		VEC_FIELDS(struct input_step);
	} path; /* of the stack that was added last */
};

struct input_step {
	struct tree_frame frame;
	u32 node;
};

void input_release(struct input *in);

/*
 * What the file's values are, before the first stack: those of all files have to add up. -EINVAL
 * where they do not.
 */
int input_begin(struct input *in, const struct view *view, struct unit unit);
/* How many counts a stack has here, 1 or 2; -EINVAL where the files before have others. */
int input_take_columns(struct input *in, unsigned int columns);
/* -EINVAL for an option that asks for what such a file does not have. */
int input_refuse(struct input *in, const char *why);

/*
 * The frame of a name: one in brackets, `-` or `--` is a note; a suffix such as _[k] is cut off and
 * says the kind; else it is of the kind that is given.
 */
struct tree_frame input_frame(struct input *in, const char *s, size_t size, enum frame_kind kind);
/* The node of a frame below another one, by the options. */
u32 input_child(struct input *in, u32 parent, const struct tree_frame *frame);
/* The node of a stack, root first, turned round if the options say so. */
u32 input_node(struct input *in, const struct tree_frame *frames, size_t nr);
/* The value of a stack that ends at a node; `before` means something in a differential only. */
void input_add_counts(struct input *in, u32 node, u64 value, u64 before);
/*
 * Adds a stack, root first, which the operations may change. -EINVAL: the sum of all is 2^64 or
 * more.
 */
int input_add(struct input *in, struct tree_frame *frames, size_t nr, u64 value);

/* Leaves a line, or a part that is called `what`, out: counts it and keeps the first one's why. */
void input_leave_out(struct input *in, const char *what, u64 number, const char *why);

/* A kind of files. */
struct input_kind {
	bool (*is)(struct string beginning);
	int (*read)(struct input *in);
};

/* Does the text begin as `perf script` prints it? */
bool perf_script_is(struct string beginning);
int perf_script_read(struct input *in);
bool pprof_is(struct string beginning);
int pprof_read(struct input *in);
int read_folded(struct input *in);

#endif
