/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as /proc/PID/maps: what is told of a mapping lies in the text, and is a string. */
#include "base/strbuf.h"
#include "follow/procmaps.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

static void take(void *ctx, const struct files_mapping *m, u64 offset)
{
	const struct strbuf *text = ctx;

	(void)offset;
	assert(m->pid == 7 && m->path >= text->s &&
	       m->path + strlen(m->path) <= text->s + text->size);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = {};

	strbuf_add(&text, (const char *)input, size);
	procmaps_parse(7, text.s, take, &text);
	return 0;
}
