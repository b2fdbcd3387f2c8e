/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h: interned byte strings. Equal strings have equal references, so that names are compared
 * as numbers. Reference 0 is the empty string. Strings may hold any bytes, NUL too.
 */
#ifndef WICK_STRINGS_H
#define WICK_STRINGS_H

#include "table.h"
#include "vec.h"

struct string {
	const char *s; /* NUL-terminated; lives as long as the pool */
	size_t size;   /* without the NUL */
};

static inline bool string_begins(struct string s, const char *with)
{
	size_t size = strlen(with);

	return s.size >= size && !memcmp(s.s, with, size);
}

static inline bool string_ends(struct string s, const char *with)
{
	size_t size = strlen(with);

	return s.size >= size && !memcmp(s.s + s.size - size, with, size);
}

/* Bytewise, the shorter one first: what qsort() wants. */
static inline int string_compare(struct string a, struct string b)
{
	int by = memcmp(a.s, b.s, a.size < b.size ? a.size : b.size);

	return by ? by : a.size < b.size ? -1 : a.size > b.size;
}

static inline bool string_is(struct string s, const char *what)
{
	return s.size == strlen(what) && !memcmp(s.s, what, s.size);
}

struct strings {
	VEC_FIELDS(struct string);
	struct table table;
	char *block; /* strings are cut from blocks; each block begins with a pointer to the one before */
	size_t block_used, block_size;
};

void strings_init(struct strings *pool);
void strings_release(struct strings *pool);
u32 strings_add(struct strings *pool, const char *s, size_t size);
/* 0 where it is not in the pool. */
u32 strings_find(const struct strings *pool, const char *s, size_t size);
/* For strings_add() or strings_find() of it some time later: a large pool is not in a cache. */
void strings_prefetch(const struct strings *pool, const char *s, size_t size);
u32 strings_adds(struct strings *pool, const char *s);

static inline struct string strings_get(const struct strings *pool, u32 ref)
{
	if (bug(ref >= pool->nr))
		return (struct string){"", 0};
	return pool->at[ref];
}

#endif
