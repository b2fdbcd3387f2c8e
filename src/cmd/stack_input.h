/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_input.h: files of stacks that a command names. */
#ifndef CMD_STACK_INPUT_H
#define CMD_STACK_INPUT_H

#include "stack_file.h"

/* "-" */
bool is_standard(const char *path);
/* The path, or "standard input". */
const char *input_name(const char *path);
/* As stack_file_read(), of a path. */
int stack_input_read(struct stack_files *files, struct call_tree *tree, struct strings *names,
		     const char *path, const struct stack_file_options *options,
		     struct error *error);
/*
 * Prints how many lines, or samples, were left out, and which is the first, and which of several
 * values was read; nothing where there is nothing of the kind.
 */
void stack_input_say_left_out(const struct stack_files *files);

/* `x.folded` -> `x.svg`: the suffix, if there is one, is exchanged. To be freed. */
char *stack_input_output(const char *input, const struct format *format_row);

#endif
