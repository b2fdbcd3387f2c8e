/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * break-bpf.c: a library to preload: programs reach the kernel with an instruction that no verifier
 * lets pass, a read above the stack, so that the refusal is that of the instrument itself, as on a
 * kernel that does not know what it needs. Of the environment:
 *
 *	BREAK_BPF=NAME,..	which programs, by their names as the kernel has them (15 bytes); else
 *				those of some size: libbpf's small probes stay whole
 *	BREAK_BPF_LATE=1	near the program's end instead of at its first instruction, so that the
 *				verifier has much to say before it comes to it
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <stdarg.h>

#include "workload.h"

enum { SOME_SIZE = 100 };

static int is_to_break(const union bpf_attr *attr)
{
	const char *names = getenv("BREAK_BPF");
	size_t size = strnlen(attr->prog_name, sizeof(attr->prog_name));

	if (!names)
		return attr->insn_cnt > SOME_SIZE;
	for (const char *at = names; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (size && length == size && !memcmp(at, attr->prog_name, size))
			return 1;
		at += length;
	}
	return 0;
}

/* The last `return 0`, or another number, of all its functions. */
static unsigned int late_place(const struct bpf_insn *code, unsigned int nr)
{
	unsigned int place = 0;

	for (unsigned int i = 0; i < nr; i++)
		if ((code[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		     code[i].code == (BPF_ALU | BPF_MOV | BPF_K)) &&
		    !code[i].dst_reg)
			place = i;
	return place;
}

/* To be freed. */
static struct bpf_insn *broken_program(const union bpf_attr *attr)
{
	size_t size = attr->insn_cnt * sizeof(struct bpf_insn);
	struct bpf_insn *copy = malloc(size);
	unsigned int place;

	memcpy(copy, (void *)(uintptr_t)attr->insns, size);
	place = getenv("BREAK_BPF_LATE") ? late_place(copy, attr->insn_cnt) : 0;
	copy[place] = (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW,
					.dst_reg = BPF_REG_0,
					.src_reg = BPF_REG_10,
					.off = 8};
	return copy;
}

/* `load` is the real system call. */
static long load_broken(long (*load)(long, ...), union bpf_attr *attr, long size)
{
	struct bpf_insn *copy = broken_program(attr);
	__u64 whole = attr->insns;
	long fd;

	attr->insns = (uintptr_t)copy;
	fd = load(SYS_bpf, BPF_PROG_LOAD, attr, size);
	attr->insns = whole;
	free(copy);
	return fd;
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
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD && is_to_break((union bpf_attr *)a[1]))
		return load_broken(real, (union bpf_attr *)a[1], a[2]);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
