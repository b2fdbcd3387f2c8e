/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the memory of a Java VM: names end, and belong to what was asked; what walks need is
 * as it has to be.
 */
#include "files/java_frames.h"
#include "files/java_layout.h"
#include "files/java_vm.h"
#include "java_rules.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

static void find_inlined(const struct bytes *memory, const u64 *addresses, size_t nr)
{
	struct files_symbols *asked = reply_new(FILES_OK, addresses, nr);
	struct found_lines found;

	found_lines_init(&found, nr);
	java_vm_lines(memory, 0, asked, &found);
	for (size_t i = 0; i < nr; i++)
		assert(found.spans[i].nr <= LINES_MAX_DEPTH);
	found_lines_release(&found);
	files_symbols_free(asked);
}

static void walk_through(const struct bytes *memory, u64 *addresses, size_t nr)
{
	struct wick_java layout;
	u32 rules[64];

	assert(nr <= ARRAY_SIZE(rules));
	if (java_layout_read(memory, 0, &layout))
		assert(java_layout_is_sound(&layout));
	for (size_t i = 0; i < nr; i += 2)
		addresses[i] |= WICK_JAVA_EXACT;
	if (!java_frames_read(memory, 0, addresses, nr, rules))
		return;
	for (size_t i = 0; i < nr; i++)
		assert(java_frame_is_sound(rules[i]));
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	enum { ASKED = 64, STEP = 0x80 };
	u64 addresses[ASKED];
	struct bytes memory = bytes_of_memory(input, size);
	struct files_symbols *reply;
	s64 named;

	for (size_t i = 0; i < ASKED; i++)
		addresses[i] = i * STEP + 0x40;
	addresses[ASKED - 1] = UINT64_MAX;
	reply = reply_new(FILES_OK, addresses, ASKED);
	named = java_vm_name(&memory, 0, reply);
	for (size_t i = 0; i < reply->nr; i++) {
		if (!reply->at[i].name)
			continue;
		named--;
		assert(reply->at[i].start <= addresses[i] && reply->at[i].name_size);
	}
	assert(named == 0 || named == -1);
	files_symbols_free(reply);
	find_inlined(&memory, addresses, ASKED);
	walk_through(&memory, addresses, ASKED);
	return 0;
}
