/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base.h"

#include <sys/mman.h>

#include <stdarg.h>
#include <time.h>

void out_of_memory(void)
{
	static const char text[] = "wick: out of memory\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)written;
	_exit(1);
}

void *xcalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *p, size_t nr, size_t size)
{
	p = reallocarray(p, nr ? nr : 1, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *xmemdup(const void *p, size_t size)
{
	void *copy = xcalloc(1, size);

	return size ? memcpy(copy, p, size) : copy;
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *format(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	if (vasprintf(&s, fmt, args) < 0)
		out_of_memory();
	va_end(args);
	return s;
}

int fail(struct error *error, int code, const char *fmt, ...)
{
	va_list args;

	if (bug(code >= 0))
		code = -EINVAL;
	if (!error)
		return code;
	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return code;
}

u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

void prefer_huge_pages(void *p, size_t size)
{
	enum { HUGE = 2 << 20 };
	uintptr_t begin = ((uintptr_t)p + HUGE - 1) & ~(uintptr_t)(HUGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(uintptr_t)(HUGE - 1);

	/* Where the kernel does not, pages are small. */
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

int write_whole(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			at += done;
			size -= (size_t)done;
		}
	}
	return 0;
}
