/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h: sends registers and stack to user space, which has the unwind tables of all files, and walks
 * there. For code without frame pointers, and for processes that nobody has seen before: so the first
 * sample of a process that lives 10 ms is complete.
 *
 * The stack is read page by page, because a read that runs over the end of its mapping fails whole. The
 * room in the ring is reserved for the largest copy: only what was read is looked at.
 */
#ifndef COPY_H
#define COPY_H

#include "intern.h"
#include "scratch.h"

struct copy_record {
	struct wick_copy_body head;
	char stack[WICK_COPY_PAGES * WICK_COPY_PAGE];
};

/* How many copies this CPU has made in the second at hand. */
struct copy_budget {
	u64 second;
	u32 nr;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct copy_budget);
} copy_budgets __weak SEC(".maps");

static __always_inline bool copy_allowed(u64 now)
{
	u32 zero = 0;
	struct copy_budget *budget = bpf_map_lookup_elem(&copy_budgets, &zero);
	u64 second = now >> 30;

	if (!budget)
		return false;
	if (budget->second != second) {
		budget->second = second;
		budget->nr = 0;
	}
	return budget->nr++ < filter.copies;
}

/* Room in the ring, the head filled but for what the caller knows. NULL: none, counted. */
static __always_inline struct copy_record *copy_begin(struct scratch *s, u64 now,
						      struct wick_counters *tally)
{
	struct copy_record *copy = NULL;

	if (copy_allowed(now))
		copy = bpf_ringbuf_reserve(&bodies, sizeof(*copy), 0);
	if (!copy) {
		tally->at[WICK_LOST_COPY]++;
		return NULL;
	}
	body_begin(&copy->head.body, WICK_BODY_STACK_COPY, 0, 0, now);
	copy->head.leg = s->leg.body.id;
	copy->head.tgid = s->leg.leg.tgid;
	copy->head.pad = 0;
	return copy;
}

/* Reads the stack from the page that `sp` is in, and hands the record on. */
static __always_inline void copy_end(struct copy_record *copy, u64 sp)
{
	u64 base = sp & ~(u64)(WICK_COPY_PAGE - 1);
	u32 size = 0;

	for (u32 i = 0; i < WICK_COPY_PAGES; i++) {
		if (bpf_probe_read_user(copy->stack + i * WICK_COPY_PAGE, WICK_COPY_PAGE,
					(void *)(base + i * WICK_COPY_PAGE)))
			break;
		size += WICK_COPY_PAGE;
	}
	copy->head.base = base;
	copy->head.body.nr = size;
	bpf_ringbuf_submit(copy, wakeup_flag());
}

#endif
