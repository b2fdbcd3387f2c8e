/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late-read.c: a library to preload: one read of a BPF iterator returns 3 s late, as if its thread
 * had got no CPU. It is the first one that brings what does not begin with zeros, or, where none
 * does, the last one.
 */
#include <dlfcn.h>

#include "workload.h"

enum { THREADS_AT_ONCE = 32 }; /* src/collect/kernel/visit_threads.c */

static int is_iterator(int fd)
{
	char path[64], name[64];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	size = readlink(path, name, sizeof(name) - 1);
	return size > 0 && memmem(name, (size_t)size, "bpf_iter", strlen("bpf_iter"));
}

/* Has one of its records a type? */
static int brings_something(const char *bytes, ssize_t size, size_t length)
{
	for (ssize_t at = 0; at + (ssize_t)sizeof(int) <= size; at += (ssize_t)length)
		if (*(const int *)(const void *)(bytes + at))
			return 1;
	return 0;
}

ssize_t read(int fd, void *to, size_t most)
{
	static int was_late;
	ssize_t (*real)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	ssize_t size = real(fd, to, most);
	int is_last = size == 0;

	if (was_late || size < 0 || !is_iterator(fd))
		return size;
	if (is_last || brings_something(to, size, most / THREADS_AT_ONCE)) {
		was_late = 1;
		sleep(3);
	}
	return size;
}
