/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verifier_stats.h: what the verifier says of a program that it takes (its log at level 4,
 * BPF_LOG_STATS: kernel/bpf/verifier.c, print_verification_stats()), and how much stack its deepest
 * chain of calls uses.
 *
 * A program is one array of instructions, its functions one after the other, the first the one that
 * is attached. All functions of a chain of calls share 512 bytes of stack.
 */
#ifndef COLLECT_KERNEL_VERIFIER_STATS_H
#define COLLECT_KERNEL_VERIFIER_STATS_H

#include <linux/bpf.h>

#include "base/base.h"
#include "base/vec.h"

enum { VERIFIER_STATS = 4 }; /* the level of the log */

struct verifier_stats {
	u64 verification_ns;
	u64 processed, limit; /* instructions, on all paths; how many it would follow */
	u32 states, peak_states;
	VEC(u32)
	depths; /* of stack, in bytes: one a function that the verifier has kept, in their order */
};

/* The log of one program, other lines skipped. -EINVAL: the figures are not there. */
int verifier_stats_parse(struct verifier_stats *stats, const char *log);
void verifier_stats_release(struct verifier_stats *stats);

struct functions {
	VEC_FIELDS(u32);
};

/*
 * The functions of a program by their first instructions, ascending: entry and all that are called,
 * or handed to a helper.
 */
void functions_find(struct functions *functions, const struct bpf_insn *code, size_t nr);

struct stack_use {
	u32 bytes;  /* of the deepest chain of calls, 512 at most */
	u32 frames; /* of the longest, 8 at most */
};

/*
 * As Linux before 6.9 adds it (check_max_stack_depth()): the depth of each function is rounded up
 * to 32, and at least 32; a callback counts as called. Later kernels round to 16, and since 6.13
 * some programs have a stack of their own. What a log says of a function can differ from what was
 * added: where the kernel has put bpf_loop() in line, 24 bytes are too many. -EINVAL: there are not
 * as many functions as depths, or calls lead out of the code, or in circles.
 */
int stack_use_of(const struct bpf_insn *code, size_t nr, const u32 *depths, size_t nr_depths,
		 struct stack_use *use);

/* A function of an object file. */
struct function_size {
	const char *name;
	u32 insns; /* 0: not known, and none that is */
};

/*
 * The verifier removes functions that cannot be reached, and its log has the depths of those that
 * are left, whose names the kernel tells: `kept`. Each is found in the code by the size that the
 * object file gives to its name. `all` gets a depth for each of the nr_all functions of the code, 0
 * for one that was removed: as kernels add it, which do so before they remove. -EINVAL: they do not
 * fit.
 */
int depths_of_all(const struct bpf_insn *code, size_t nr, const struct function_size *known,
		  size_t nr_known, const char *const *kept, const u32 *depths, size_t nr_kept,
		  u32 *all, size_t nr_all);

#endif
