/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/kernel/btf_cut.h"

#include <bpf/btf.h>

#include "test.h"

static void free_btf(struct btf **btf)
{
	btf__free(*btf);
}

#define _cleanup_btf_ _cleanup_(free_btf)

/*
 * struct task { unsigned int flags : 3; struct { struct pid *pid; } ids; name_t names[4]; }, and
 * others.
 */
static struct btf *kernel_types(void)
{
	struct btf *b = btf__new_empty();
	int u32_id = btf__add_int(b, "unsigned int", 4, 0);
	int unwanted = btf__add_struct(b, "unwanted", 8);
	int pointer = btf__add_ptr(b, unwanted);
	int name, names, ids, kinds;

	btf__add_enum64(b, "unwanted_kind", 8, false);
	btf__add_enum64_value(b, "BIG", 1ull << 40);
	name = btf__add_typedef(b, "name_t", u32_id);
	names = btf__add_array(b, u32_id, name, 4);
	ids = btf__add_struct(b, NULL, 8);
	btf__add_field(b, "pid", pointer, 0, 0);
	kinds = btf__add_enum(b, "kind", 4);
	btf__add_enum_value(b, "KIND_A", 1);
	btf__add_enum_value(b, "KIND_B", 2);
	kinds = btf__add_const(b, kinds);
	btf__add_struct(b, "task", 40);
	btf__add_field(b, "flags", u32_id, 5, 3);
	btf__add_field(b, "ids", ids, 64, 0);
	btf__add_field(b, "names", names, 128, 0);
	btf__add_field(b, "kind", kinds, 256, 0);
	btf__add_func_proto(b, u32_id);
	btf__add_func_param(b, "x", u32_id);
	return b;
}

static struct btf *wanted_types(void)
{
	struct btf *b = btf__new_empty();

	btf__add_struct(b, "task___before_1_0", 4);
	btf__add_enum(b, "kind", 4);
	btf__add_struct(b, "not_in_this_kernel", 4);
	return b;
}

static struct btf *cut_of(struct btf *kernel, struct btf *wanted)
{
	_cleanup_strbuf_ struct strbuf cut = {};
	u32 size;
	const void *raw = btf__raw_data(kernel, &size);

	CHECK_EQ(btf_cut(raw, size, wanted, &cut), 0);
	return btf__new(cut.s, (u32)cut.size);
}

static const struct btf_member *member(const struct btf *b, const struct btf_type *type,
				       const char *name)
{
	const struct btf_member *m = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++, m++)
		if (!strcmp(btf__name_by_offset(b, m->name_off), name))
			return m;
	return NULL;
}

static void what_is_wanted_comes_with_what_it_contains(void)
{
	_cleanup_btf_ struct btf *kernel = kernel_types(), *wanted = wanted_types();
	_cleanup_btf_ struct btf *cut = cut_of(kernel, wanted);
	int id = btf__find_by_name_kind(cut, "task", BTF_KIND_STRUCT);
	const struct btf_type *task = btf__type_by_id(cut, (u32)id), *ids, *enumeration;
	const struct btf_member *m;

	CHECK(id > 0);
	CHECK_EQ(task->size, 40);
	CHECK_EQ(btf_vlen(task), 4);
	CHECK(btf_kflag(task));
	m = member(cut, task, "flags");
	CHECK_EQ(BTF_MEMBER_BITFIELD_SIZE(m->offset), 3);
	CHECK_EQ(BTF_MEMBER_BIT_OFFSET(m->offset), 5);
	CHECK_EQ(btf__resolve_size(cut, m->type), 4);
	CHECK_EQ(BTF_MEMBER_BIT_OFFSET(member(cut, task, "names")->offset), 128);
	CHECK_EQ(btf__resolve_size(cut, member(cut, task, "names")->type), 16);
	ids = btf__type_by_id(cut, member(cut, task, "ids")->type);
	CHECK(btf_is_struct(ids));
	CHECK(btf_is_ptr(btf__type_by_id(cut, member(cut, ids, "pid")->type)));
	CHECK_EQ(btf__type_by_id(cut, member(cut, ids, "pid")->type)->type, 0);
	enumeration = btf__type_by_id(cut, (u32)btf__find_by_name_kind(cut, "kind", BTF_KIND_ENUM));
	CHECK_EQ(btf_vlen(enumeration), 2);
	CHECK_STR(btf__name_by_offset(cut, btf_enum(enumeration)[1].name_off), "KIND_B");
	CHECK_EQ(btf_enum(enumeration)[1].val, 2);
}

static void nothing_else_comes_along(void)
{
	_cleanup_btf_ struct btf *kernel = kernel_types(), *wanted = wanted_types();
	_cleanup_btf_ struct btf *cut = cut_of(kernel, wanted);

	CHECK(btf__find_by_name(cut, "unwanted") < 0);
	CHECK(btf__find_by_name(cut, "unwanted_kind") < 0);
	/* task, kind, unsigned int, ids, names, name_t, const, the pointer, void */
	CHECK_EQ(btf__type_cnt(cut), 9);
}

static void broken_types_are_refused(void)
{
	_cleanup_btf_ struct btf *kernel = kernel_types(), *wanted = wanted_types();
	_cleanup_strbuf_ struct strbuf cut = {};
	u32 size;
	const void *raw = btf__raw_data(kernel, &size);
	_cleanup_free_ char *copy = xmemdup(raw, size);
	struct btf_header *header = (void *)copy;
	struct btf_type *first = (void *)(copy + header->hdr_len + header->type_off);

	for (u32 cut_size = 0; cut_size < size; cut_size += 7)
		CHECK(btf_cut(copy, cut_size, wanted, &cut) < 0);
	first->info = 31u << 24; /* a kind that nobody knows */
	CHECK(btf_cut(copy, size, wanted, &cut) < 0);
}

int main(void)
{
	RUN(what_is_wanted_comes_with_what_it_contains);
	RUN(nothing_else_comes_along);
	RUN(broken_types_are_refused);
	return test_status();
}
