/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h: pieces of a file's code that were read, for walks that look at it. A walk asks for a few
 * bytes, again and again for the same ones.
 */
#ifndef FILES_CODE_H
#define FILES_CODE_H

#include "base/vec.h"

struct code_piece {
	u64 offset;
	u32 size;
	u8 *bytes; /* owned */
};

struct code {
	VEC_FIELDS(struct code_piece);
	size_t oldest; /* of them, once there is no room for more */
	bool pending;  /* one is being read */
	bool failed;   /* no more can be */
};

enum code_answer { CODE_READ, CODE_UNKNOWN, CODE_NOT_THERE };

/* What is known of [offset, offset + size). */
enum code_answer code_find(const struct code *code, u64 offset, void *to, size_t size);
/* Copies the bytes; fewer than were asked for where the file ends. */
void code_add(struct code *code, u64 offset, const u8 *bytes, size_t size);
void code_release(struct code *code);

#endif
