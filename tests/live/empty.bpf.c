/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * empty.bpf.c: programs that do nothing, where the scheduler's instrument has its own: what being
 * called costs, and nobody can save.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int empty_switch(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int empty_waking(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_exit_tp") /* 6.18 has it; see empty.c */
int empty_exit(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
