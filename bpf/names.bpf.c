/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.bpf.c: prints kernel addresses. The kernel knows the names of its functions, its modules'
 * and its BPF programs'; asking it for the few that were seen takes less than a millisecond,
 * reading the 122,000 lines of /proc/kallsyms tens. Its own object, loaded when the names are
 * needed: bpf_snprintf() is of 5.13, this type of program of 5.14.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "wick.h"

struct wick_names names = {};

SEC("syscall")
int wick_print_names(void *ctx)
{
	static const char fmt[] = "%ps";

	for (u32 i = 0; i < WICK_NAMES; i++) {
		if (i >= names.nr)
			break;
		bpf_snprintf(names.text[i], sizeof(names.text[i]), fmt, &names.address[i],
			     sizeof(names.address[i]));
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
