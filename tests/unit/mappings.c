/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow/mappings.h"

#include "test.h"

enum { PAGE = 0x1000, BASE = 0x400000, PAGES = 64 };

/* A model that cannot be wrong: what each page is. File 0: nothing. */
struct page {
	u32 file;
	u64 offset;
};

struct model {
	struct page pages[PAGES];
};

static struct mapping mapping(unsigned int page, unsigned int nr, u32 file, u64 offset)
{
	return (struct mapping){
		.start = BASE + (u64)page * PAGE,
		.end = BASE + (u64)(page + nr) * PAGE,
		.offset = offset,
		.file = file,
	};
}

static void model_add(struct model *model, const struct mapping *m)
{
	for (u64 at = m->start; at < m->end; at += PAGE)
		model->pages[(at - BASE) / PAGE] =
			(struct page){.file = m->file, .offset = m->offset + at - m->start};
}

static void compare_page(const struct mappings *m, const struct page *page, u64 address)
{
	const struct mapping *found = mappings_find(m, address);

	if (!page->file && found)
		test_report("%#llx is mapped, and should not be", (unsigned long long)address);
	if (!page->file || !found) {
		CHECK_EQ(!page->file, !found);
		return;
	}
	CHECK_EQ(found->file, page->file);
	CHECK_EQ(address - found->start + found->offset, page->offset + address % PAGE);
}

static void compare(const struct mappings *m, const struct model *model)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		u64 address = BASE + (u64)i * PAGE;

		compare_page(m, &model->pages[i], address);
		compare_page(m, &model->pages[i], address + PAGE - 1);
	}
	CHECK(!mappings_find(m, BASE - 1));
	CHECK(!mappings_find(m, BASE + PAGES * PAGE));
	for (size_t i = 1; i < m->nr; i++)
		CHECK(m->at[i - 1].end <= m->at[i].start);
	for (size_t i = 0; i < m->nr; i++)
		CHECK(m->at[i].start < m->at[i].end);
}

static struct mapping random_mapping(void)
{
	unsigned int page = (unsigned int)random() % PAGES;
	unsigned int nr = 1 + (unsigned int)random() % 12;

	if (page + nr > PAGES)
		nr = PAGES - page;
	return mapping(page, nr, 1 + (u32)random() % 1000, (u64)(random() % 1000) * PAGE);
}

static void what_is_added_covers_what_was_there(void)
{
	srandom(3);
	for (int round = 0; round < 300; round++) {
		struct mappings *m = mappings_new();
		struct model model = {};

		for (int i = 0; i < 60; i++) {
			struct mapping new = random_mapping();

			m = mappings_add(m, &new);
			model_add(&model, &new);
			compare(m, &model);
		}
		mappings_put(m);
	}
}

static void who_shares_a_set_does_not_see_what_the_other_adds(void)
{
	struct mapping first = mapping(0, 8, 1, 0), second = mapping(2, 2, 2, 0);
	struct model before = {}, after;
	struct mappings *parent = mappings_add(mappings_new(), &first), *child;

	model_add(&before, &first);
	after = before;
	model_add(&after, &second);
	child = mappings_get(parent);
	CHECK(child == parent);
	child = mappings_add(child, &second);
	CHECK(child != parent);
	compare(parent, &before);
	compare(child, &after);
	mappings_put(parent);
	compare(child, &after);
	mappings_put(child);
}

static void nothing_is_nothing(void)
{
	struct mapping empty = {.start = BASE, .end = BASE, .file = 1};
	struct mapping backwards = {.start = BASE + PAGE, .end = BASE, .file = 1};
	struct mappings *m = mappings_add(mappings_new(), &empty);

	m = mappings_add(m, &backwards);
	CHECK_EQ(m->nr, 0);
	CHECK(!mappings_find(m, BASE));
	CHECK(!mappings_find(NULL, BASE));
	CHECK(!mappings_get(NULL));
	mappings_put(m);
	mappings_put(NULL);
}

static void a_set_is_bounded(void)
{
	struct mappings *m = mappings_new();

	for (u64 i = 0; i < 2 * MAX_MAPPINGS; i++) {
		struct mapping new = {.start = i * 2 * PAGE, .end = (i * 2 + 1) * PAGE, .file = 1};

		m = mappings_add(m, &new);
	}
	CHECK(m->nr <= MAX_MAPPINGS);
	CHECK(mappings_find(m, 0));
	mappings_put(m);
}

static void paths_tell_what_a_mapping_is(void)
{
	static const struct {
		const char *path;
		enum mapping_kind private, shared;
	} cases[] = {
		{"/usr/lib/libc.so.6", MAPPING_FILE, MAPPING_FILE},
		{"/usr/lib/libc.so.6 (deleted)", MAPPING_FILE, MAPPING_FILE},
		{"/", MAPPING_FILE, MAPPING_FILE},
		{"[vdso]", MAPPING_VDSO, MAPPING_VDSO},
		{"[vsyscall]", MAPPING_KERNELS, MAPPING_KERNELS},
		{"[uprobes]", MAPPING_KERNELS, MAPPING_KERNELS},
		{"[heap]", MAPPING_CODE, MAPPING_CODE},
		{"[anon:jit]", MAPPING_CODE, MAPPING_CODE},
		{"", MAPPING_CODE, MAPPING_CODE},
		{"//anon", MAPPING_CODE, MAPPING_CODE},
		{"/memfd:jit (deleted)", MAPPING_FILE, MAPPING_CODE},
		{"/dev/zero (deleted)", MAPPING_CODE, MAPPING_CODE},
		{"/SYSV00000000 (deleted)", MAPPING_CODE, MAPPING_CODE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_EQ(mapping_kind_of(cases[i].path, false), cases[i].private);
		CHECK_EQ(mapping_kind_of(cases[i].path, true), cases[i].shared);
	}
}

int main(void)
{
	RUN(what_is_added_covers_what_was_there);
	RUN(who_shares_a_set_does_not_see_what_the_other_adds);
	RUN(nothing_is_nothing);
	RUN(a_set_is_bounded);
	RUN(paths_tell_what_a_mapping_is);
	return test_status();
}
