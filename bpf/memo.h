/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memo.h: a walk of a user stack that was done need not be done again.
 *
 * Most threads block again and again in the same place, and a walk costs several microseconds,
 * nearly all of them for memory that is not in the cache: rows, mappings, files. So for a walk that
 * was whole it is remembered which words of the stack it depended on (notes.h), and a hash of them.
 * When a thread comes by with the same registers, those words are read again; if their hash is the
 * same, so is the stack.
 *
 *	found by	instruction pointer, stack pointer within its page, process
 *	the check	a hash of that, the words, and all else that the walk depended on: how
 *			often the process's mappings have changed, which files are known
 *
 * Threads of one process that block at the same place share what is remembered, since their stacks
 * differ in nothing but the address.
 *
 * The body of what is remembered has been sent in this epoch.
 *
 * Nothing is locked: the check covers all of an entry, so one that is being written on another CPU
 * does not fit. What is remembered is forgotten after half a second, so that user space sees which
 * files and rows are in use, and a file that is written over while it is mapped has its new name
 * soon.
 *
 * With filter.check_memos, what is remembered is walked all the same, and compared.
 */
#ifndef MEMO_H
#define MEMO_H

#include "walk.h"

enum {
	MEMO_TERM_BITS = 3, /* of rows_clock's 67 ms */
	MEMO_SPAN = 256,    /* words that are read at once */
};

struct memo {
	u64 check;
	u64 id; /* of the stack */
	u16 nr; /* words; 0: nothing is remembered */
	u16 registers;
	u16 first, last; /* of their places */
	u16 at[NOTED_WORDS];
};
_Static_assert(sizeof(struct memo) == 128, "two cache lines");

/*
 * 512 KB: a few places each in a thousand processes. Where there are more, walks are done again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_MEMOS);
	__type(key, u32);
	__type(value, struct memo);
} memos __weak SEC(".maps");

/*
 * A number that changes when something else is mapped where something was; 0: none is at hand.
 *
 *	since 6.13	write locks of the mappings, odd while they are locked
 *	since 6.4	the same, of unlocks
 *	before, x86-64	flushes of the TLB: unmapping code that was run is one
 *	before 6.1	mappings removed
 */
static __always_inline u64 mappings_generation(u64 address)
{
	struct mm_struct *mm = (void *)address;
	struct mm_struct___before_6_13 *old = (void *)address;
	struct mm_struct___before_6_1 *older = (void *)address;

	if (bpf_core_field_exists(mm->mm_lock_seq.sequence)) {
		u64 seq = BPF_CORE_READ(mm, mm_lock_seq.sequence);

		return seq & 1 ? 0 : seq + 2;
	}
	if (bpf_core_field_exists(old->mm_lock_seq))
		return (u64)(u32)BPF_CORE_READ(old, mm_lock_seq) + 1;
#if defined(__TARGET_ARCH_x86)
	if (bpf_core_field_exists(mm->context.tlb_gen))
		return (u64)BPF_CORE_READ(mm, context.tlb_gen.counter) + 1;
#endif
	if (bpf_core_field_exists(older->vmacache_seqnum))
		return BPF_CORE_READ(older, vmacache_seqnum) + 1;
	return 0;
}

/* Begins the notes, and with them the check. */
static __always_inline void notes_begin(struct scratch *s, u64 mm)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *walk = &s->walk;
	struct notes *n = &walk->notes;
	u64 hash;

	n->sp = walk->regs[WICK_REG_SP];
	hash = hash_lane(hash_seed + window.epoch, walk->regs[WICK_REG_IP], n->sp % WALK_PAGE);
	hash = hash_lane(hash, mm, (u64)task->tgid << 32 | (u32)task->self_exec_id);
	n->slot = (u32)hash % WICK_MEMOS;
	n->mappings = mappings_generation(mm);
	hash = hash_lane(hash, task->group_leader->start_time, n->mappings);
	n->begin = n->hash = hash_lane(hash, known_files_epoch, rows_clock >> MEMO_TERM_BITS);
	n->fp_from = 0;
	n->nr = 0;
	n->registers = 0;
	n->unfit = is_near(n, walk->regs[WICK_REG_IP]);
}

/* The end of the check: the registers, and what is remembered. */
VERIFIED_ONCE u64 memo_check(const struct walk *walk, u64 hash, u32 registers, u64 id, u32 nr)
{
	const struct notes *n;

	if (!walk)
		return 0;
	n = &walk->notes;
	if (registers & NOTED_FP)
		hash = note_hash(hash, n, walk->regs[WICK_REG_FP], registers);
	if (!WICK_UNWIND_X86 && registers & NOTED_LR)
		hash = hash_lane(hash, walk->regs[LINK_REGISTER], registers);
	return hash_lane(hash, id, (u64)nr << 16 | registers);
}

/* The hash of the words that a remembered walk depended on; 0: they cannot be read. */
VERIFIED_ONCE u64 memo_hash(struct scratch *s, const struct memo *memo)
{
	const struct notes *n;
	u64 *words, hash;
	u32 first, nr;

	if (!s || !memo)
		return 0;
	n = &s->walk.notes;
	words = s->user.frames;
	first = memo->first;
	nr = memo->last - first + 1;
	if (nr > MEMO_SPAN ||
	    bpf_probe_read_user(words, nr * sizeof(*words), (void *)(n->sp + 8 * (u64)first)))
		return 0;
	hash = n->begin;
	nr = memo->nr;
	for (u32 i = 0; i < NOTED_WORDS; i++) {
		u32 noted = memo->at[i], at = (noted & (NOTED_ADDRESS - 1)) - first;
		u64 word;

		if (i >= nr)
			break;
		barrier_var(at);
		word = words[at % MEMO_SPAN];
		if (noted & NOTED_ADDRESS)
			word &= WICK_CODE_MASK;
		hash = note_hash(hash, n, word, noted);
	}
	return hash;
}

static __always_inline struct memo *memo_at(const struct notes *n)
{
	u32 slot = n->slot;

	return bpf_map_lookup_elem(&memos, &slot);
}

/*
 * The id of the current task's user stack, from s->walk.regs, if it is remembered; else 0, and
 * s->walk.notes is ready for a walk. The room of the user stack is used.
 */
VERIFIED_ONCE u64 memo_find(struct scratch *s, u64 mm)
{
	struct memo *memo;
	struct walk *walk;
	u64 id, check, hash;
	u32 nr;

	if (!s)
		return 0;
	walk = &s->walk;
	notes_begin(s, mm);
	memo = memo_at(&walk->notes);
	if (!memo || !memo->nr || !walk->notes.mappings)
		return 0;
	id = *(volatile u64 *)&memo->id;
	nr = memo->nr;
	hash = memo_hash(s, memo);
	check = memo_check(walk, hash, memo->registers, id, nr);
	return hash && id && check == memo->check ? id : 0;
}

/* Remembers a walk: a whole one, that depended on nothing but what is noted. */
VERIFIED_ONCE int memo_keep(struct scratch *s, u64 mm, u64 id)
{
	const struct notes *n;
	struct memo *memo;

	if (!s || !id || !was_seen(id))
		return 0;
	n = &s->walk.notes;
	memo = memo_at(n);
	if (!memo || n->unfit || !n->nr || s->walk.end != WICK_COMPLETE || s->walk.stopped_at)
		return 0;
	if (!n->mappings || n->mappings != mappings_generation(mm))
		return 0;
	memo->nr = 0;
	barrier();
	memo->first = memo->last = n->at[0] & (NOTED_ADDRESS - 1);
	for (u32 i = 0; i < NOTED_WORDS; i++) {
		u16 at = n->at[i] & (NOTED_ADDRESS - 1);

		if (i >= n->nr)
			break;
		memo->at[i] = n->at[i];
		if (at < memo->first)
			memo->first = at;
		if (at > memo->last)
			memo->last = at;
	}
	if (memo->last - memo->first >= MEMO_SPAN)
		return 0;
	memo->id = id;
	memo->registers = n->registers;
	memo->check = memo_check(&s->walk, n->hash, n->registers, id, n->nr);
	barrier();
	memo->nr = n->nr;
	return 0;
}

#endif
