/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as folded text, perf script's text or a profile of pprof, through every format. The
 * values must add up, and neither control bytes nor invalid UTF-8 may get out.
 */
#include <sys/mman.h>

#include "base/strbuf.h"
#include "emit.h"
#include "stack_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct fixture {
	struct strings names;
	struct call_tree tree;
	int err;
};

static void fixture_release(struct fixture *f)
{
	call_tree_release(&f->tree);
	strings_release(&f->names);
}

static void read_bytes(struct fixture *f, const void *bytes, size_t size)
{
	_cleanup_close_ int fd = memfd_create("stacks", MFD_CLOEXEC);
	const struct stack_file_options options = {
		.columns = size % 3,
		.reverse = size & 1,
		.chart = size & 2,
		.label = size & 4,
		.metric = size % 32 == 8 ? "samples" : NULL,
		.group = size % 32 == 16 ? "pid" : NULL,
	};
	struct stack_files folded = STACK_FILES_NONE;
	struct error error;

	*f = (struct fixture){};
	strings_init(&f->names);
	call_tree_init(&f->tree, &f->names);
	assert(write(fd, bytes, size) == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	f->err = stack_file_read(&folded, &f->tree, &f->names, fd, "fuzz", &options, &error);
	if (!f->err)
		call_tree_finish(&f->tree);
}

static char *write_as(const struct fixture *f, const struct format *format_row, size_t *size)
{
	struct caption caption = {
		.title = "fuzz",
		.unit = {"us", 1 + f->tree.nr % 3},
		.min_width = (double)(f->tree.nr % 4),
		.inverted = f->tree.nr & 1,
	};
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	struct error error;
	int err;

	weighted_stacks_init(&stacks, &f->names);
	weighted_stacks_begin(&stacks, caption.unit);
	weighted_stacks_add_tree(&stacks, &f->tree);
	assert(stacks.sum[0] == f->tree.sum);
	err = format_write(format_row, &(struct drawn){&f->tree, &stacks}, &caption, out, &error);
	/* Not every format has room for every sum. */
	assert(!err || format_row->write_stacks);
	fclose(out);
	return text;
}

static u64 sum_of(const struct call_tree *tree)
{
	u64 sum = 0;

	vec_for_each (tree, node)
		sum += node->self;
	return sum;
}

/* Control bytes and invalid UTF-8 never get out. */
static void check_clean(const char *text, size_t size)
{
	for (size_t i = 0, length; i < size; i += length) {
		length = utf8_length(text + i, size - i);
		assert(length);
		assert(length > 1 || text[i] == '\n' || text[i] == '\t' ||
		       ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_cleanup_(fixture_release) struct fixture f = {};

	if (!size)
		return 0;
	read_bytes(&f, bytes, size);
	if (f.err)
		return 0;
	assert(f.tree.at[0].total == f.tree.sum && sum_of(&f.tree) == f.tree.sum);
	for (size_t i = 0; i < NR_FORMATS; i++) {
		size_t written = 0;
		_cleanup_free_ char *text = write_as(&f, formats[i], &written);

		if (formats[i]->write)
			check_clean(text, written);
	}
	return 0;
}
