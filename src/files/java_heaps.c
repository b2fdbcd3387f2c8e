/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "java_heaps.h"

enum {
	MAX_HOPS = 1 << 16, /* back in the segment map: of a block of up to 16 million segments */
	FREE_SEGMENT = 0xff,
	MAX_LOG2_SEGMENT = 30,
};

bool java_field_u64(const struct java_code *code, u64 object, enum java_field field, u64 *value)
{
	return vm_read_u64(code->memory, object + code->symbols.fields[field], value);
}

bool java_code_begin(const struct java_code *code, u64 blob, u64 *begin)
{
	const struct java_symbols *s = &code->symbols;

	if (s->has[BLOB_CODE_BEGIN])
		return java_field_u64(code, blob, BLOB_CODE_BEGIN, begin);
	if (!s->has[BLOB_CODE_OFFSET] ||
	    !vm_read_u32(code->memory, blob + s->fields[BLOB_CODE_OFFSET], begin))
		return false;
	*begin += blob;
	return true;
}

/* ---- the heaps */

static bool read_space(const struct java_code *code, u64 space, u64 *low, u64 *high, u64 *most)
{
	return java_field_u64(code, space, SPACE_LOW, low) &&
	       java_field_u64(code, space, SPACE_HIGH, high) &&
	       java_field_u64(code, space, SPACE_END, most) && *low < *high && *high <= *most;
}

static void add_heap(struct java_code *code, u64 object)
{
	const u64 *fields = code->symbols.fields;
	struct java_heap heap;
	u64 end, most, log2;

	if (code->nr_heaps == MAX_JAVA_HEAPS ||
	    !read_space(code, object + fields[HEAP_MEMORY], &heap.low, &heap.high, &heap.most) ||
	    !read_space(code, object + fields[HEAP_SEGMAP], &heap.segmap, &end, &most) ||
	    !vm_read_u32(code->memory, object + fields[HEAP_LOG2_SEGMENT], &log2) ||
	    log2 > MAX_LOG2_SEGMENT)
		return;
	heap.segmap_size = end - heap.segmap;
	heap.log2_segment = (unsigned int)log2;
	code->heaps[code->nr_heaps++] = heap;
}

static void read_heaps(struct java_code *code)
{
	const struct java_symbols *s = &code->symbols;
	u64 list, nr, elements, object;

	if (!s->has[CODE_CACHE_HEAPS]) {
		if (vm_read_u64(code->memory, s->fields[CODE_CACHE_HEAP], &object))
			add_heap(code, object);
		return;
	}
	if (!vm_read_u64(code->memory, s->fields[CODE_CACHE_HEAPS], &list) ||
	    !vm_read_u32(code->memory, list + s->fields[LIST_LENGTH], &nr) ||
	    !java_field_u64(code, list, LIST_ELEMENTS, &elements))
		return;
	for (u64 i = 0; i < min(nr, (u64)MAX_JAVA_HEAPS); i++)
		if (vm_read_u64(code->memory, elements + i * sizeof(u64), &object))
			add_heap(code, object);
}

bool java_code_read(struct java_code *code, struct vm_memory *memory, u64 libjvm)
{
	*code = (struct java_code){.memory = memory};
	if (!java_symbols_read(memory, libjvm, &code->symbols))
		return false;
	read_heaps(code);
	return true;
}

/* ---- blocks */

static bool find_start(const struct java_code *code, const struct java_heap *heap, u64 address,
		       u64 *start)
{
	u64 segment = (address - heap->low) >> heap->log2_segment, hop;

	for (int i = 0; i < MAX_HOPS; i++) {
		if (segment >= heap->segmap_size ||
		    !vm_read_u8(code->memory, heap->segmap + segment, &hop) ||
		    hop == FREE_SEGMENT || hop > segment)
			return false;
		if (!hop) {
			*start = heap->low + (segment << heap->log2_segment);
			return true;
		}
		segment -= hop;
	}
	return false;
}

/* In segments: a size_t, or from 23 on 32 bits; the flag follows it. */
static bool read_length(const struct java_code *code, u64 start, u64 *length)
{
	const u64 *fields = code->symbols.fields;

	if (fields[BLOCK_USED] - fields[BLOCK_LENGTH] == sizeof(u32))
		return vm_read_u32(code->memory, start + fields[BLOCK_LENGTH], length);
	return vm_read_u64(code->memory, start + fields[BLOCK_LENGTH], length);
}

bool java_find_block(const struct java_code *code, u64 address, struct java_block *block)
{
	const struct java_symbols *symbols = &code->symbols;

	for (size_t i = 0; i < code->nr_heaps; i++) {
		const struct java_heap *heap = &code->heaps[i];
		u64 start, length, used;

		if (address < heap->low || address >= heap->high)
			continue;
		if (!find_start(code, heap, address, &start) ||
		    !read_length(code, start, &length) ||
		    !vm_read_u8(code->memory, start + symbols->fields[BLOCK_USED], &used) ||
		    !used || length > (heap->high - start) >> heap->log2_segment)
			return false;
		block->start = start + symbols->sizes[TYPE_BLOCK];
		block->end = start + (length << heap->log2_segment);
		return address >= block->start && address < block->end;
	}
	return false;
}
