/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h: the content of a file or of a piece of memory, read with every bound checked.
 *
 * Files are read, never mapped: one that is cut while it is read gives a failed read and no SIGBUS.
 */
#ifndef FILES_BYTES_H
#define FILES_BYTES_H

#include "base/base.h"

struct bytes {
	int fd;		    /* not owned; used where there is no memory */
	const void *memory; /* not owned */
	u64 size;
};

/* The whole of a regular file, as long as it is now. */
int bytes_of_file(struct bytes *bytes, int fd);
struct bytes bytes_of_memory(const void *memory, size_t size);

/* Reads exactly [offset, offset + size); false when some of it does not exist. */
bool bytes_read(const struct bytes *bytes, u64 offset, void *to, size_t size);
/* Reads what there is from offset on, at most `size` bytes; returns how many. */
size_t bytes_read_some(const struct bytes *bytes, u64 offset, void *to, size_t size);

#endif
