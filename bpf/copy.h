/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h: sends registers and stack to user space, which walks there. The way out where a walk has come to a file
 * that user space has not told of: the record says which file, and brings the sample that would else be
 * lost. Once user space has made the file's unwind rows, nobody's samples are sent for it any more.
 *
 * The stack is read page by page, because a read that runs over the end of its mapping fails whole. Of a
 * process's first thread the stack's end is known, and most are shallow: there are two sizes of room to
 * reserve in the ring. Only what was read is looked at.
 */
#ifndef COPY_H
#define COPY_H

#include "intern.h"
#include "scratch.h"

enum {
	SMALL_COPY_PAGES = 4,
	MAX_HOLE_PAGES = 6, /* in a row: a frame of 24 KB that is still empty */
};

struct small_copy {
	struct wick_copy_body head;
	char stack[SMALL_COPY_PAGES * WICK_COPY_PAGE];
};

struct large_copy {
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

/* How many pages there are from the one with `sp` to the one where the first thread's stack begins. */
static __always_inline u64 pages_to_copy(struct mm_struct *mm, u64 sp)
{
	u64 page = sp / WICK_COPY_PAGE, last = BPF_CORE_READ(mm, start_stack) / WICK_COPY_PAGE;

	/* Another thread's stack, or one of a signal's: its end is not known. */
	if (last < page || last - page >= WICK_COPY_PAGES)
		return WICK_COPY_PAGES;
	return last - page + 1;
}

/*
 * Reads at most `pages` pages, `most` being the constant bound. A page that was never touched, inside a
 * large frame, is not there: a hole. Several in a row are the end of the stack, where that is not known.
 */
static __always_inline void copy_pages(struct wick_copy_body *head, char *to, u64 pages, u32 most)
{
	u32 size = 0, missed = 0;
	u64 holes = 0;

	for (u32 i = 0; i < most; i++) {
		if (i >= pages || missed > MAX_HOLE_PAGES)
			break;
		if (bpf_probe_read_user(to + i * WICK_COPY_PAGE, WICK_COPY_PAGE,
					(void *)(head->base + i * WICK_COPY_PAGE))) {
			holes |= 1ull << i;
			missed++;
			continue;
		}
		missed = 0;
		size = (i + 1) * WICK_COPY_PAGE;
	}
	head->holes = holes;
	head->body.nr = size;
}

/* Fills the head but for what the stack is. */
static __always_inline void copy_head(struct wick_copy_body *head, const struct scratch *s,
				      struct task_struct *task, const struct wick_key *key,
				      const struct wick_columns *columns, u64 now)
{
	body_begin(&head->body, WICK_BODY_STACK_COPY, 0, 0, now);
	head->leg = s->leg.body.id;
	head->kernel = key->kernel;
	head->chain = key->chain;
	head->tgid = s->leg.leg.tgid;
	head->kind = key->kind;
	head->state = key->state;
	head->in_exec = BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
	head->base = s->walk.regs[WICK_REG_SP] & ~(u64)(WICK_COPY_PAGE - 1);
	head->stopped_at = s->walk.stopped_at;
	head->file = s->walk.mappings.key;
	for (int i = 0; i < 3; i++)
		head->column[i] = columns->column[i];
	for (int i = 0; i < WICK_NR_REGS; i++)
		head->regs[i] = s->walk.regs[i];
}

/*
 * Sends a sample with its registers and stack; it is not counted here then. False when a bound refused it,
 * and it has to be counted without. s->walk.regs has the registers.
 */
static __always_inline bool send_copy(struct task_struct *task, struct scratch *s,
				      const struct wick_key *key,
				      const struct wick_columns *columns, u64 now,
				      struct wick_counters *tally)
{
	u64 pages = pages_to_copy(BPF_CORE_READ(task, mm), s->walk.regs[WICK_REG_SP]);
	struct small_copy *small = NULL;
	struct large_copy *large = NULL;

	if (!copy_allowed(now)) {
		tally->at[WICK_LOST_COPY]++;
		return false;
	}
	if (pages <= SMALL_COPY_PAGES) {
		small = bpf_ringbuf_reserve(&bodies, sizeof(*small), 0);
		if (small) {
			copy_head(&small->head, s, task, key, columns, now);
			copy_pages(&small->head, small->stack, pages, SMALL_COPY_PAGES);
			bpf_ringbuf_submit(small, wakeup_flag());
		}
	} else {
		large = bpf_ringbuf_reserve(&bodies, sizeof(*large), 0);
		if (large) {
			copy_head(&large->head, s, task, key, columns, now);
			copy_pages(&large->head, large->stack, pages, WICK_COPY_PAGES);
			bpf_ringbuf_submit(large, wakeup_flag());
		}
	}
	if (!small && !large) {
		tally->at[WICK_LOST_COPY]++;
		return false;
	}
	tally->at[WICK_KEPT]++;
	return true;
}

/* Tells user space of a file without a copy: the next walk through it will be whole. */
static __always_inline void send_file(const struct scratch *s, u64 now, struct wick_counters *tally)
{
	struct wick_file_body *file = bpf_ringbuf_reserve(&bodies, sizeof(*file), 0);

	if (!file) {
		tally->at[WICK_LOST_BODY]++;
		return;
	}
	body_begin(&file->body, WICK_BODY_FILE, 0, 0, now);
	file->stopped_at = s->walk.stopped_at;
	file->file = s->walk.mappings.key;
	file->tgid = s->leg.leg.tgid;
	file->pad = 0;
	bpf_ringbuf_submit(file, wakeup_flag());
}

#endif
