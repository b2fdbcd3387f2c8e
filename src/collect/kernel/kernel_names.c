/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_names.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.h"
#include "names.skel.h"

static void destroy(struct names_bpf **skeleton)
{
	names_bpf__destroy(*skeleton);
}

/* The kernel prints an address that it does not know as a number. */
static bool is_number(const char *text)
{
	return text[0] == '0' && text[1] == 'x';
}

/* "name" or "name [module]"; in place. */
static const char *split_module(char *text)
{
	char *space = strchr(text, ' '), *end;

	if (!space || space[1] != '[')
		return NULL;
	*space = '\0';
	end = strchr(space, ']');
	if (end)
		*end = '\0';
	return space + 2;
}

int kernel_prints_names(void *self, const u64 *addresses, size_t nr,
			void (*answer)(void *ctx, size_t i, const char *name, const char *module),
			void *ctx)
{
	_cleanup_(destroy) struct names_bpf *skeleton = names_bpf__open_and_load();
	struct wick_names *names;

	(void)self;
	if (!skeleton)
		return -errno;
	names = &skeleton->bss->names;
	for (size_t first = 0; first < nr; first += names->nr) {
		LIBBPF_OPTS(bpf_test_run_opts, options);

		names->nr = (u32)min(nr - first, (size_t)WICK_NAMES);
		memcpy(names->address, addresses + first, names->nr * sizeof(*addresses));
		if (bpf_prog_test_run_opts(bpf_program__fd(skeleton->progs.wick_print_names),
					   &options))
			return -errno;
		for (u32 i = 0; i < names->nr; i++) {
			char *text = names->text[i];
			const char *module;

			text[WICK_NAME_SIZE - 1] = '\0';
			if (!*text || is_number(text))
				continue;
			module = split_module(text);
			answer(ctx, first + i, text, module);
		}
	}
	return 0;
}
