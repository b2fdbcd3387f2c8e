/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf_cut.c: one pass over all types finds those that are wanted; each gets its new number when it
 * is first met, and is copied when its turn comes, which meets further ones:
 *
 *	taken   task_struct  mm_struct  unsigned int  ...
 *	new id            1          2             3
 *	            ^ copied: its members' types are taken
 */
#include "btf_cut.h"

#include <bpf/btf.h>
#include <linux/btf.h>

#include "base/table.h"
#include "base/vec.h"

enum {
	MAX_TYPES = 1 << 22,
	KIND_ENUM64 = 19, /* since 6.0, not in <linux/btf.h> everywhere */
	ENUM_WORDS = 2,	  /* name, value */
	ENUM64_WORDS = 3, /* name, low half, high half */
};

struct cutter {
	/* The kernel's. */
	const char *types, *strings;
	u32 types_size, strings_size;
	VEC(u32) at; /* id -> offset in types; 0 is void */
	/* The names that are wanted. */
	struct table names;
	const struct btf *wanted;
	bool first_letters[256]; /* of them: most types are told apart by that */
	/* The cut. */
	VEC(u32) taken; /* new id -> the kernel's; 0 is void */
	u32 *new_ids;	/* and back; 0: not taken */
	struct strbuf new_types, new_strings;
};

static void cutter_release(struct cutter *c)
{
	vec_release(&c->at);
	vec_release(&c->taken);
	free(c->new_ids);
	table_release(&c->names);
	strbuf_release(&c->new_types);
	strbuf_release(&c->new_strings);
}

/* The size of what follows a type's header; negative for a kind that is newer than this file. */
static int tail_size(const struct btf_type *type)
{
	int nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * (int)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * (int)sizeof(struct btf_enum);
	case KIND_ENUM64:
		return nr * ENUM64_WORDS * (int)sizeof(u32);
	case BTF_KIND_FUNC_PROTO:
		return nr * (int)sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return nr * (int)sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -EINVAL;
	}
}

static const char *name_at(const struct cutter *c, u32 offset)
{
	return offset < c->strings_size ? c->strings + offset : "";
}

static bool can_be_wanted(const struct btf_type *type)
{
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
	case BTF_KIND_TYPEDEF:
		return type->name_off;
	default:
		return false;
	}
}

/* Without the flavor. */
static size_t essential_size(const char *name)
{
	const char *flavor = strstr(name, "___");

	return flavor && flavor > name ? (size_t)(flavor - name) : strlen(name);
}

static bool is_wanted(const struct cutter *c, const char *name, size_t size)
{
	struct table_probe probe = table_probe(&c->names, hash_bytes(name, size));

	while (table_next(&probe)) {
		const char *other = btf__name_by_offset(
			c->wanted, btf__type_by_id(c->wanted, probe.ref)->name_off);

		if (essential_size(other) == size && !memcmp(other, name, size))
			return true;
	}
	return false;
}

static void want_names(struct cutter *c)
{
	for (u32 id = 1; id < btf__type_cnt(c->wanted); id++) {
		const struct btf_type *type = btf__type_by_id(c->wanted, id);
		const char *name = btf__name_by_offset(c->wanted, type->name_off);
		size_t size;

		if (!can_be_wanted(type))
			continue;
		size = essential_size(name);
		if (is_wanted(c, name, size))
			continue;
		table_insert(&c->names, hash_bytes(name, size), id);
		c->first_letters[(u8)*name] = true;
	}
}

/* The new number of one of the kernel's types. */
static u32 take_type(struct cutter *c, u32 id)
{
	if (!id || id >= c->at.nr)
		return 0;
	if (!c->new_ids[id]) {
		c->new_ids[id] = (u32)c->taken.nr;
		*vec_add(&c->taken) = id;
	}
	return c->new_ids[id];
}

static int index_types(struct cutter *c)
{
	*vec_add(&c->at) = 0;
	for (u32 at = 0; at < c->types_size;) {
		const struct btf_type *type = (const void *)(c->types + at);
		u32 left = c->types_size - at;
		int tail;

		if (left < sizeof(*type) || c->at.nr == MAX_TYPES)
			return -EINVAL;
		tail = tail_size(type);
		if (tail < 0 || (u32)tail > left - sizeof(*type))
			return -EINVAL;
		*vec_add(&c->at) = at;
		at += (u32)sizeof(*type) + (u32)tail;
	}
	return 0;
}

static void take_wanted(struct cutter *c)
{
	c->new_ids = xcalloc(c->at.nr, sizeof(*c->new_ids));
	*vec_add(&c->taken) = 0;
	for (u32 id = 1; id < c->at.nr; id++) {
		const struct btf_type *type = (const void *)(c->types + c->at.at[id]);
		const char *name;

		if (!can_be_wanted(type))
			continue;
		name = name_at(c, type->name_off);
		if (c->first_letters[(u8)*name] && is_wanted(c, name, strlen(name)))
			take_type(c, id);
	}
}

static u32 add_name(struct cutter *c, u32 offset)
{
	const char *name = name_at(c, offset);
	u32 at = (u32)c->new_strings.size;

	if (!*name)
		return 0;
	strbuf_add(&c->new_strings, name, strlen(name) + 1);
	return at;
}

/* Puts the cut's names and numbers into the copy of a type. */
static void translate(struct cutter *c, struct btf_type *type)
{
	u32 nr = BTF_INFO_VLEN(type->info);
	struct btf_member *members = (void *)(type + 1);
	struct btf_array *array = (void *)(type + 1);
	u32 *words = (void *)(type + 1);

	type->name_off = add_name(c, type->name_off);
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (u32 i = 0; i < nr; i++) {
			members[i].name_off = add_name(c, members[i].name_off);
			members[i].type = take_type(c, members[i].type);
		}
		break;
	case BTF_KIND_ENUM:
		for (u32 i = 0; i < nr; i++)
			words[i * ENUM_WORDS] = add_name(c, words[i * ENUM_WORDS]);
		break;
	case KIND_ENUM64:
		for (u32 i = 0; i < nr; i++)
			words[i * ENUM64_WORDS] = add_name(c, words[i * ENUM64_WORDS]);
		break;
	case BTF_KIND_ARRAY:
		array->type = take_type(c, array->type);
		array->index_type = take_type(c, array->index_type);
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		type->type = take_type(c, type->type);
		break;
	case BTF_KIND_PTR:
		type->type = 0;
		break;
	default: /* INT, FLOAT, FWD: nothing else can be contained by value */
		break;
	}
}

static void copy_type(struct cutter *c, u32 id)
{
	const struct btf_type *type = (const void *)(c->types + c->at.at[id]);
	size_t at = c->new_types.size;

	strbuf_add(&c->new_types, type, sizeof(*type) + (size_t)tail_size(type));
	translate(c, (void *)(c->new_types.s + at));
}

static int read_header(struct cutter *c, const char *kernel, size_t size)
{
	const struct btf_header *h = (const void *)kernel;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION ||
	    h->hdr_len < sizeof(*h) || h->hdr_len > size)
		return -EINVAL;
	size -= h->hdr_len;
	if (h->type_off % 4 || h->type_off > size || h->type_len > size - h->type_off ||
	    h->str_off > size || h->str_len > size - h->str_off || !h->str_len)
		return -EINVAL;
	c->types = kernel + h->hdr_len + h->type_off;
	c->types_size = h->type_len;
	c->strings = kernel + h->hdr_len + h->str_off;
	c->strings_size = h->str_len;
	return c->strings[h->str_len - 1] ? -EINVAL : 0;
}

static void write_cut(const struct cutter *c, struct strbuf *cut)
{
	struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.type_len = (u32)c->new_types.size,
		.str_off = (u32)c->new_types.size,
		.str_len = (u32)c->new_strings.size,
	};

	strbuf_add(cut, &header, sizeof(header));
	strbuf_add(cut, c->new_types.s, c->new_types.size);
	strbuf_add(cut, c->new_strings.s, c->new_strings.size);
}

int btf_cut(const void *kernel, size_t size, const struct btf *wanted, struct strbuf *cut)
{
	_cleanup_(cutter_release) struct cutter c = {.wanted = wanted};
	int err = read_header(&c, kernel, size);

	if (err)
		return err;
	want_names(&c);
	err = index_types(&c);
	if (err)
		return err;
	take_wanted(&c);
	strbuf_addc(&c.new_strings, '\0');
	for (u32 i = 1; i < c.taken.nr; i++)
		copy_type(&c, c.taken.at[i]);
	write_cut(&c, cut);
	return 0;
}
