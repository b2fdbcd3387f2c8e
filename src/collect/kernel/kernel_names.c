/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_names.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "load_log.h"
#include "wick.h"
#include "names.skel.h"

static void destroy(struct names_bpf **skeleton)
{
	names_bpf__destroy(*skeleton);
}

int names_load(struct names_bpf **skeleton, u32 log_level, struct error *error)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .kernel_log_level = log_level);
	_cleanup_(destroy) struct names_bpf *opened = NULL;
	int err;

	load_log_begin();
	opened = names_bpf__open_opts(&options);
	if (!opened)
		return load_refused(error, -errno, "open");
	err = names_bpf__load(opened);
	if (err)
		return load_refused(error, err, "load");
	*skeleton = steal(&opened);
	return 0;
}

const void *names_elf(size_t *size)
{
	return names_bpf__elf_bytes(size);
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
	_cleanup_(destroy) struct names_bpf *skeleton = NULL;
	struct wick_names *names;
	int err = names_load(&skeleton, 0, NULL);

	(void)self;
	if (err)
		return err;
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
