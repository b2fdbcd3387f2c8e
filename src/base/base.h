/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base.h: what every file may use without saying so: integer types, ownership by cleanup
 * attribute, memory that does not run out, errors with a text.
 *
 * Ownership. A variable that owns something says so where it is defined:
 *
 *	_cleanup_free_ char *path = format("%s/x", dir);
 *	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
 *
 * and `steal(&path)` or `steal_fd(&fd)` hands it on. There is no goto.
 *
 * Errors. A function that can fail returns 0 or a negative errno and, where a person has to be told
 * what failed, takes a `struct error *` that fail() fills. Stages never print; src/cmd/ does.
 * Out-parameters are written only on success.
 *
 * Running out of memory ends the program, in one place (out_of_memory()). Sizes that come from
 * input are bounded where that input is read.
 */
#ifndef WICK_BASE_H
#define WICK_BASE_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bug.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

#define min(a, b)                                                                                  \
	({                                                                                         \
		__auto_type min_a = (a);                                                           \
		__auto_type min_b = (b);                                                           \
		min_a < min_b ? min_a : min_b;                                                     \
	})
#define max(a, b)                                                                                  \
	({                                                                                         \
		__auto_type max_a = (a);                                                           \
		__auto_type max_b = (b);                                                           \
		max_a > max_b ? max_a : max_b;                                                     \
	})

/*
 * Memory: these end the program instead of returning NULL. Free with free(). (To the linker they
 * have names of their own: libiberty has others of these names.)
 */
void *xcalloc(size_t nr, size_t size) __asm__("wick_xcalloc");
void *xrealloc(void *p, size_t nr, size_t size) __asm__("wick_xrealloc");
void *xmemdup(const void *p, size_t size) __asm__("wick_xmemdup");
char *xstrdup(const char *s) __asm__("wick_xstrdup");
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2), malloc));
_Noreturn void out_of_memory(void);
/* For many megabytes that are about to be filled: a page fault for 2 MiB, not for 4 KiB. */
void prefer_huge_pages(void *p, size_t size);

/* What went wrong, in words: "tried what, on what: why. What to do about it". One or two lines. */
struct error {
	char text[1024];
};

/*
 * Fills *error (which may be NULL) and returns `code`, a negative errno, so that a failing branch
 * is one line: `return fail(error, -ENOENT, "no such process: %d", pid);`
 */
int fail(struct error *error, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Ownership. */
static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_	    _cleanup_(cleanup_free)
#define _cleanup_close_	    _cleanup_(cleanup_close)
#define _cleanup_fclose_    _cleanup_(cleanup_fclose)

#define steal(pp)                                                                                  \
	({                                                                                         \
		__auto_type stolen = *(pp);                                                        \
		*(pp) = NULL;                                                                      \
		stolen;                                                                            \
	})

static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

/* Writes all of it, by as many calls as that takes; 0 or a negative errno. */
int write_whole(int fd, const void *bytes, size_t size);

/*
 * Nanoseconds of CLOCK_MONOTONIC, the clock of a run: BPF programs and side-band records use it
 * too.
 */
u64 monotonic_ns(void);

/* Index of the first of the `nr` ascending values that is not below `value`; nr when all are. */
static inline size_t lower_bound(const u64 *values, size_t nr, u64 value)
{
	size_t first = 0;

	while (nr) {
		size_t half = nr / 2;

		if (values[first + half] < value) {
			first += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return first;
}

#endif
