/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mappings.h"

struct mappings *mappings_new(void)
{
	struct mappings *m = xcalloc(1, sizeof(*m));

	m->references = 1;
	return m;
}

struct mappings *mappings_get(struct mappings *m)
{
	if (m)
		m->references++;
	return m;
}

void mappings_put(struct mappings *m)
{
	if (!m || --m->references)
		return;
	vec_release(m);
	free(m);
}

static struct mappings *own(struct mappings *m)
{
	struct mappings *copy;

	if (m->references == 1)
		return m;
	copy = mappings_new();
	copy->at = xmemdup(m->at, m->nr * sizeof(*m->at));
	copy->nr = copy->room = m->nr;
	mappings_put(m);
	return copy;
}

/* The first mapping that ends above the address. */
static size_t first_above(const struct mappings *m, u64 address)
{
	size_t low = 0, high = m->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->at[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The part of `old` from `from` on. */
static struct mapping tail_of(const struct mapping *old, u64 from)
{
	struct mapping tail = *old;

	tail.offset += from - old->start;
	tail.start = from;
	return tail;
}

struct mappings *mappings_add(struct mappings *m, const struct mapping *new)
{
	struct mapping insert[3];
	size_t first, last, nr = 0;

	if (new->start >= new->end || m->nr + 2 > MAX_MAPPINGS)
		return m;
	m = own(m);
	m->java = JAVA_NOT_LOOKED_FOR;
	first = last = first_above(m, new->start);
	while (last < m->nr && m->at[last].start < new->end)
		last++;

	/* What sticks out of the new one on its left and right stays. */
	if (last > first && m->at[first].start < new->start) {
		insert[nr] = m->at[first];
		insert[nr++].end = new->start;
	}
	insert[nr++] = *new;
	if (last > first && m->at[last - 1].end > new->end)
		insert[nr++] = tail_of(&m->at[last - 1], new->end);

	vec_reserve(m, 2);
	memmove(m->at + first + nr, m->at + last, (m->nr - last) * sizeof(*m->at));
	memcpy(m->at + first, insert, nr * sizeof(*insert));
	m->nr = m->nr - (last - first) + nr;
	return m;
}

const struct mapping *mappings_find(const struct mappings *m, u64 address)
{
	size_t i;

	if (!m)
		return NULL;
	i = first_above(m, address);
	return i < m->nr && m->at[i].start <= address ? &m->at[i] : NULL;
}

enum mapping_kind mapping_kind_of(const char *path, bool shared)
{
	/* Memory that the kernel shows under a name, though there is no file to open for it. */
	const struct {
		const char *prefix;
		enum mapping_kind kind;
	} prefixes[] = {
		{"[vdso]", MAPPING_VDSO},
		{"[vsyscall]", MAPPING_KERNELS},
		{"[uprobes]", MAPPING_KERNELS},
		{"[", MAPPING_CODE},
		{"//anon", MAPPING_CODE},
		{"/anon_hugepage", MAPPING_CODE},
		{"/dev/zero", MAPPING_CODE},
		{"/SYSV", MAPPING_CODE},
		{"/memfd:", shared ? MAPPING_CODE : MAPPING_FILE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(path, prefixes[i].prefix, strlen(prefixes[i].prefix)))
			return prefixes[i].kind;
	return *path == '/' ? MAPPING_FILE : MAPPING_CODE;
}
