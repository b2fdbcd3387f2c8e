/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forbid.c: `forbid CALL[:FIRST-ARGUMENT] ERRNO PROGRAM ARGS...`: runs a program whose system call,
 * "bpf" or "perf_event_open", fails with that number, as a container's seccomp profile makes it.
 * With a first argument (a decimal number), only calls with that one fail.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "workload.h"

static long number_of(const char *name)
{
	if (!strcmp(name, "bpf"))
		return SYS_bpf;
	if (!strcmp(name, "perf_event_open"))
		return SYS_perf_event_open;
	exit(2);
}

int main(int argc, char **argv)
{
	char *colon = argc > 3 ? strchr(argv[1], ':') : NULL;

	if (argc <= 3)
		return 2;
	if (colon)
		*colon = '\0';

	unsigned int first = colon ? (unsigned int)atoi(colon + 1) : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number_of(argv[1]), 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(colon ? BPF_JMP | BPF_JEQ | BPF_K : BPF_JMP | BPF_JGE | BPF_K, first, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)atoi(argv[2])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof(code) / sizeof(*code), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("seccomp");
		return 3;
	}
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 3;
}
