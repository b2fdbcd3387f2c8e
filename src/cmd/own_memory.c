/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own_memory.h"

#include "base/numbers.h"
#include "cmd.h"

/* Rings that it shares with the kernel, and its program, do not grow. */
u64 own_memory(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	_cleanup_free_ char *line = NULL;
	unsigned long long kb;
	size_t room = 0;
	u64 size = 0;

	while (f && getline(&line, &room, f) > 0)
		if (sscanf(line, "RssAnon: %llu", &kb) == 1 ||
		    sscanf(line, "VmSwap: %llu", &kb) == 1)
			size += (u64)kb << 10;
	return size;
}

bool own_memory_is_full(const struct run_options *o, const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf length = {}, most = {};
	struct error text;

	if (own_memory() <= o->max_memory)
		return false;
	strbuf_add_bytes(&most, o->max_memory);
	strbuf_add_time(&length, p->counted_until - min(p->counted_until, p->begin));
	fail(&text, -ENOMEM,
	     "the run has taken the %s of memory that it may (--max-memory), and ends here, after "
	     "%s, so that names and pictures find room.\nFewer threads take less: -p, -c, -G.",
	     most.s, length.s);
	print_error(&text);
	return true;
}
