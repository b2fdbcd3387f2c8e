/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h: sends registers and stack to user space, which walks there. The way out where a walk has
 * come to a file that user space has not told of, or to a part of it whose rows are not here: the
 * record says which, and brings the sample that would else be lost. Once user space has brought the
 * rows, no sample is sent for it any more.
 *
 * The stack is read page by page, because a page of it may not be there. Most are shallow: there
 * are two sizes of room to reserve in the ring. Only what was read is looked at. User space is
 * woken at once: the sooner it knows the file, the fewer copies there are. A thread that comes by
 * the same place many times in those milliseconds, in a loop that maps memory, has one copy for all
 * of them, if the next 2 KB of its stack are the same: other callers have left other words there.
 *
 * A large program is told of part by part, as it runs into them. So that the first part does not
 * use up what a second's budget is, none gets more than its share of it; and where there is no
 * budget left, the question is sent without the stack.
 */
#ifndef COPY_H
#define COPY_H

#include "intern.h"
#include "scratch.h"

enum {
	SMALL_COPY_PAGES = 4,
	LARGE_COPY_PAGES = 8,
	MAX_HOLE_PAGES = 6, /* in a row: a frame of 24 KB that is still empty */
	RECENT_COPIES = 4,
	RECENT_BITS = 24,   /* 17 ms */
	RECENT_WORDS = 256, /* of stack */
	TARGETS = 8,
	CHARGE_OF_COPY = 1024, /* bytes of the share: about what is left when it has been walked */
	CHARGE_OF_FILE =
		4096, /* the first in 17 ms for a file, or a part of one: that is to be read */
	COPIES_A_TARGET = 200, /* in 17 ms: then user space should know */
};

struct small_copy {
	struct wick_copy_body head;
	char stack[SMALL_COPY_PAGES * WICK_COPY_PAGE];
};

struct large_copy {
	struct wick_copy_body head;
	char stack[LARGE_COPY_PAGES * WICK_COPY_PAGE];
};

/* A copy, and what it was of. */
struct recent_copy {
	u64 id, leg;
	u64 stack; /* hash of registers and words of stack */
	u64 time;  /* >> RECENT_BITS */
};

/* What copies are sent for: a file that is not known, or a region without rows. */
struct copy_target {
	u64 region, inode;
	u64 time; /* >> RECENT_BITS */
	u32 nr;	  /* copies since then */
	u32 asked;
};

/* How many copies this CPU has made in the second at hand, and the last ones. */
struct copy_budget {
	u64 second;
	u32 nr;
	u32 next, next_target;
	u32 missed; /* pages in a row, of the copy at hand */
	struct recent_copy recent[RECENT_COPIES];
	struct copy_target targets[TARGETS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct copy_budget);
} copy_budgets __weak SEC(".maps");

static __always_inline struct copy_budget *copy_budget(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&copy_budgets, &zero);
}

static __always_inline bool copy_allowed(struct copy_budget *budget,
					 const struct copy_target *target, u64 now)
{
	u64 second = now >> 30;

	if (budget->second != second) {
		budget->second = second;
		budget->nr = 0;
	}
	return budget->nr++ < filter.copies >> (limits.level & 31) &&
	       within_share(target->nr ? CHARGE_OF_COPY : CHARGE_OF_FILE, now);
}

/*
 * What this walk has stopped for, and how many copies it has got just now: its place in
 * budget->targets.
 */
VERIFIED_ONCE u32 find_target(struct copy_budget *budget, const struct walk *walk, u64 now)
{
	u64 time = now >> RECENT_BITS, region, inode;
	u32 at;

	if (!budget || !walk)
		return 0;
	region = walk->stopped_in;
	inode = region < WICK_REGIONS ? 0 : walk->stopped_file.inode;
	for (at = 0; at < TARGETS; at++)
		if (budget->targets[at].region == region && budget->targets[at].inode == inode)
			break;
	if (at == TARGETS)
		at = budget->next_target++ % TARGETS;
	else if (budget->targets[at].time == time)
		return at;
	budget->targets[at] = (struct copy_target){.region = region, .inode = inode, .time = time};
	return at;
}

/*
 * How many pages there are from the one with the stack pointer to the end of the mapping, where a
 * stack begins.
 */
static __always_inline u64 pages_to_copy(struct walk *walk)
{
	u64 sp = walk->regs[WICK_REG_SP], page = sp / WICK_COPY_PAGE;
	u64 end = mapping_at(&walk->mappings, sp)->end;

	end = (end + WICK_COPY_PAGE - 1) / WICK_COPY_PAGE;
	return end > page && end - page < WICK_COPY_PAGES ? end - page : WICK_COPY_PAGES;
}

/*
 * Reads at most `pages` pages, `most` being the constant bound. A page that was never touched,
 * inside a large frame, is not there: a hole. Several in a row are the end of the stack, where that
 * is not known. What the loop has found so far lies in memory: in registers, the verifier would
 * follow each way through it.
 */
static __always_inline void copy_pages(struct wick_copy_body *head, char *to, u64 pages, u32 most,
				       u32 *missed)
{
	*missed = 0;
	head->holes = 0;
	head->body.nr = 0;
	for (u32 i = 0; i < most; i++) {
		if (i >= pages || *missed > MAX_HOLE_PAGES)
			break;
		if (bpf_probe_read_user(to + i * WICK_COPY_PAGE, WICK_COPY_PAGE,
					(void *)(head->base + i * WICK_COPY_PAGE))) {
			head->holes |= 1ull << i;
			*missed += 1;
			continue;
		}
		*missed = 0;
		head->body.nr = (i + 1) * WICK_COPY_PAGE;
	}
}

/* Fills the head but for what the stack is, and makes it an id. */
static __always_inline void copy_head(struct wick_copy_body *head, const struct scratch *s,
				      struct task_struct *task, u64 now)
{
	struct hash_state h;

	hash_begin(&h, s->leg.body.id, now);
	h.lane[1] = hash_lane(h.lane[1], s->walk.regs[WICK_REG_SP], WICK_BODY_STACK_COPY);
	body_begin(&head->body, WICK_BODY_STACK_COPY, 0, hash_end(&h), now);
	head->leg = s->leg.body.id;
	head->tgid = s->leg.leg.tgid;
	head->in_exec = BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
	head->base = s->walk.regs[WICK_REG_SP] & ~(u64)(WICK_COPY_PAGE - 1);
	head->stopped_at = s->walk.stopped_at;
	head->stopped_in = s->walk.stopped_in;
	head->file = s->walk.stopped_file;
	head->python = 0;
	for (int i = 0; i < WICK_NR_REGS; i++)
		head->regs[i] = s->walk.regs[i];
}

/*
 * What a thread has on its stack next, hashed; 0: it cannot be read. (The scratch's kernel stack
 * has been sent by now: its room is free.)
 */
static __always_inline u64 next_words(struct scratch *s)
{
	u64 sp = s->walk.regs[WICK_REG_SP], size = RECENT_WORDS * sizeof(u64);

	if (bpf_probe_read_user(s->kernel.frames, size, (void *)sp)) {
		/*
		 * The next page is not there: the end of the stack, or a gap before its arguments.
		 */
		size = (WICK_COPY_PAGE - sp % WICK_COPY_PAGE) & ~(HASH_STEP * sizeof(u64) - 1);
		if (!size || size > RECENT_WORDS * sizeof(u64) ||
		    bpf_probe_read_user(s->kernel.frames, size, (void *)sp))
			return 0;
	}
	return stack_hash(&s->kernel, size / sizeof(u64), s->walk.regs[WICK_REG_IP], sp);
}

/* The id of a copy that was made of the same thread and stack just before; 0: there is none. */
static __always_inline u64 recent_copy(const struct copy_budget *budget, u64 leg, u64 stack,
				       u64 now)
{
	for (u32 i = 0; i < RECENT_COPIES; i++) {
		const struct recent_copy *r = &budget->recent[i];

		if (r->leg == leg && r->stack == stack && r->time == now >> RECENT_BITS)
			return r->id;
	}
	return 0;
}

static __always_inline void note_copy(struct copy_budget *budget, u64 id, u64 leg, u64 stack,
				      u64 now)
{
	budget->recent[budget->next++ % RECENT_COPIES] = (struct recent_copy){
		.id = id, .leg = leg, .stack = stack, .time = now >> RECENT_BITS};
}

/* The question, without the stack: once in 17 ms. */
static __always_inline void ask(struct copy_target *target, struct task_struct *task,
				struct scratch *s, u64 now)
{
	struct wick_copy_body *head;

	if (target->nr || target->asked || !within_share(CHARGE_OF_FILE, now))
		return;
	head = bpf_ringbuf_reserve(&bodies, sizeof(*head), 0);
	if (!head)
		return;
	copy_head(head, s, task, now);
	head->holes = 0;
	target->asked = 1;
	bpf_ringbuf_submit(head, BPF_RB_FORCE_WAKEUP);
}

/*
 * Sends registers and stack; returns the stack's id, 0 when a bound refused it. s->walk.regs has
 * the registers.
 */
OWN_FRAME u64 send_copy(struct task_struct *task, struct scratch *s, u64 now,
			struct wick_counters *tally)
{
	struct copy_budget *budget = copy_budget();
	u64 pages = pages_to_copy(&s->walk), leg = s->leg.body.id, stack, id;
	struct copy_target *target;
	struct small_copy *small;
	struct large_copy *large;

	if (!budget)
		return 0;
	target = &budget->targets[find_target(budget, &s->walk, now) % TARGETS];
	stack = next_words(s);
	id = stack ? recent_copy(budget, leg, stack, now) : 0;
	if (id)
		return id;
	if (target->nr >= COPIES_A_TARGET || !copy_allowed(budget, target, now)) {
		ask(target, task, s, now);
		tally->at[WICK_LOST_COPY]++;
		return 0;
	}
	if (pages <= SMALL_COPY_PAGES) {
		small = bpf_ringbuf_reserve(&bodies, sizeof(*small), 0);
		if (small) {
			copy_head(&small->head, s, task, now);
			copy_pages(&small->head, small->stack, pages, SMALL_COPY_PAGES,
				   &budget->missed);
			id = small->head.body.id;
			bpf_ringbuf_submit(small, BPF_RB_FORCE_WAKEUP);
		}
	} else {
		large = bpf_ringbuf_reserve(&bodies, sizeof(*large), 0);
		if (large) {
			copy_head(&large->head, s, task, now);
			copy_pages(&large->head, large->stack, pages, LARGE_COPY_PAGES,
				   &budget->missed);
			id = large->head.body.id;
			bpf_ringbuf_submit(large, BPF_RB_FORCE_WAKEUP);
		}
	}
	if (!id) {
		tally->at[WICK_LOST_COPY]++;
		return 0;
	}
	target->nr++;
	note_copy(budget, id, leg, stack, now);
	return id;
}

#endif
