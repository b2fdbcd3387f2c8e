/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_file.c: looks at how a file begins, and has the reader of its kind read it. The suffix of
 * its name says nothing: it may come through a pipe.
 */
#include "input.h"

/* Enough for some events of perf script, below a header. */
enum { LOOKED_AT = 1 << 16 };

static bool anything(struct string beginning)
{
	(void)beginning;
	return true;
}

static const struct input_kind kinds[] = {
	{.is = pprof_is, .read = pprof_read},
	{.is = perf_script_is, .read = perf_script_read},
	{.is = anything, .read = read_folded},
};

/* What people have at hand, and is something else. */
static const struct {
	const char *magic, *what;
} strangers[] = {
	{"\x89"
	 "WICK",
	 "a recording: say wick cpu -i FILE, or another graph"},
	{"PERFILE2", "perf.data: say perf script -i FILE | wick flame"},
	{"\x7f"
	 "ELF",
	 "a program or core file"},
	{"PK\x03\x04", "a zip archive: unpack it"},
	{"\xfd"
	 "7zXZ",
	 "compressed by xz: say xzcat FILE | wick flame"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd: say zstdcat FILE | wick flame"},
	{"BZh", "compressed by bzip2: say bzcat FILE | wick flame"},
	{"<?xml", "XML: wick reads stacks, not pictures"},
	{"<svg", "a picture: wick reads stacks"},
	{"{", "JSON: wick reads folded text, perf script's text and pprof's profiles"},
};

static int check_magic(struct input *in, struct string beginning)
{
	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
		if (string_begins(beginning, strangers[i].magic))
			return fail(in->error, -EINVAL, "%s is %s", in->lines->name,
				    strangers[i].what);
	return 0;
}

static int read_by_kind(struct input *in)
{
	struct string beginning = lines_peek(in->lines, LOOKED_AT);
	size_t i = 0;
	int err = check_magic(in, beginning);

	if (err)
		return err;
	while (!kinds[i].is(beginning))
		i++;
	return kinds[i].read(in);
}

int stack_file_read(struct stack_files *files, struct call_tree *tree, struct strings *names,
		    int fd, const char *name, const struct stack_file_options *options,
		    struct error *error)
{
	_cleanup_(lines_release) struct lines lines = {};
	_cleanup_(input_release) struct input in = {
		.files = files,
		.tree = tree,
		.names = names,
		.options = options,
		.lines = &lines,
		.error = error,
	};
	int err = lines_open(&lines, fd, name, STACK_FILE_MAX_LINE, error);

	return err ? err : read_by_kind(&in);
}
