/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * empty.c: attaches the empty programs until it is killed, for tools/bench/run: without the one at
 * the end of the switch where the kernel has no such tracepoint.
 */
#include <stdio.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "empty.skel.h"

int main(void)
{
	struct empty_bpf *skeleton = empty_bpf__open();
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!skeleton || !kernel)
		return 1;
	if (btf__find_by_name_kind(kernel, "btf_trace_sched_exit_tp", BTF_KIND_TYPEDEF) < 0)
		bpf_program__set_autoload(skeleton->progs.empty_exit, false);
	btf__free(kernel);
	if (empty_bpf__load(skeleton) || empty_bpf__attach(skeleton))
		return 1;
	for (;;)
		pause();
}
