/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinder.h: unwind tables of files, and walks of copied stacks with them, in user space. unwind.h has the
 * tables' format, and the lookup and step that this shares with BPF.
 */
#ifndef WICK_UNWINDER_H
#define WICK_UNWINDER_H

#include "base/base.h"
#include "wick.h"

struct unwind_table;

/*
 * Reads a file's unwind information; every size in it is bounded. -ENOENT: it has none; -EINVAL: it
 * makes no sense. The table is the caller's.
 */
int unwind_table_build(int fd, struct unwind_table **table);
void unwind_table_free(struct unwind_table *table);
/* Where the function that covers a file offset begins, by its unwind entry; false: none does. */
bool unwind_table_function(const struct unwind_table *table, u64 offset, u64 *start);

/* What a walk has to know of an address. */
struct unwind_code {
	bool executable;		  /* it lies in an executable mapping */
	const struct unwind_table *table; /* of the file that is mapped there; NULL: none */
	u64 offset;			  /* of the address in that file */
};

/*
 * Walks a copy of a stack: `size` bytes that lay at `base`. Registers as in struct wick_copy_body.
 * Writes up to WICK_USER_FRAMES addresses, leaf first, and how the walk ended; returns how many.
 */
size_t unwind_copy(const __u64 regs[WICK_NR_REGS], const void *stack, u64 base, size_t size,
		   void (*find)(void *ctx, u64 address, struct unwind_code *code), void *ctx,
		   u64 *addresses, enum wick_end *end);

#endif
