/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * break-bpf.c: a library to preload: programs of some size reach the kernel with a first
 * instruction that no verifier lets pass, a read above the stack. libbpf's small probes stay whole,
 * so that the refusal is that of the instrument itself, as on a kernel that does not know what it
 * needs.
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <stdarg.h>

#include "workload.h"

enum { SOME_SIZE = 100 };

static void break_program(union bpf_attr *attr)
{
	size_t size = attr->insn_cnt * sizeof(struct bpf_insn);
	struct bpf_insn *copy = malloc(size);

	memcpy(copy, (void *)(uintptr_t)attr->insns, size);
	copy[0] = (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW,
				    .dst_reg = BPF_REG_0,
				    .src_reg = BPF_REG_10,
				    .off = 8};
	attr->insns = (uintptr_t)copy;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD &&
	    ((union bpf_attr *)a[1])->insn_cnt > SOME_SIZE)
		break_program((union bpf_attr *)a[1]);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
