/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latest.h: names of addresses by entries that are met from the latest on.
 *
 * Runtimes use memory again, so of several entries that cover an address the last one is true.
 * Backwards, that is the first one met: each address gets its name once, and looking can stop when
 * all have one. What hostile entries can cost is bounded by how many there are.
 */
#ifndef FILES_LATEST_H
#define FILES_LATEST_H

#include "reply.h"

struct latest {
	struct files_symbols *reply;
	u64 *addresses;
	u32 *next; /* next[i]: no address from i up to there is without a name; a union-find forest
		    */
	u64 nr_named;
};

/* False where there are too many addresses. */
bool latest_init(struct latest *latest, struct files_symbols *reply);
void latest_release(struct latest *latest);

/* Names what [start, start + size) covers and has no name yet. */
void latest_name(struct latest *latest, u64 start, u64 size, const char *name, size_t name_size);

static inline bool latest_is_done(const struct latest *latest)
{
	return latest->nr_named >= latest->reply->nr;
}

#endif
