/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_functions.c: libbpf builds a program from its section and from those functions of .text
 * that it calls, and the kernel removes of these what cannot be reached. Which are left, the kernel
 * tells by name; where they are in the program, their size tells, which the object's .BTF.ext has:
 *
 *	struct btf_ext_header	[ of lines ]	u32 size of a record
 *						section: u32 name, u32 nr;
 *						nr records: u32 first byte, u32 type
 *						section: ...
 *
 * See "The .BTF.ext Section" in the kernel's Documentation/bpf/btf.rst.
 */
#include "object_functions.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/btf.h>
#include <sys/mman.h>

/*
 * All versions of libbpf have it; their headers declare it by this name, or another one, or not at
 * all.
 */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
extern const void *btf_ext__get_raw_data(const struct btf_ext *ext, u32 *size);

/* The beginning of it. */
struct ext_header {
	u16 magic;
	u8 version, flags;
	u32 header_size, functions_at, functions_size;
};

struct ext_section {
	u32 name, nr;
};

struct ext_function {
	u32 first_byte, type;
};

static const char *function_name(const struct btf *types, u32 id)
{
	const struct btf_type *type = btf__type_by_id(types, id);

	return type ? btf__name_by_offset(types, type->name_off) : "";
}

/* The size of the last one is not known: it ends with its section. */
static void read_section(struct object_functions *f, const u8 *at, u32 nr, u32 record)
{
	for (u32 i = 0; i < nr; i++) {
		const struct ext_function *function = (const void *)(at + i * record);
		const struct ext_function *next = (const void *)(at + (i + 1) * record);
		struct function_size *row = vec_add(&f->at);

		row->name = function_name(f->types, function->type);
		if (i + 1 < nr)
			row->insns = (next->first_byte - function->first_byte) /
				     (u32)sizeof(struct bpf_insn);
	}
}

static void read_sections(struct object_functions *f, const u8 *at, const u8 *end)
{
	u32 record;

	memcpy(&record, at, sizeof(record));
	at += sizeof(record);
	while (at + sizeof(struct ext_section) <= end) {
		const struct ext_section *section = (const void *)at;

		at += sizeof(*section);
		if (!strcmp(btf__name_by_offset(f->types, section->name), ".text"))
			read_section(f, at, section->nr, record);
		at += (size_t)section->nr * record;
	}
}

void object_functions_read(struct object_functions *f, const void *elf, size_t size)
{
	_cleanup_close_ int fd = memfd_create("wick-object", MFD_CLOEXEC);
	_cleanup_free_ char *path = format("/proc/self/fd/%d", fd);
	const struct ext_header *header;
	struct btf_ext *ext = NULL;
	u32 ext_size;

	*f = (struct object_functions){};
	if (fd < 0 || write(fd, elf, size) != (ssize_t)size)
		return;
	f->types = btf__parse_elf(path, &ext);
	header = f->types && ext ? btf_ext__get_raw_data(ext, &ext_size) : NULL;
	if (header) {
		const u8 *at = (const u8 *)header + header->header_size + header->functions_at;

		read_sections(f, at, at + header->functions_size);
	}
	btf_ext__free(ext);
}

void object_functions_release(struct object_functions *f)
{
	vec_release(&f->at);
	btf__free(f->types);
	f->types = NULL;
}

/* ---- what was kept of a program */

enum { MAX_FUNCTIONS = 256 }; /* BPF_MAX_SUBPROGS */

static int kept_functions(const struct bpf_program *program, const struct btf *types,
			  const char *names[MAX_FUNCTIONS], size_t *nr)
{
	struct bpf_func_info functions[MAX_FUNCTIONS] = {};
	struct bpf_prog_info prog = {
		.nr_func_info = MAX_FUNCTIONS,
		.func_info_rec_size = sizeof(*functions),
		.func_info = (u64)(uintptr_t)functions,
	};
	u32 size = sizeof(prog);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &prog, &size))
		return -errno;
	*nr = min(prog.nr_func_info, (u32)MAX_FUNCTIONS);
	for (size_t i = 0; i < *nr; i++)
		names[i] = function_name(types, functions[i].type_id);
	return 0;
}

static size_t nr_functions_of(const struct bpf_insn *code, size_t nr)
{
	struct functions functions = {};
	size_t found;

	functions_find(&functions, code, nr);
	found = functions.nr;
	vec_release(&functions);
	return found;
}

int object_stack_use(const struct object_functions *f, const struct bpf_program *program,
		     const struct btf *types, const u32 *depths, size_t nr_depths,
		     struct stack_use *use)
{
	const struct bpf_insn *code = bpf_program__insns(program);
	size_t nr = bpf_program__insn_cnt(program), nr_all = nr_functions_of(code, nr), nr_kept = 0;
	const char *names[MAX_FUNCTIONS];
	u32 all[MAX_FUNCTIONS];
	int err;

	if (nr_all == nr_depths)
		return stack_use_of(code, nr, depths, nr_depths, use);
	err = kept_functions(program, types, names, &nr_kept);
	if (err)
		return err;
	if (nr_kept != nr_depths || nr_all > MAX_FUNCTIONS)
		return -EINVAL;
	err = depths_of_all(code, nr, f->at.at, f->at.nr, names, depths, nr_kept, all, nr_all);
	return err ? err : stack_use_of(code, nr, all, nr_all, use);
}
