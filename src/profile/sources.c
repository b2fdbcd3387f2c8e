/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.c: lines of source, as a trie: a line is a row, and the line that called it, where the
 * compiler inlined that call, is another one. Addresses in one loop share most of it.
 */
#include "profile.h"

static u64 hash_of(const struct source_line *source)
{
	const u64 words[] = {source->function, source->path, source->line, source->outer};

	return hash_bytes(words, sizeof(words));
}

u32 profile_source(struct profile *p, const struct source_line *source)
{
	u64 hash = hash_of(source);
	struct table_probe probe = table_probe(&p->source_table, hash);

	while (table_next(&probe))
		if (!memcmp(&p->sources.at[probe.ref], source, sizeof(*source)))
			return probe.ref;
	table_insert(&p->source_table, hash, (u32)p->sources.nr);
	*vec_add(&p->sources) = *source;
	return (u32)p->sources.nr - 1;
}

void profile_drop_sources(struct profile *p)
{
	vec_for_each (&p->frames, frame)
		frame->source = 0;
}
