/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h: what a call for memory (brk, mmap, mremap, munmap) has done: counted, with the stack of
 * the call, and sent, since user space follows which of it is still there in the end. calls.bpf.c
 * has the hooks that tell of a call's begin and end.
 *
 * When a call returns, the kernel may already have handed the memory that it gave back to another
 * thread. So memory that is given back bears the time of the call's begin, and new memory that of
 * its end.
 */
#ifndef CALLS_H
#define CALLS_H

#include "memory.h"
#include <bpf/bpf_tracing.h>

static __always_inline bool is_memory_call(u64 number)
{
	const u64 calls = 1ull << (CALL_MMAP - FIRST_CALL) | 1ull << (CALL_MUNMAP - FIRST_CALL) |
			  1ull << (CALL_BRK - FIRST_CALL) | 1ull << (CALL_MREMAP - FIRST_CALL);

	return number - FIRST_CALL < 64 && calls >> (number - FIRST_CALL) & 1;
}

static __always_inline bool is_brk(u64 number)
{
	return number == CALL_BRK;
}

/* The instrument is at work. */
static __always_inline bool is_watched(u64 number)
{
	return is_brk(number) ? memory.brk : memory.mmap;
}

/* Counters of events that belong to no sample. */
static __always_inline struct wick_counters *common_counters(void)
{
	return counters_of(memory.mmap ? WICK_MMAP : WICK_BRK);
}

/* A process of which nothing is seen here: its calls have other numbers. */
static __always_inline void meet_32_bit(struct task_struct *task)
{
	struct wick_counters *tally = common_counters();
	struct memory_thread *first;

	if (!tally || !in_window(bpf_ktime_get_ns()))
		return;
	first = bpf_task_storage_get(&memory_threads, task->group_leader, NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (first && !first->is_32_bit) {
		first->is_32_bit = 1;
		tally->at[WICK_32_BIT]++;
	}
}

/* See process_gone(). */
static __always_inline void remember_mm(struct task_struct *task)
{
	struct memory_thread *first = bpf_task_storage_get(&memory_threads, task->group_leader,
							   NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (first)
		first->mm = (u64)BPF_CORE_READ(task, mm);
}

/* What others give back counts too, where the filters pick threads out of a process. */
static __always_inline bool picks_threads(void)
{
	return filter.by_tid || filter.by_comm || filter.by_cgroup;
}

static __always_inline void call_begins(struct task_struct *task, u64 number)
{
	struct memory_thread *m =
		bpf_task_storage_get(&memory_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct wick_counters *tally;

	if (!m) {
		tally = common_counters();
		if (tally)
			tally->at[WICK_LOST_THREAD]++;
		return;
	}
	if (memory.no_exit_mmap)
		remember_mm(task);
	check_thread(m, task);
	if (is_unwanted(&m->known) && !picks_threads()) {
		m->call_began = 0;
		return;
	}
	m->call_began = bpf_ktime_get_ns();
	m->old_break = is_brk(number) ? BPF_CORE_READ(task, mm, brk) : 0;
	if (memory.by_lock) {
		m->old_pages = BPF_CORE_READ(task, mm, total_vm);
		m->room_size = 0;
	}
}

/* ---- what a call has done */

static __always_inline u64 round_up(u64 size, u32 bits)
{
	u64 mask = (1ull << bits) - 1;

	return (size + mask) & ~mask;
}

static __always_inline u64 in_pages(u64 size)
{
	return round_up(size, filter.page_bits);
}

/* A call that has returned, or is about to: then `ret` tells of brk only. */
struct call {
	struct pt_regs *regs;
	u64 number, now;
	long ret;
};

static __always_inline void read_mmap(struct wick_mapping_body *b, struct pt_regs *regs, u64 ret)
{
	u64 size = CALL_SECOND(regs), flags = CALL_FOURTH(regs), protection = CALL_THIRD(regs);
	u32 bits = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;

	b->to = ret;
	b->to_size = flags & MAP_HUGETLB ? round_up(size, bits ? bits : memory.huge_page_bits)
					 : in_pages(size);
	b->state = flags & MAP_ANONYMOUS ? 0 : WICK_MEMORY_FILE;
	if (!protection)
		b->state |= WICK_MEMORY_RESERVED;
}

static __always_inline void read_munmap(struct wick_mapping_body *b, struct pt_regs *regs)
{
	b->from = CALL_FIRST(regs);
	b->from_size = in_pages(CALL_SECOND(regs));
}

static __always_inline void read_mremap(struct wick_mapping_body *b, struct pt_regs *regs, u64 ret)
{
	u64 from = CALL_FIRST(regs), flags = CALL_FOURTH(regs);
	u64 old = in_pages(CALL_SECOND(regs)), new = in_pages(CALL_THIRD(regs));

	b->to = ret;
	b->to_size = new;
	/* The old one stays; for a size of 0, the new one is another view of it. */
	if (flags & MREMAP_DONTUNMAP || !old)
		return;
	b->from = from;
	b->from_size = old;
	b->moved = old < new ? old : new;
}

static __always_inline void read_brk(struct wick_mapping_body *b, u64 old, u64 new)
{
	if (new > old) {
		b->to = old;
		b->to_size = new - old;
	} else {
		b->from = new;
		b->from_size = old - new;
	}
}

/* True when the call has changed something. */
static __always_inline bool read_call(struct wick_mapping_body *b, struct pt_regs *regs, u64 number,
				      u64 old_break, long ret)
{
	if (ret < 0 && ret >= -4095) /* -MAX_ERRNO */
		return false;
	if (is_brk(number))
		read_brk(b, old_break, (u64)ret);
	else if (number == CALL_MMAP)
		read_mmap(b, regs, (u64)ret);
	else if (number == CALL_MUNMAP)
		read_munmap(b, regs);
	else
		read_mremap(b, regs, (u64)ret);
	return b->from_size || b->to_size;
}

/*
 * The mapping at `place` when a call is about to return has `size` bytes from there on; or, where
 * the kernel has looked for room and found more than that, from a place in it. Finds the place,
 * which no register has yet. Its neighbours may have become one mapping with it.
 *
 * Room is larger where what is large is to be aligned (mm/huge_memory.c, mm/shmem.c): by the size
 * at most. So whichever place in the room it was, it has the byte that is `size` before the room's
 * end, or the one before that.
 */
OWN_FRAME bool find_new(struct scratch *s, struct memory_thread *m, u64 mm, u64 *place, u64 size)
{
	struct vma_search *search = &s->walk.mappings.search;
	u64 at = *place, start;
	struct vm_area_struct *vma;

	s->walk.mappings.lock_seq = 1; /* what it has kept can be of another process */
	search->mm = mm;
	if (m->room_size)
		at = m->room + m->room_size - size;
	vma = find_vma(search, at);
	if (!vma && m->room_size > size)
		vma = find_vma(search, at - 1);
	if (!vma || (u64)BPF_CORE_READ(vma, vm_mm) != mm)
		return false;
	start = BPF_CORE_READ(vma, vm_start);
	if (m->room_size)
		at = start > m->room ? start : m->room;
	*place = at;
	return start <= at && BPF_CORE_READ(vma, vm_end) >= at + size;
}

/*
 * Completes what read_call() has read of a call that is about to return; false: it has failed. One
 * that fails to replace mappings that cover all of its place is taken for one that has.
 */
static __always_inline bool find_result(struct scratch *s, struct wick_mapping_body *b,
					const struct call *call, struct task_struct *task,
					struct memory_thread *m, struct wick_counters *tally)
{
	bool has_changed = BPF_CORE_READ(task, mm, total_vm) != m->old_pages;
	bool is_fixed, replaces;
	u64 flags = CALL_FOURTH(call->regs);

	if (is_brk(call->number))
		return true;
	if (call->number == CALL_MUNMAP)
		return has_changed;
	if (call->number == CALL_MMAP) {
		is_fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
		replaces = flags & MAP_FIXED;
		b->to = CALL_FIRST(call->regs) >> filter.page_bits << filter.page_bits;
	} else {
		is_fixed = flags & MREMAP_FIXED;
		replaces = is_fixed || m->room_size; /* what it moves */
		b->to = is_fixed ? CALL_FIFTH(call->regs) : CALL_FIRST(call->regs);
	}
	if (!has_changed && !replaces)
		return false;
	if (is_fixed)
		m->room_size = 0;
	if (find_new(s, m, (u64)BPF_CORE_READ(task, mm), &b->to, b->to_size))
		return true;
	tally->at[WICK_LOST_CHANGE] += has_changed;
	return false;
}

static __always_inline void send_change(struct wick_mapping_body *b, struct task_struct *task,
					u64 now, struct wick_counters *tally)
{
	b->mm = (u64)BPF_CORE_READ(task, mm);
	body_begin(&b->body, WICK_BODY_MAPPING, 0, 0, now);
	if (ring_is_nearly_full() || !within_change_share(sizeof(*b), now) ||
	    bpf_ringbuf_output(&bodies, b, sizeof(*b), wakeup_flag()))
		tally->at[WICK_LOST_CHANGE]++;
}

enum { OF_A_CALL = 1u << 31 }; /* the state of its place: no fault is there */

/*
 * Where a call comes from. All of a kind are made by the same few instructions of the C library, so
 * its caller is a part of the place.
 */
static __always_inline void place_of(struct pt_regs *regs, u64 *ip, u64 *sp)
{
	*sp = regs->USER_SP;
	*ip = regs->USER_IP ^ USER_CALLER(regs) << 20;
}

/*
 * Only the kernel knows whether what mremap() has made larger is of a file, and tells where it is
 * asked for the way to the call.
 */
static __always_inline bool needs_walk(const struct wick_mapping_body *b)
{
	return b->moved;
}

/* The stack of a call, into s->key, by a walk; false where the filters leave it out. */
static __always_inline bool walk_call(struct scratch *s, struct wick_mapping_body *b,
				      struct task_struct *task, struct memory_thread *m, u64 now,
				      struct wick_counters *tally)
{
	if (!take_leg(s, task, &m->known, now, tally))
		return false;
	if (filter.no_user_stack || !has_user_stack())
		return true;
	walk_begin_in_kernel(&s->walk, task);
	s->key.user = walked_user_stack(task, s, now, tally);
	if (b->moved && mapping_at(&s->walk.mappings, b->to)->has_file)
		b->state |= WICK_MEMORY_FILE;
	return true;
}

/* Counts what is new, with the stack of the call, and tells user space of it. */
static __always_inline enum outcome count_new(struct scratch *s, struct wick_mapping_body *b,
					      const struct call *call, struct task_struct *task,
					      struct memory_thread *m, struct wick_counters *tally)
{
	struct wick_columns columns = {.column = {1, b->to_size - b->moved}};
	struct wick_spending *spending = spending_of(SPENDS_CALLS);
	bool obliged = needs_walk(b);
	enum outcome outcome = NOT_WALKED;
	enum choice choice = WALK;
	struct wick_key *key = &s->key;
	const struct found *found = NULL;
	u64 ip, sp;

	/* A thread that renames itself all the time is not walked for that. */
	if (m->known.wanted != WANTED && !take_leg(s, task, &m->known, call->now, tally))
		return NOT_WALKED;
	if (!spending)
		return NOT_WALKED;
	next_period(spending, SPENDS_CALLS, call->now);
	place_of(call->regs, &ip, &sp);
	if (!obliged)
		choice = choose(&m->places, &m->stand_in[BY_CALL], spending, ip, sp, OF_A_CALL,
				&found);
	if (choice == WALK || choice == WALK_FOR_OTHERS) {
		outcome = obliged ? OBLIGED : SAMPLED;
		if (!walk_call(s, b, task, m, call->now, tally))
			return outcome;
		note_walk(m, BY_CALL, spending, s, choice, ip, sp, OF_A_CALL);
	} else {
		*key = (struct wick_key){.leg = m->known.id, .user = found ? found->user : 0};
	}
	key->kind = b->kind;
	key->state = b->state;
	b->leg = key->leg;
	b->user = key->user;
	count(key, &columns, tally);
	return outcome;
}

/* What the call has done, into s->change, counted and sent. */
static __always_inline enum outcome take_change(struct scratch *s, const struct call *call,
						struct task_struct *task, struct memory_thread *m,
						u64 began, struct wick_counters *tally)
{
	struct wick_mapping_body *b = &s->change;
	enum outcome outcome = NOT_WALKED;

	__builtin_memset(b, 0, sizeof(*b));
	b->kind = is_brk(call->number) ? WICK_BRK : WICK_MMAP;
	b->since = began;
	if (!read_call(b, call->regs, call->number, m->old_break, call->ret))
		return NOT_WALKED;
	if (memory.by_lock && !find_result(s, b, call, task, m, tally))
		return NOT_WALKED;
	tally->at[WICK_RAN]++;
	if (b->to_size > b->moved && !is_left_out(m))
		outcome = count_new(s, b, call, task, m, tally);
	else if (m->known.wanted == WANTED_UNKNOWN)
		take_leg(s, task, &m->known, call->now, tally);
	b->wanted = !is_unwanted(&m->known);
	if (b->wanted || picks_threads())
		send_change(b, task, call->now, tally);
	return outcome;
}

static __always_inline enum outcome call_ends(struct call *call, struct task_struct *task)
{
	struct memory_thread *m = bpf_task_storage_get(&memory_threads, task, NULL, 0);
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	struct wick_counters *tally;
	u64 began;

	if (!m || !m->call_began)
		return NOT_WALKED;
	began = m->call_began;
	m->call_began = 0;
	call->now = bpf_ktime_get_ns();
	if (!in_window(call->now))
		return NOT_WALKED;
	tally = counters_of(is_brk(call->number) ? WICK_BRK : WICK_MMAP);
	if (tally)
		s = scratch_take(tally);
	if (!s)
		return NOT_WALKED;
	return take_change(s, call, task, m, began, tally);
}

#endif
