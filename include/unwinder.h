/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinder.h: unwind tables of files, and walks of copied stacks with them, in user space. unwind.h
 * has the tables' format, and the lookup and the steps that this shares with BPF.
 *
 * The kernel sends a thread's registers and its stack where it does not finish the walk itself. The
 * caller knows the process's mappings; it answers, for an address, which table covers it and where
 * in that file it lies. Tables are immutable: any number of threads may read one.
 */
#ifndef WICK_UNWINDER_H
#define WICK_UNWINDER_H

#include "base/base.h"
#include "unwind.h"

struct unwind_table;
struct wick_python;

/*
 * Builds the table of an open file; fd stays the caller's. A file without .eh_frame has a
 * table without rows. -ENOEXEC: not an ELF file of a known machine, or a broken one; -EFBIG: too
 * large; -EINVAL: not a regular file. *table is the caller's, to be freed with unwind_table_free().
 */
int unwind_table_build(int fd, struct unwind_table **table, struct error *error);
/* The same of an image in memory, which is not needed afterwards: the vdso. */
int unwind_table_build_image(const void *image, size_t size, struct unwind_table **table,
			     struct error *error);
void unwind_table_free(struct unwind_table *table);

/*
 * The same table in another process: one writes it, the other takes the bytes as they are, mapped
 * and never to change (a sealed memfd), and unmaps them with the table. They may be hostile:
 * -EPROTO where anything that is relied on is not as it has to be; then they stay the caller's.
 */
int unwind_table_write(const struct unwind_table *table, int fd);
int unwind_table_adopt(const void *bytes, size_t size, struct unwind_table **table);
/* Bytes that it takes. */
u64 unwind_table_size(const struct unwind_table *table);
/* How the file keeps Python's frames; NULL: it is no interpreter. As the file says: unchecked. */
const struct wick_python *unwind_table_python(const struct unwind_table *table);
/* Where the function begins that covers a file offset; false: no unwind entry covers it. */
bool unwind_table_function_start(const struct unwind_table *table, u64 offset, u64 *start);

/*
 * Parts of a table, each a table of its own, for 2^bits bytes of the file: as BPF reads them. Which
 * parts have rows: from *first on, *nr of them.
 */
void unwind_table_segments(const struct unwind_table *table, u32 bits, u32 *first, u32 *nr);
/* How many words a part has, and its shape. */
u32 unwind_table_part(const struct unwind_table *table, u32 segment, u32 bits,
		      struct wick_unwind_shape *shape);
/* Writes them, for the shape that the function above has given. */
void unwind_table_cut(const struct unwind_table *table, const struct wick_unwind_shape *shape,
		      u32 *words);

/* What there is at an address. Tables stay the caller's. */
struct unwind_code {
	bool executable;
	bool missing; /* it has a table, which is not at hand: a walk stops there */
	bool of_file; /* else a runtime has made it: a frame pointer of 0 ends its stacks */
	const struct unwind_table *table; /* NULL: none, follow frame pointers */
	u64 offset;			  /* of the address, in the table's file */
};

/* Finds the code at `address`; returns false, or true with *code, executable or not, filled. */
typedef bool (*unwind_find)(void *ctx, u64 address, struct unwind_code *code);

/* Reads `size` bytes of code for what frame pointers miss at a leaf; false: cannot. May be NULL. */
typedef bool (*unwind_read_code)(void *ctx, u64 address, void *to, size_t size);

/*
 * The rule of code that no file has (java_rules.h), WICK_JAVA_BY_FP where there is none; false: it
 * is being found out, and a walk stops there. May be NULL.
 */
typedef bool (*unwind_find_rule)(void *ctx, const struct wick_unwind_regs *regs, u32 *rule);

struct unwind_stack {
	const void *bytes; /* a copy of [base, base + size) */
	u64 base;
	u64 size;
	u64 holes; /* bit i: page i of the copy was not there; 0: all were */
	u64 page;  /* its size */
	unwind_find find;
	unwind_read_code read_code;
	unwind_find_rule find_rule;
	void *ctx;
};

struct unwind_walked {
	u32 nr;
	enum wick_end end;
	/* Leaf first: return addresses as they lie on the stack, words with WICK_FRAME_METHOD. */
	u64 frames[WICK_USER_FRAMES];
	/* Bit i: frame i was interrupted there, its address is no return address. Bit 0 is the
	 * leaf's. */
	u64 exact[WICK_USER_FRAMES / 64];
	bool missing; /* stopped at `at` for want of a table or rule, WICK_NO_UNWIND_INFO so far */
	struct wick_unwind_regs at; /* the last frame */
};

/*
 * Walks from the leaf's registers (ip, reg[] as far as `known` says, exact). Registers and stack
 * may be garbage: then the walk ends with a reason. WICK_UNREADABLE where it leaves the copied
 * bytes.
 */
void unwind_walk(const struct unwind_stack *stack, const struct wick_unwind_regs *leaf,
		 struct unwind_walked *walked);
/*
 * Goes on with a walk that has stopped for want of a table: so no two of them have to be at hand at
 * a time.
 */
void unwind_walk_on(const struct unwind_stack *stack, struct unwind_walked *walked);

#endif
