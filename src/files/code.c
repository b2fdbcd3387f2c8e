/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code.h"

#include "message.h"

enum { MAX_PIECES = 64 };

static const struct code_piece *find_piece(const struct code *code, u64 offset, size_t size)
{
	vec_for_each (code, piece)
		if (offset >= piece->offset && offset + size <= piece->offset + CODE_PIECE)
			return piece;
	return NULL;
}

enum code_answer code_find(const struct code *code, u64 offset, void *to, size_t size)
{
	const struct code_piece *piece;

	if (size > CODE_PIECE / 2 || offset > INT64_MAX - CODE_PIECE)
		return CODE_NOT_THERE;
	piece = find_piece(code, offset, size);
	if (!piece)
		return code->failed ? CODE_NOT_THERE : CODE_UNKNOWN;
	if (offset + size > piece->offset + piece->size)
		return CODE_NOT_THERE;
	memcpy(to, piece->bytes + (offset - piece->offset), size);
	return CODE_READ;
}

static struct code_piece *place_for(struct code *code)
{
	struct code_piece *oldest;

	if (code->nr < MAX_PIECES)
		return vec_add(code);
	oldest = &code->at[code->oldest++ % MAX_PIECES];
	free(oldest->bytes);
	return oldest;
}

void code_add(struct code *code, u64 offset, const u8 *bytes, size_t size)
{
	*place_for(code) = (struct code_piece){
		.offset = offset,
		.size = (u32)size,
		.bytes = xmemdup(bytes, size),
	};
}

void code_release(struct code *code)
{
	vec_for_each (code, piece)
		free(piece->bytes);
	vec_release(code);
}
