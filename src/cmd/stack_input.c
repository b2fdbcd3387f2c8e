/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_input.h"

#include <fcntl.h>

bool is_standard(const char *path)
{
	return !strcmp(path, "-");
}

const char *input_name(const char *path)
{
	return is_standard(path) ? "standard input" : path;
}

int stack_input_read(struct stack_files *files, struct call_tree *tree, struct strings *names,
		     const char *path, const struct stack_file_options *options,
		     struct error *error)
{
	_cleanup_close_ int fd = is_standard(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && !is_standard(path))
		return fail(error, -errno, "cannot read %s: %s", path, strerror(errno));
	return stack_file_read(files, tree, names, fd < 0 ? STDIN_FILENO : fd, input_name(path),
			       options, error);
}

/* Lines that are not drawn have to be known of. */
void stack_input_say_left_out(const struct stack_files *files)
{
	if (files->nr_bad)
		fprintf(stderr, "wick: %llu %s%s left out; the first is %s\n",
			(unsigned long long)files->nr_bad, files->bad_noun,
			files->nr_bad == 1 ? " is" : "s are", files->first_bad.text);
	if (files->choice[0])
		fprintf(stderr, "wick: %s\n", files->choice);
}

char *stack_input_output(const char *input, const struct format *format_row)
{
	const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	size_t size = strlen(input);

	if (dot && dot > (slash ? slash + 1 : input))
		size = (size_t)(dot - input);
	return format("%.*s%s", (int)size, input, format_row->suffix);
}
