/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_memory.h"

struct vm_memory *vm_memory_new(const struct bytes *bytes)
{
	struct vm_memory *memory = xcalloc(1, sizeof(*memory));

	memory->bytes = bytes;
	return memory;
}

static const struct vm_page *page_of(struct vm_memory *memory, u64 address)
{
	struct vm_page *page = &memory->pages[address / VM_PAGE % VM_KEPT];

	if (page->size && page->address == address)
		return page;
	if (memory->nr_read >= VM_MAX_PAGES)
		return NULL;
	memory->nr_read++;
	page->address = address;
	page->size = bytes_read_some(memory->bytes, address, page->bytes, VM_PAGE);
	return page;
}

/* What lies in one page; 0: nothing. */
static size_t read_piece(struct vm_memory *memory, u64 address, void *to, size_t size)
{
	const struct vm_page *page = page_of(memory, address - address % VM_PAGE);
	size_t at = address % VM_PAGE;

	if (!page || page->size <= at)
		return 0;
	size = min(size, page->size - at);
	memcpy(to, page->bytes + at, size);
	return size;
}

bool vm_read(struct vm_memory *memory, u64 address, void *to, size_t size)
{
	char *at = to;

	while (size) {
		size_t nr = read_piece(memory, address, at, size);

		if (!nr)
			return false;
		at += nr;
		address += nr;
		size -= nr;
	}
	return true;
}

bool vm_read_u8(struct vm_memory *memory, u64 address, u64 *value)
{
	u8 x;

	if (!vm_read(memory, address, &x, sizeof(x)))
		return false;
	*value = x;
	return true;
}

bool vm_read_u16(struct vm_memory *memory, u64 address, u64 *value)
{
	u16 x;

	if (!vm_read(memory, address, &x, sizeof(x)))
		return false;
	*value = x;
	return true;
}

bool vm_read_u32(struct vm_memory *memory, u64 address, u64 *value)
{
	u32 x;

	if (!vm_read(memory, address, &x, sizeof(x)))
		return false;
	*value = x;
	return true;
}

bool vm_read_u64(struct vm_memory *memory, u64 address, u64 *value)
{
	return vm_read(memory, address, value, sizeof(*value));
}

bool vm_read_string(struct vm_memory *memory, u64 address, char *to, size_t room)
{
	size_t size = 0;

	while (size < room) {
		size_t nr = read_piece(memory, address + size, to + size, room - size);

		if (!nr)
			return false;
		if (memchr(to + size, '\0', nr))
			return true;
		size += nr;
	}
	return false;
}
