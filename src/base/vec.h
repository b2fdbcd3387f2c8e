/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec.h: a growing array of anything. Zero-initialized is empty; vec_release() frees the array, not
 * what its elements own.
 *
 *	struct numbers { VEC_FIELDS(u64); } numbers = {};
 *
 *	*vec_add(&numbers) = 7;
 *	vec_for_each (&numbers, n)
 *		sum += *n;
 *	vec_release(&numbers);
 *
 * A pointer to an element is good until the next vec_add().
 */
#ifndef WICK_VEC_H
#define WICK_VEC_H

#include "base.h"

#define VEC_FIELDS(type)                                                                           \
	type *at;                                                                                  \
	size_t nr;                                                                                 \
	size_t room

/* A vec without a name of its own: `VEC(u32) refs;` */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		VEC_FIELDS(type);                                                                  \
	}

/* Makes room for `more` further elements. */
#define vec_reserve(v, more)                                                                       \
	((v)->at = vec_grow((v)->at, (v)->nr, &(v)->room, (more), sizeof(*(v)->at)))

/* Adds a zeroed element and returns a pointer to it. */
#define vec_add(v)                                                                                 \
	({                                                                                         \
		vec_reserve((v), 1);                                                               \
		memset(&(v)->at[(v)->nr], 0, sizeof(*(v)->at));                                    \
		&(v)->at[(v)->nr++];                                                               \
	})

#define vec_for_each(v, p) for (__auto_type p = (v)->at; p < (v)->at + (v)->nr; p++)

#define vec_release(v)                                                                             \
	({                                                                                         \
		free((v)->at);                                                                     \
		(v)->at = NULL;                                                                    \
		(v)->nr = (v)->room = 0;                                                           \
	})

#define vec_sort(v, compare)                                                                       \
	((v)->nr ? qsort((v)->at, (v)->nr, sizeof(*(v)->at), (compare)) : (void)0)

static inline void *vec_grow(void *at, size_t nr, size_t *room, size_t more, size_t size)
{
	size_t need = nr + more;

	if (need < nr)
		out_of_memory();
	if (need <= *room)
		return at;
	*room = max(need, *room + *room / 2 + 8);
	return xrealloc(at, *room, size);
}

#endif
