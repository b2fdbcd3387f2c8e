/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * javas.h: which processes are Java VMs, so that BPF is told how to walk through their code
 * (include/java.h); and the rules of their frames in stacks that are walked here. A process is one
 * where it has mapped a libjvm.so and runs code that no file has; what its memory says is read
 * behind files.h.
 */
#ifndef FOLLOW_JAVAS_H
#define FOLLOW_JAVAS_H

#include "follow.h"
#include "mappings.h"
#include "unwinder.h"

struct javas;

struct javas *javas_new(const struct profile *profile, struct files *files, struct java_sink sink);
void javas_free(struct javas *j);

/* Is a libjvm.so among them? A set is looked through once. NULL: none. */
bool javas_is_mapped(const struct javas *j, struct mappings *mappings);
/*
 * Asks about a process that has mapped one, if it is not asked about. `code` is its token for
 * run-time code.
 */
void javas_ask(struct javas *j, u32 pid, file_ref code);
/* Is an answer under way? */
bool javas_are_asked(const struct javas *j);
/* Waits for what is asked, and tells of it. */
void javas_wait(struct javas *j, u64 until_ns);
/* Tells of what is answered. A VM that has only begun is asked again. */
void javas_retry(struct javas *j);
/*
 * The rule of a frame in a process's code, *rule; false: it is asked for, with those of all that
 * may be return addresses in the stack.
 */
bool javas_rule(struct javas *j, u32 pid, const struct unwind_stack *stack,
		const struct wick_unwind_regs *regs, u32 *rule);
/* The process has ended, or runs another program now. */
void javas_forget(struct javas *j, u32 pid);

#endif
