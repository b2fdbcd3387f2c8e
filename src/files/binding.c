/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "binding.h"

void binding_set(struct binding *b, u32 row, file_ref token)
{
	while (b->nr <= row)
		*vec_add(b) = 0;
	b->at[row] = token;
}

file_ref binding_get(const struct binding *b, u32 row)
{
	return row < b->nr ? b->at[row] : 0;
}
