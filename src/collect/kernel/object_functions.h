/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_functions.h: the functions of a BPF object that programs call, and those of them that the
 * verifier has kept.
 */
#ifndef COLLECT_KERNEL_OBJECT_FUNCTIONS_H
#define COLLECT_KERNEL_OBJECT_FUNCTIONS_H

#include "verifier_stats.h"

struct bpf_program;
struct btf;

struct object_functions {
	struct btf *types; /* has the names */
	VEC(struct function_size) at;
};

/*
 * `elf`: the object file, of `size` bytes. It is our own. Empty where it says nothing of functions.
 */
void object_functions_read(struct object_functions *functions, const void *elf, size_t size);
void object_functions_release(struct object_functions *functions);

/*
 * The stack that a loaded program uses; `depths`: from the verifier's log. -EINVAL where that
 * cannot be told; the error of asking the kernel.
 */
int object_stack_use(const struct object_functions *functions, const struct bpf_program *program,
		     const struct btf *types, const u32 *depths, size_t nr_depths,
		     struct stack_use *use);

#endif
