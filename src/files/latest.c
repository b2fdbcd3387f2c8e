/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "latest.h"

bool latest_init(struct latest *latest, struct files_symbols *reply)
{
	*latest = (struct latest){.reply = reply};
	if (reply->nr >= UINT32_MAX)
		return false;
	latest->addresses = xcalloc(reply->nr, sizeof(*latest->addresses));
	latest->next = xcalloc(reply->nr + 1, sizeof(*latest->next));
	for (size_t i = 0; i < reply->nr; i++) {
		latest->addresses[i] = reply->at[i].address;
		latest->next[i] = (u32)i;
	}
	latest->next[reply->nr] = (u32)reply->nr;
	return true;
}

void latest_release(struct latest *latest)
{
	free(latest->addresses);
	free(latest->next);
}

/* The first address from i on that has no name yet. */
static size_t next_unnamed(struct latest *latest, size_t i)
{
	size_t root = i;

	while (latest->next[root] != root)
		root = latest->next[root];
	while (latest->next[i] != root) {
		size_t after = latest->next[i];

		latest->next[i] = (u32)root;
		i = after;
	}
	return root;
}

void latest_name(struct latest *latest, u64 start, u64 size, const char *name, size_t name_size)
{
	struct files_symbols *reply = latest->reply;
	size_t i = next_unnamed(latest, lower_bound(latest->addresses, reply->nr, start));

	for (; i < reply->nr && latest->addresses[i] - start < size; i = next_unnamed(latest, i)) {
		reply_name(&reply->at[i], start, name, name_size);
		latest->next[i] = (u32)i + 1;
		latest->nr_named++;
	}
}
