/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memo.h: a walk that was done need not be done again.
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

enum { MEMO_TERM_BITS = 3 }; /* of rows_clock's 67 ms */

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
	hash = hash_lane(hash_seed, walk->regs[WICK_REG_IP], n->sp % WALK_PAGE);
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

/* Reads what lies between two places at once, if it is not too much. */
static __always_inline void memo_window(struct walk *walk, u32 first, u32 last)
{
	u64 begin = walk->notes.sp + 8 * (u64)first, size = 8 * ((u64)last - first + 1);

	walk->window_size = 0;
	if (size > WALK_WINDOW || bpf_probe_read_user(walk->window, size, (void *)begin))
		return;
	walk->window_begin = begin;
	walk->window_size = size;
}

/* A word that a remembered walk depended on. */
VERIFIED_ONCE int memo_word(struct walk *walk, u32 noted)
{
	struct notes *n;
	u64 word = 0;

	if (!walk)
		return -1;
	n = &walk->notes;
	if (walk_read(walk, n->sp + 8 * (u64)(noted & (NOTED_ADDRESS - 1)), &word))
		return -1;
	if (noted & NOTED_ADDRESS)
		word &= WICK_CODE_MASK;
	n->hash = note_hash(n->hash, n, word, noted);
	return 0;
}

static __always_inline struct memo *memo_at(const struct notes *n)
{
	u32 slot = n->slot;

	return bpf_map_lookup_elem(&memos, &slot);
}

/*
 * The id of the current task's user stack, from s->walk.regs, if it is remembered and its body is
 * with user space; else 0, and s->walk.notes is ready for a walk.
 */
VERIFIED_ONCE u64 memo_find(struct scratch *s, u64 mm)
{
	struct memo *memo;
	struct walk *walk;
	u64 id, check;
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
	memo_window(walk, memo->first, memo->last);
	for (u32 i = 0; i < NOTED_WORDS; i++) {
		if (i >= nr)
			break;
		if (memo_word(walk, memo->at[i])) {
			id = 0;
			break;
		}
	}
	check = memo_check(walk, walk->notes.hash, memo->registers, id, nr);
	walk->notes.hash = walk->notes.begin;
	return id && check == memo->check && was_seen(id) ? id : 0;
}

/* Remembers a walk: a whole one, that depended on nothing but what is noted. */
VERIFIED_ONCE int memo_keep(struct scratch *s, u64 mm, u64 id)
{
	const struct notes *n;
	struct memo *memo;

	if (!s || !id)
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
	memo->id = id;
	memo->registers = n->registers;
	memo->check = memo_check(&s->walk, n->hash, n->registers, id, n->nr);
	barrier();
	memo->nr = n->nr;
	return 0;
}

/* ---- kernel stacks */

/*
 * A kernel stack is found by the system call, and has what lies above the context of the program:
 * a tracepoint keeps that on the stack, above what belongs to the tracer. Where a frame's return
 * address lies is settled by those below it: the code that they name takes as much of the stack
 * each time. There is one exception, the random offset that a system call begins with
 * (CONFIG_RANDOMIZE_KSTACK_OFFSET): so the root's return address is counted from the other end.
 * Nothing else has to be known of how the kernel unwinds.
 *
 * The kernel's own walk says what the frames are, but not where. They are looked for from the root
 * down, which finds the highest places that they can have. If one of the addresses is also at a
 * lower place, something old on the stack looks like a frame, and nothing is remembered this time.
 *
 * arm64's frames are linked, so that a walk costs little; its return addresses can be signed.
 */
enum {
	KERNEL_MEMO_WORDS = 256, /* 2 KB: of deeper stacks nothing is remembered */
	KERNEL_MEMO_FRAMES = 40,
	KERNEL_MEMO_WAYS = 2,
	KERNEL_FRAMES_MASK = 127,
};
_Static_assert(WICK_KERNEL_FRAMES <= KERNEL_FRAMES_MASK, "a mask bounds the frames' index");

struct kernel_memo {
	u64 check;
	u64 id;
	u32 newest; /* in the set's first entry: the way that was written last */
	u16 nr;	    /* frames without the root; 0: nothing is remembered */
	u16 size;   /* words to be read */
	u8 at[KERNEL_MEMO_FRAMES];
};
_Static_assert(sizeof(struct kernel_memo) == 64, "a cache line");

/* 256 KB. All threads that wait in the same way share an entry. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_MEMOS);
	__type(key, u32);
	__type(value, struct kernel_memo);
} kernel_memos __weak SEC(".maps");

/* Return addresses have been replaced by a probe's: what was there is known elsewhere. */
static __always_inline bool returns_are_probed(struct task_struct *task)
{
	struct task_struct___probed *probed = (void *)task;

	return (bpf_core_field_exists(probed->kretprobe_instances) &&
		probed->kretprobe_instances.first) ||
	       (bpf_core_field_exists(probed->rethooks) && probed->rethooks.first) ||
	       (bpf_core_field_exists(probed->ret_stack) && probed->ret_stack);
}

/* x86-64's kernel code, modules and BPF programs are in the last 2 GB. */
static __always_inline bool is_kernel_code(u64 word)
{
	return word >> 31 == 0x1ffffffff;
}

static __always_inline struct kernel_memo *kernel_memo_at(const struct kernel_notes *n, u32 way)
{
	u32 slot = (n->set * KERNEL_MEMO_WAYS + way) % WICK_MEMOS;

	return bpf_map_lookup_elem(&kernel_memos, &slot);
}

/* `size` words of the stack from the context on, into s->user.frames. */
static __always_inline bool kernel_memo_read(struct scratch *s, u32 size)
{
	if (size > KERNEL_MEMO_WORDS)
		return false;
	return !bpf_probe_read_kernel(s->user.frames, size * sizeof(u64),
				      (void *)s->kernel_notes.begin);
}

static __always_inline u64 kernel_word(const struct scratch *s, u32 at)
{
	barrier_var(at);
	return s->user.frames[at % KERNEL_MEMO_WORDS];
}

/*
 * Where the stack that runs begins and ends. False where it is none of the task's own, or too deep.
 */
static __always_inline bool kernel_memo_begin(struct scratch *s, void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_notes *n = &s->kernel_notes;
	struct pt_regs *regs = task_user_regs(task);
	u64 size;

	/* Through memory, a pointer becomes a number. */
	*(void *volatile *)&n->begin = ctx;
	*(void *volatile *)&n->end = regs;
	size = n->end - n->begin;
	n->nr = 0;
	if (!WICK_UNWIND_X86 || size > KERNEL_MEMO_WORDS * sizeof(u64) || size % sizeof(u64) ||
	    returns_are_probed(task))
		return false;
	if (bpf_probe_read_kernel(&n->root, sizeof(n->root), (void *)(n->end - sizeof(u64))))
		return false;
	n->nr = (u32)size / sizeof(u64);
	bpf_probe_read_kernel(&n->call, sizeof(n->call), &CALL_NUMBER(regs));
	n->set = (u32)hash_lane(hash_seed, n->call, n->begin % 64);
	return n->nr > 1;
}

static __always_inline u64 kernel_memo_check(const struct kernel_notes *n, u64 hash, u64 id, u32 nr)
{
	return hash_lane(hash_lane(hash, n->root, nr), id, n->begin % 64);
}

/* The id of the stack if it is what is remembered in a way of its set, else 0. */
VERIFIED_ONCE u64 kernel_memo_try(struct scratch *s, u32 way)
{
	u64 hash = hash_seed, id;
	struct kernel_memo *memo;
	u32 nr;

	if (!s)
		return 0;
	memo = kernel_memo_at(&s->kernel_notes, way);
	if (!memo)
		return 0;
	nr = memo->nr;
	id = *(volatile u64 *)&memo->id;
	if (!nr || memo->size > s->kernel_notes.nr || !kernel_memo_read(s, memo->size))
		return 0;
	for (u32 i = 0; i < KERNEL_MEMO_FRAMES; i++) {
		if (i >= nr)
			break;
		hash = hash_lane(hash, kernel_word(s, memo->at[i]), memo->at[i]);
	}
	if (kernel_memo_check(&s->kernel_notes, hash, id, nr) != memo->check)
		return 0;
	s->kernel_notes.way = way;
	return was_seen(id) ? id : 0;
}

/*
 * To check: whether the `nr` frames of a walk are what was remembered. Their ids may differ, since
 * the tracer's own frames do, and are cut off later: not all programs are called from one place.
 */
VERIFIED_ONCE int kernel_memo_agrees(struct scratch *s, u32 nr)
{
	struct kernel_memo *memo;
	u32 first;

	if (!s || !filter.check_memos)
		return false;
	memo = kernel_memo_at(&s->kernel_notes, s->kernel_notes.way);
	if (!memo || nr <= memo->nr ||
	    s->kernel.frames[(nr - 1) & KERNEL_FRAMES_MASK] != s->kernel_notes.root)
		return false;
	first = nr - 1 - memo->nr;
	for (u32 i = 0; i < KERNEL_MEMO_FRAMES; i++) {
		if (i >= memo->nr)
			break;
		if (s->kernel.frames[(first + i) & KERNEL_FRAMES_MASK] !=
		    kernel_word(s, memo->at[i]))
			return false;
	}
	return true;
}

/* Is the frame next to those found so far the one that lies here? */
VERIFIED_ONCE int kernel_memo_down(struct scratch *s, u32 at)
{
	struct kernel_notes *n;
	u64 word;
	u32 k;

	if (!s)
		return 0;
	n = &s->kernel_notes;
	word = kernel_word(s, at);
	if (!is_kernel_code(word))
		return 0;
	k = n->frame - 1; /* of the frames below it */
	if (k <= KERNEL_FRAMES_MASK && s->kernel.frames[k & KERNEL_FRAMES_MASK] == word) {
		n->at[k & KERNEL_FRAMES_MASK] = (u8)at;
		n->frame = k;
	}
	return 0;
}

/* Whether no frame from `first` on, whose place is further up, could be here as well. */
VERIFIED_ONCE int kernel_memo_is_free(struct scratch *s, u32 at, u32 first, u32 nr)
{
	u64 word;

	if (!s)
		return false;
	word = kernel_word(s, at);
	if (!is_kernel_code(word))
		return true;
	for (u32 i = 0; i <= KERNEL_MEMO_FRAMES; i++) {
		u32 k = (first + i) & KERNEL_FRAMES_MASK;

		if (first + i >= nr)
			break;
		if (s->kernel.frames[k] == word && at < s->kernel_notes.at[k])
			return false;
	}
	return true;
}

/*
 * Where the frames of a stack that was walked, in s->kernel.frames, lie on it: into at[], those
 * from the one on whose number is returned. The tracer's own, below the context, are not found.
 */
VERIFIED_ONCE int kernel_memo_locate(struct scratch *s, u32 nr)
{
	struct kernel_notes *n;
	u32 first;

	if (!s || !nr || nr >= WICK_KERNEL_FRAMES || !kernel_memo_read(s, s->kernel_notes.nr))
		return -1;
	n = &s->kernel_notes;
	n->frame = nr;
	for (u32 i = 1; i <= KERNEL_MEMO_WORDS; i++) {
		if (i > n->nr)
			break;
		kernel_memo_down(s, n->nr - i);
	}
	first = n->frame;
	if (first >= nr || nr - first > KERNEL_MEMO_FRAMES + 1 ||
	    n->at[(nr - 1) & KERNEL_FRAMES_MASK] != n->nr - 1)
		return -1;
	for (u32 at = 0; at < KERNEL_MEMO_WORDS; at++) {
		if (at >= n->nr)
			break;
		if (!kernel_memo_is_free(s, at, first, nr))
			return -1;
	}
	return (int)first;
}

/* Remembers the stack of `nr` frames in s->kernel.frames. */
VERIFIED_ONCE int kernel_memo_keep(struct scratch *s, u32 nr, u64 id)
{
	int first = kernel_memo_locate(s, nr);
	struct kernel_memo *set, *memo;
	struct kernel_notes *n;
	u64 hash = hash_seed;
	u32 kept;

	if (!s || first < 0 || nr > WICK_KERNEL_FRAMES)
		return 0;
	n = &s->kernel_notes;
	kept = nr - 1 - (u32)first;
	set = kernel_memo_at(n, 0);
	if (!set || !kept || kept > KERNEL_MEMO_FRAMES)
		return 0;
	set->newest++;
	memo = kernel_memo_at(n, set->newest % KERNEL_MEMO_WAYS);
	if (!memo)
		return 0;
	memo->nr = 0;
	barrier();
	for (u32 i = 0; i < KERNEL_MEMO_FRAMES; i++) {
		u32 at;

		if (i >= kept)
			break;
		at = n->at[((u32)first + i) & KERNEL_FRAMES_MASK];
		memo->at[i] = (u8)at;
		memo->size = (u16)(at + 1);
		hash = hash_lane(hash, kernel_word(s, at), at);
	}
	memo->id = id;
	memo->check = kernel_memo_check(n, hash, id, kept);
	barrier();
	memo->nr = (u16)kept;
	return 0;
}

#endif
