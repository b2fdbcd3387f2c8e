/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm_memory.h: the memory of another process, read by small pieces that lie close together.
 *
 * It changes while it is read, and may hold anything: pointers to nowhere or in circles, lengths of
 * 2^63. A read fails, or brings some bytes; who reads bounds what he does with them. Pages are kept
 * once they were read, and there is a bound to how many are.
 */
#ifndef FILES_VM_MEMORY_H
#define FILES_VM_MEMORY_H

#include "bytes.h"

enum {
	VM_PAGE = 4096,
	VM_KEPT = 256,		/* pages */
	VM_MAX_PAGES = 1 << 17, /* that are read at all */
};

struct vm_page {
	u64 address;
	size_t size; /* what there was; 0: nothing is kept here */
	u8 bytes[VM_PAGE];
};

struct vm_memory {
	const struct bytes *bytes; /* offsets are addresses */
	u32 nr_read;
	struct vm_page pages[VM_KEPT];
};

/* NULL never; to be freed. */
struct vm_memory *vm_memory_new(const struct bytes *bytes);

bool vm_read(struct vm_memory *memory, u64 address, void *to, size_t size);
bool vm_read_u8(struct vm_memory *memory, u64 address, u64 *value);
bool vm_read_u16(struct vm_memory *memory, u64 address, u64 *value);
bool vm_read_u32(struct vm_memory *memory, u64 address, u64 *value);
bool vm_read_u64(struct vm_memory *memory, u64 address, u64 *value);
/* A text that ends with a 0 within `room` bytes, that included. */
bool vm_read_string(struct vm_memory *memory, u64 address, char *to, size_t room);

#endif
