/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_memo.h: kernel stacks that were walked, as memo.h is of user stacks.
 *
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
#ifndef KERNEL_MEMO_H
#define KERNEL_MEMO_H

#include "walk.h"

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
	hash = hash_lane(hash + window.epoch, n->root, nr);
	return hash_lane(hash, id, n->begin % 64);
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
	return id;
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

	if (!s || first < 0 || nr > WICK_KERNEL_FRAMES || !was_seen(id))
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
