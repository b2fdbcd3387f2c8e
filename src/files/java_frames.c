/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "java_frames.h"

#include "java_heaps.h"
#include "java_rules.h"

/* Bytes of code that come before a blob's frame is there. */
static bool read_complete(const struct java_code *code, u64 blob, s64 *complete)
{
	u64 at = blob + code->symbols.fields[BLOB_FRAME_COMPLETE], value;

	if (code->symbols.frame_complete_is_short) {
		if (!vm_read_u16(code->memory, at, &value))
			return false;
		*complete = (int16_t)value;
		return true;
	}
	if (!vm_read_u32(code->memory, at, &value))
		return false;
	*complete = (s32)value;
	return true;
}

static u32 rule_of_interrupted(const struct java_code *code, u64 blob, u64 ip, u32 words)
{
	_Alignas(u32) u8 bytes[WICK_JAVA_CODE];
	s64 complete;
	u64 begin;

	if (!read_complete(code, blob, &complete) || !java_code_begin(code, blob, &begin) ||
	    !vm_read(code->memory, ip - WICK_JAVA_BEFORE, bytes, sizeof(bytes)))
		return wick_java_frame(words, WICK_JAVA_FP_SAVED);
	return wick_java_interrupted(bytes, words, (s64)(ip - begin), complete);
}

static u32 rule_of_stub(const struct java_code *code, u64 blob, bool exact)
{
	u64 text, name;

	if (!java_field_u64(code, blob, BLOB_NAME, &text) ||
	    !vm_read_u64(code->memory, text, &name))
		return WICK_JAVA_BY_FP;
	return wick_java_stub(name, exact);
}

static u32 rule_at(const struct java_code *code, u64 address, bool exact)
{
	struct java_block block;
	u64 words;

	if (!java_find_block(code, address, &block) ||
	    !vm_read_u32(code->memory, block.start + code->symbols.fields[BLOB_FRAME_SIZE], &words))
		return WICK_JAVA_BY_FP;
	if (!words || words > WICK_RULE_N_MAX)
		return rule_of_stub(code, block.start, exact);
	return exact ? rule_of_interrupted(code, block.start, address, (u32)words)
		     : wick_java_frame((u32)words, WICK_JAVA_FP_SAVED);
}

bool java_frames_read(const struct bytes *memory, u64 libjvm, const u64 *addresses, size_t nr,
		      u32 *rules)
{
	_cleanup_free_ struct vm_memory *pages = vm_memory_new(memory);
	struct java_code code;

	if (!java_code_read(&code, pages, libjvm) || !java_symbols_have_frames(&code.symbols))
		return false;
	for (size_t i = 0; i < nr; i++)
		rules[i] = rule_at(&code, addresses[i] & ~WICK_JAVA_EXACT,
				   addresses[i] & WICK_JAVA_EXACT);
	return true;
}

bool java_frame_is_sound(u32 rule)
{
	u32 fp_place = rule >> WICK_RULE_FP_SHIFT & WICK_RULE_PLACE_MAX;
	u32 bx_place = rule >> WICK_RULE_BX_SHIFT & WICK_RULE_PLACE_MAX;

	return rule == WICK_JAVA_BY_FP || rule == wick_java_no_frame() ||
	       rule == wick_java_stub(0, false) ||
	       rule == wick_java_stub(WICK_JAVA_INTERPRETER, false) ||
	       (rule >> WICK_RULE_BITS == 0 && wick_rule_kind(rule) == WICK_RULE_SP && !bx_place &&
		fp_place <= WICK_JAVA_FP_SAVED);
}
