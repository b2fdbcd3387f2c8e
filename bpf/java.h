/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java.h: from a frame of a Java VM's code to its caller, by what the VM itself knows of its code
 * (include/java.h). It is found at each step, in the process's memory: code comes and goes.
 *
 * What is found becomes a rule as a table's would be. All that is read is the process's to choose:
 * it leads to a stack, its own, and to nothing else.
 */
#ifndef JAVA_H
#define JAVA_H

#include "java_rules.h"
#include "scratch.h"

/* User space fills in a process that it has found to be a VM, and takes it out when it ends. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WICK_JAVAS);
	__type(key, u32); /* pid */
	__type(value, struct wick_java);
} javas __weak SEC(".maps");

enum {
	JAVA_HOPS = 32,	      /* in a segment map, for one frame: a blob of 260 KB and more ... */
	JAVA_ALL_HOPS = 1024, /* ... and in a walk: most take one or two */
};

/* ---- blobs */

/* Bytes that the segment map has at `at`; WICK_JAVA_UNUSED where it cannot be read. */
static __always_inline u32 java_hop(u64 at)
{
	u8 hop = WICK_JAVA_UNUSED;

	if (bpf_probe_read_user(&hop, sizeof(hop), (void *)at))
		return WICK_JAVA_UNUSED;
	return hop;
}

/* The address of the blob that covers an address; 0: there is none. */
VERIFIED_ONCE u64 java_find_blob(struct java_walk *j, const struct wick_java *java, u64 address)
{
	const struct wick_java_heap *heap = NULL;
	u64 segment;
	u32 hop;

	if (!j || !java || j->nr_hops > JAVA_ALL_HOPS)
		return 0;
	for (u32 i = 0; i < WICK_JAVA_HEAPS; i++)
		if (address >= java->heaps[i].begin && address < java->heaps[i].end)
			heap = &java->heaps[i];
	if (!heap)
		return 0;
	segment = (address - heap->begin) >> (heap->log2_segment & 31);
	for (u32 i = 0; i < JAVA_HOPS; i++) {
		hop = java_hop(heap->segments + segment);
		j->nr_hops++;
		if (!hop)
			return heap->begin + (segment << (heap->log2_segment & 31)) +
			       java->block_header;
		if (hop == WICK_JAVA_UNUSED || hop > segment)
			return 0;
		segment -= hop;
	}
	return 0;
}

static __always_inline u32 java_member(const struct java_walk *j, u32 offset)
{
	offset /= sizeof(u32);
	barrier_var(offset);
	return j->blob[offset % (WICK_JAVA_BLOB / sizeof(u32))];
}

static __always_inline u64 java_pointer(const struct java_walk *j, u32 offset)
{
	return java_member(j, offset) | (u64)java_member(j, offset + sizeof(u32)) << 32;
}

static __always_inline bool java_read_blob(struct java_walk *j, const struct wick_java *java,
					   u64 blob)
{
	u32 size = java->blob_size;

	barrier_var(size);
	return size <= WICK_JAVA_BLOB && !bpf_probe_read_user(j->blob, size, (void *)blob);
}

/* Bytes of code that come before its frame is there. */
static __always_inline s64 java_frame_complete(const struct java_walk *j,
					       const struct wick_java *java)
{
	u32 member = java_member(j, java->frame_complete);

	if (!java->complete_is_short)
		return (s32)member;
	return (s32)(member >> 8 * (java->frame_complete & 2) << 16) >> 16;
}

static __always_inline u64 java_code(const struct java_walk *j, const struct wick_java *java,
				     u64 blob)
{
	if (java->code_is_offset)
		return blob + java_member(j, java->code);
	return java_pointer(j, java->code);
}

/* ---- rules */

/* An instruction was interrupted. */
static __always_inline u32 java_interrupted(struct walk *walk, u32 words, s64 offset, s64 complete)
{
	struct java_walk *j = &walk->java;

	if (bpf_probe_read_user(j->code, WICK_JAVA_CODE, (void *)(walk->at.ip - WICK_JAVA_BEFORE)))
		return wick_java_frame(words, WICK_JAVA_FP_SAVED);
	return wick_java_interrupted((const u8 *)j->code, words, offset, complete);
}

static __always_inline u32 java_stub(struct walk *walk, const struct wick_java *java)
{
	struct java_walk *j = &walk->java;
	u64 name = 0, fp = walk->at.reg[WICK_REG_FP];
	u32 rule;

	bpf_probe_read_user(&name, sizeof(name), (void *)java_pointer(j, java->name));
	rule = wick_java_stub(name, walk->at.exact);
	if (!(rule & WICK_JAVA_INTERPRETS) || fp & 7 || fp < walk->at.reg[WICK_REG_SP])
		return rule;
	if (bpf_probe_read_user(&j->method, sizeof(u64), (void *)(fp + 8 * WICK_JAVA_METHOD)) ||
	    bpf_probe_read_user(&j->sender_sp, sizeof(u64), (void *)(fp + 8 * WICK_JAVA_SENDER_SP)))
		j->method = j->sender_sp = 0;
	return rule;
}

/*
 * The rule of the frame at hand, whose address is in code that no file has; WICK_JAVA_BY_FP also
 * where it is no Java VM's that is known. walk->java.method and sender_sp are 0, or of an
 * interpreted method.
 */
VERIFIED_ONCE u32 java_rule(struct walk *walk, u64 address)
{
	const struct wick_java *java;
	u64 blob, offset;
	u32 pid, words;

	if (!walk)
		return 0;
	walk->java.method = walk->java.sender_sp = 0;
	pid = walk->mappings.tgid;
	java = bpf_map_lookup_elem(&javas, &pid);
	blob = java ? java_find_blob(&walk->java, java, address) : 0;
	if (!blob || !java || !java_read_blob(&walk->java, java, blob))
		return WICK_JAVA_BY_FP;
	if (walk->at.exact) /* it depends on code that another may take the place of */
		walk->notes.unfit = true;
	words = java_member(&walk->java, java->frame_size);
	if (!words || words > WICK_RULE_N_MAX)
		return java_stub(walk, java);
	if (!walk->at.exact)
		return wick_java_frame(words, WICK_JAVA_FP_SAVED);
	offset = walk->at.ip - java_code(&walk->java, java, blob);
	return java_interrupted(walk, words, (s64)offset, java_frame_complete(&walk->java, java));
}

#endif
