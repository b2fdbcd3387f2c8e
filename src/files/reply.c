/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reply.h"

struct files_symbols *reply_new(enum files_state state, const u64 *addresses, size_t nr)
{
	struct files_symbols *reply = xcalloc(1, sizeof(*reply));

	reply->state = state;
	reply->nr = nr;
	reply->at = xcalloc(nr, sizeof(*reply->at));
	for (size_t i = 0; i < nr; i++)
		reply->at[i].address = addresses[i];
	return reply;
}

void reply_name(struct files_symbol *symbol, u64 start, const char *name, size_t size)
{
	char *copy;

	size = min(size, (size_t)NAME_SIZE_MAX);
	copy = xcalloc(1, size + 1);
	memcpy(copy, name, size);
	free((char *)symbol->name);
	symbol->name = copy;
	symbol->name_size = (u32)size;
	symbol->start = start;
}

void files_symbols_free(struct files_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->nr; i++)
		free((char *)symbols->at[i].name);
	free(symbols->at);
	free(symbols);
}
