/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded_fixture.h: folded text that is in memory, as a file. */
#ifndef WICK_FOLDED_FIXTURE_H
#define WICK_FOLDED_FIXTURE_H

#include <sys/mman.h>

#include "stack_file.h"

/* The descriptor is the caller's. */
static inline int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("folded", MFD_CLOEXEC);
	ssize_t nr = write(fd, bytes, size);

	assert(nr == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Adds text to an unfinished tree, as the file "x.folded". */
static inline int read_bytes(struct stack_files *folded, struct call_tree *tree,
			     struct strings *names, const void *bytes, size_t size,
			     const struct stack_file_options *options, struct error *error)
{
	_cleanup_close_ int fd = file_of(bytes, size);

	return stack_file_read(folded, tree, names, fd, "x.folded", options, error);
}

#endif
