/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strings.h"

enum { BLOCK_SIZE = 64 << 10 };

void strings_init(struct strings *pool)
{
	*pool = (struct strings){};
	strings_add(pool, "", 0);
}

void strings_release(struct strings *pool)
{
	for (char *block = pool->block, *before; block; block = before) {
		memcpy(&before, block, sizeof(before));
		free(block);
	}
	table_release(&pool->table);
	vec_release(pool);
	*pool = (struct strings){};
}

static char *cut(struct strings *pool, size_t size)
{
	if (pool->block_used + size > pool->block_size) {
		size_t block_size = max((size_t)BLOCK_SIZE, size + sizeof(char *));
		char *block = xcalloc(1, block_size);

		memcpy(block, &pool->block, sizeof(pool->block));
		pool->block = block;
		pool->block_used = sizeof(pool->block);
		pool->block_size = block_size;
	}
	pool->block_used += size;
	return pool->block + pool->block_used - size;
}

u32 strings_find(const struct strings *pool, const char *s, size_t size)
{
	struct table_probe p = table_probe(&pool->table, hash_bytes(s, size));

	while (table_next(&p))
		if (pool->at[p.ref].size == size && !memcmp(pool->at[p.ref].s, s, size))
			return p.ref;
	return 0;
}

void strings_prefetch(const struct strings *pool, const char *s, size_t size)
{
	enum { LARGE = 1 << 17 /* slots: what a cache near the CPU has room for */ };

	if (pool->table.mask >= LARGE)
		table_prefetch(&pool->table, hash_bytes(s, size));
}

u32 strings_add(struct strings *pool, const char *s, size_t size)
{
	u64 hash = hash_bytes(s, size);
	struct table_probe p = table_probe(&pool->table, hash);
	struct string *new;
	char *copy;

	while (table_next(&p))
		if (pool->at[p.ref].size == size && !memcmp(pool->at[p.ref].s, s, size))
			return p.ref;

	if (pool->nr >= UINT32_MAX)
		out_of_memory();
	copy = cut(pool, size + 1);
	memcpy(copy, s, size);
	copy[size] = '\0';
	table_insert(&pool->table, hash, (u32)pool->nr);
	new = vec_add(pool);
	*new = (struct string){.s = copy, .size = size};
	return (u32)(pool->nr - 1);
}

u32 strings_adds(struct strings *pool, const char *s)
{
	return strings_add(pool, s, strlen(s));
}
