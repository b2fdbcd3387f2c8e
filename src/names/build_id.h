/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_id.h: a build id as a profile has it. */
#ifndef NAMES_BUILD_ID_H
#define NAMES_BUILD_ID_H

#include "base/strbuf.h"
#include "files.h"
#include "profile.h"

static inline void build_id_text(const struct files_symbols *reply, struct strbuf *to)
{
	for (size_t i = 0; i < reply->build_id_size; i++)
		strbuf_addf(to, "%02x", reply->build_id[i]);
}

/* In hexadecimal; 0 where the file has none. */
static inline u32 build_id_string(struct profile *p, const struct files_symbols *reply)
{
	_cleanup_strbuf_ struct strbuf id = {};

	build_id_text(reply, &id);
	return id.size ? strings_add(&p->names, id.s, id.size) : 0;
}

#endif
