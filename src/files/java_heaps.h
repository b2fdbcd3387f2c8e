/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_heaps.h: where a Java VM (HotSpot) has its code, and in which block an address is.
 *
 *	code heap    | block | block | unused | block        made of segments
 *	segment map  0 1 2 0 1 2 3 ff ff ff 0 1              how far back the block's begin is
 *	block        header: length, used?; then a blob (CodeBlob)
 */
#ifndef FILES_JAVA_HEAPS_H
#define FILES_JAVA_HEAPS_H

#include "java_symbols.h"

enum { MAX_JAVA_HEAPS = 8 };

struct java_heap {
	u64 low, high;		   /* what is in use of it; it can grow up to ... */
	u64 most;		   /* ... this address */
	u64 segmap, segmap_size;   /* a byte for each segment */
	unsigned int log2_segment; /* of a segment's bytes */
};

/* A VM, as it is when it is looked at; embedded. */
struct java_code {
	struct vm_memory *memory; /* the caller's */
	struct java_symbols symbols;
	struct java_heap heaps[MAX_JAVA_HEAPS];
	size_t nr_heaps;
};

/* A block of a code heap: its blob begins at the start. */
struct java_block {
	u64 start, end;
};

/* Where libjvm.so is loaded at `libjvm`. False: that is no VM which is known. */
bool java_code_read(struct java_code *code, struct vm_memory *memory, u64 libjvm);

/* False where no block that is in use covers the address. */
bool java_find_block(const struct java_code *code, u64 address, struct java_block *block);

/* Where a blob's instructions begin. */
bool java_code_begin(const struct java_code *code, u64 blob, u64 *begin);

bool java_field_u64(const struct java_code *code, u64 object, enum java_field field, u64 *value);

#endif
