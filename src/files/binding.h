/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binding.h: the rows of a caller's tables -> tokens. See files_bind(). */
#ifndef FILES_BINDING_H
#define FILES_BINDING_H

#include "base/vec.h"
#include "files.h"

struct binding {
	VEC_FIELDS(file_ref); /* by row */
};

void binding_set(struct binding *b, u32 row, file_ref token);
/* 0: there is none. */
file_ref binding_get(const struct binding *b, u32 row);

#endif
