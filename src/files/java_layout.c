/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "java_layout.h"

#include "java_heaps.h"

enum {
	MAX_BLOCK_HEADER = 4096,
	MAX_LOG2_SEGMENT = 30,
};

static void keep_in_blob(struct wick_java *layout, u32 offset, u32 size)
{
	layout->blob_size = max(layout->blob_size, offset + size);
}

static void read_offsets(const struct java_symbols *s, struct wick_java *layout)
{
	const u64 *fields = s->fields;

	layout->block_header = (u32)s->sizes[TYPE_BLOCK];
	layout->name = (u32)fields[BLOB_NAME];
	layout->frame_size = (u32)fields[BLOB_FRAME_SIZE];
	layout->frame_complete = (u32)fields[BLOB_FRAME_COMPLETE];
	layout->complete_is_short = s->frame_complete_is_short;
	layout->code_is_offset = !s->has[BLOB_CODE_BEGIN];
	layout->code = (u32)fields[layout->code_is_offset ? BLOB_CODE_OFFSET : BLOB_CODE_BEGIN];
	keep_in_blob(layout, layout->name, sizeof(u64));
	keep_in_blob(layout, layout->frame_size, sizeof(u32));
	keep_in_blob(layout, layout->frame_complete, sizeof(u32));
	keep_in_blob(layout, layout->code, layout->code_is_offset ? sizeof(u32) : sizeof(u64));
	layout->blob_size = (layout->blob_size + 3) / 4 * 4;
}

bool java_layout_read(const struct bytes *memory, u64 libjvm, struct wick_java *layout)
{
	_cleanup_free_ struct vm_memory *pages = vm_memory_new(memory);
	struct java_code code;

	*layout = (struct wick_java){};
	if (!java_code_read(&code, pages, libjvm) || !java_symbols_have_frames(&code.symbols) ||
	    !code.nr_heaps)
		return false;
	read_offsets(&code.symbols, layout);
	for (size_t i = 0; i < min(code.nr_heaps, (size_t)WICK_JAVA_HEAPS); i++)
		layout->heaps[i] = (struct wick_java_heap){
			.begin = code.heaps[i].low,
			.end = code.heaps[i].most,
			.segments = code.heaps[i].segmap,
			.log2_segment = code.heaps[i].log2_segment,
		};
	return java_layout_is_sound(layout);
}

static bool is_member(const struct wick_java *layout, u32 offset, u32 size, u32 alignment)
{
	return offset % alignment == 0 && offset <= WICK_JAVA_BLOB - sizeof(u64) &&
	       offset + size <= layout->blob_size;
}

bool java_layout_is_sound(const struct wick_java *layout)
{
	const u32 half = sizeof(u32);

	for (size_t i = 0; i < WICK_JAVA_HEAPS; i++)
		if (layout->heaps[i].begin > layout->heaps[i].end ||
		    layout->heaps[i].log2_segment > MAX_LOG2_SEGMENT)
			return false;
	return layout->blob_size <= WICK_JAVA_BLOB && layout->block_header <= MAX_BLOCK_HEADER &&
	       is_member(layout, layout->name, sizeof(u64), half) &&
	       is_member(layout, layout->frame_size, half, half) &&
	       is_member(layout, layout->frame_complete, half / 2, half / 2) &&
	       is_member(layout, layout->code, layout->code_is_offset ? half : sizeof(u64), half);
}
