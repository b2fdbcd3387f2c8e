/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "java_scopes.h"

enum {
	MAX_SEARCH = 32, /* halvings */
	UNSIGNED5_BITS = 6,
	UNSIGNED5_BYTES = 5,
	UNSIGNED5_HIGH = 64,	 /* values of a byte that say that another one follows */
	FIRST_WITHOUT_ZERO = 20, /* versions whose numbers have no byte 0 */
};

/* Where a compiled method has its parts: addresses. */
struct parts {
	u64 code, pcs, pcs_end, scopes, metadata, method;
};

static bool read_offset(const struct java_code *code, u64 object, enum java_field field, u64 *value)
{
	return vm_read_u32(code->memory, object + code->symbols.fields[field], value);
}

/* Up to 22: all of it in one block, by offsets from its begin. */
static bool find_in_block(const struct java_code *code, u64 blob, struct parts *parts)
{
	u64 pcs, end, metadata;

	if (!read_offset(code, blob, NMETHOD_PCS, &pcs) ||
	    !read_offset(code, blob, NMETHOD_DEPENDENCIES, &end) ||
	    !read_offset(code, blob, NMETHOD_METADATA, &metadata) ||
	    !java_field_u64(code, blob, NMETHOD_SCOPES_BEGIN, &parts->scopes))
		return false;
	parts->pcs = blob + pcs;
	parts->pcs_end = blob + end;
	parts->metadata = blob + metadata;
	return true;
}

/*
 * 25: in two other places. What is before the metadata there, of a size that lies before the
 * content's offset, is relocations.
 */
static bool find_elsewhere(const struct java_code *code, u64 blob, struct parts *parts)
{
	u64 constant, pcs, scopes, mutable, relocations;

	if (!java_field_u64(code, blob, NMETHOD_IMMUTABLE, &constant) ||
	    !java_field_u64(code, blob, BLOB_MUTABLE, &mutable) ||
	    !read_offset(code, blob, NMETHOD_PCS, &pcs) ||
	    !read_offset(code, blob, NMETHOD_SCOPES, &scopes) ||
	    !vm_read_u32(code->memory, blob + code->symbols.fields[BLOB_CONTENT] - sizeof(u32),
			 &relocations))
		return false;
	parts->pcs = constant + pcs;
	parts->pcs_end = parts->scopes = constant + scopes;
	parts->metadata = mutable + relocations;
	return true;
}

static bool find_parts(const struct java_code *code, u64 blob, struct parts *parts)
{
	const bool *has = code->symbols.has;
	bool found = false;

	if (!java_field_u64(code, blob, NMETHOD_METHOD, &parts->method) ||
	    !java_code_begin(code, blob, &parts->code) || !has[NMETHOD_PCS])
		return false;
	if (has[NMETHOD_DEPENDENCIES] && has[NMETHOD_METADATA] && has[NMETHOD_SCOPES_BEGIN])
		found = find_in_block(code, blob, parts);
	else if (has[NMETHOD_IMMUTABLE] && has[NMETHOD_SCOPES] && has[BLOB_MUTABLE] &&
		 has[BLOB_CONTENT])
		found = find_elsewhere(code, blob, parts);
	return found && parts->pcs < parts->pcs_end;
}

static bool read_pc(const struct java_code *code, const struct parts *parts, u64 i,
		    enum java_field field, u64 *value)
{
	u64 at = parts->pcs + i * code->symbols.sizes[TYPE_PC_DESC];

	return at < parts->pcs_end &&
	       vm_read_u32(code->memory, at + code->symbols.fields[field], value);
}

/* The first place from the address on, by its number. */
static bool find_place(const struct java_code *code, const struct parts *parts, s64 offset,
		       u64 *place)
{
	const struct java_symbols *s = &code->symbols;
	u64 size = s->sizes[TYPE_PC_DESC], low = 0, high, value;

	if (!size || !s->has[PC_OFFSET] || !s->has[PC_SCOPE])
		return false;
	high = (parts->pcs_end - parts->pcs) / size;
	for (int i = 0; i < MAX_SEARCH && low < high; i++) {
		u64 middle = low + (high - low) / 2;

		if (!read_pc(code, parts, middle, PC_OFFSET, &value))
			return false;
		if ((s32)value < offset)
			low = middle + 1;
		else
			high = middle;
	}
	*place = low;
	return true;
}

static bool read_number(const struct java_code *code, u64 *at, u32 *number)
{
	const u32 excluded = code->symbols.version >= FIRST_WITHOUT_ZERO;
	const u32 low = 256 - UNSIGNED5_HIGH - excluded;
	u32 sum = 0;
	u64 byte;

	for (u32 i = 0; i < UNSIGNED5_BYTES; i++) {
		if (!vm_read_u8(code->memory, (*at)++, &byte) || byte < excluded)
			return false;
		byte -= excluded;
		sum += (u32)byte << UNSIGNED5_BITS * i;
		if (byte < low)
			break;
	}
	*number = sum;
	return true;
}

/* A place's. Read right, they end with the method that was compiled. */
static bool read_scopes(const struct java_code *code, const struct parts *parts, u64 place,
			struct java_scopes *scopes)
{
	u64 offset;

	scopes->nr = 0;
	if (!read_pc(code, parts, place, PC_SCOPE, &offset))
		return false;
	while (offset && scopes->nr < JAVA_MAX_SCOPES) {
		u64 at = parts->scopes + offset;
		u32 caller, method;

		if (!read_number(code, &at, &caller) || !read_number(code, &at, &method) ||
		    !method ||
		    !vm_read_u64(code->memory, parts->metadata + (method - 1) * (u64)sizeof(u64),
				 &scopes->methods[scopes->nr++]))
			return false;
		offset = caller;
	}
	return scopes->nr && scopes->methods[scopes->nr - 1] == parts->method;
}

/* Leaves what is common to both, from the outermost on. */
static void keep_common(struct java_scopes *scopes, const struct java_scopes *others)
{
	size_t nr = 0;

	while (nr < scopes->nr && nr < others->nr &&
	       scopes->methods[scopes->nr - 1 - nr] == others->methods[others->nr - 1 - nr])
		nr++;
	memmove(scopes->methods, scopes->methods + scopes->nr - nr, nr * sizeof(*scopes->methods));
	scopes->nr = nr;
}

bool java_scopes_find(const struct java_code *code, u64 blob, u64 address,
		      struct java_scopes *scopes)
{
	struct java_scopes before;
	struct parts parts;
	u64 place, at;
	s64 offset;

	scopes->nr = 0;
	if (!find_parts(code, blob, &parts))
		return false;
	offset = (s64)(address - parts.code);
	if (!find_place(code, &parts, offset, &place) ||
	    !read_scopes(code, &parts, place, scopes) ||
	    !read_pc(code, &parts, place, PC_OFFSET, &at))
		return false;
	if ((s32)at - offset <= 1)
		return true;
	if (!place || !read_scopes(code, &parts, place - 1, &before))
		before.nr = 0;
	keep_common(scopes, &before);
	return scopes->nr;
}
