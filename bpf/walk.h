/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h: user stacks, for every instrument: where the registers come from, and the walk.
 *
 * A thread in user mode has its registers in the sample. One that is in the kernel (system call,
 * fault, interrupt, sleep) left them at the top of its kernel stack. Kernel threads have none; what
 * lies there is garbage, so their flag is tested first.
 *
 * The walk is include/unwind.h's, with the rows of the file that each frame is in, and by frame
 * pointers where there are no rows. A file that user space has not told of ends it, and so do rows
 * that are elsewhere: the stack is sent then, see copy.h. All of the walk's state lies in memory,
 * where the verifier does not follow it: a tenth of the work.
 *
 * Distinct cold cache lines are what a walk costs, so the stack is read in windows of 512 bytes.
 */
#ifndef WALK_H
#define WALK_H

#include "java.h"
#include "pythons.h"

static __always_inline struct pt_regs *task_user_regs(struct task_struct *task)
{
	char *stack;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	stack = BPF_CORE_READ(task, stack);
	return (struct pt_regs *)(stack + THREAD_SIZE - bpf_core_type_size(struct pt_regs));
}

/* The registers that the current task left in user mode. */
static __always_inline void walk_begin_in_kernel(struct walk *walk, struct task_struct *task)
{
	bpf_probe_read_kernel(&walk->user_regs, sizeof(walk->user_regs), task_user_regs(task));
	REGS_COPY(walk->regs, &walk->user_regs, );
}

/*
 * A register at a perf event. They are read by name from the context, in 8-byte loads: the verifier
 * takes no other, and a mask on a plain load would be narrowed to a byte.
 */
#define EVENT_REGISTER(field) (*(volatile u64 *)&(field))

static __always_inline bool event_in_user(struct bpf_perf_event_data *ctx)
{
	u64 mode = EVENT_REGISTER(REGS_MODE(&ctx->regs));

	return MODE_IS_USER(mode);
}

/* The user registers at a perf event. */
static __always_inline void walk_begin(struct walk *walk, struct bpf_perf_event_data *ctx,
				       struct task_struct *task)
{
	if (event_in_user(ctx))
		REGS_COPY(walk->regs, &ctx->regs, EVENT_REGISTER);
	else
		walk_begin_in_kernel(walk, task);
}

/* ---- memory */

/*
 * Reads the window that begins a little below the address, since what a frame saved lies below its
 * return address, and ends with the page, since a read that runs over the end of a mapping fails
 * whole.
 */
VERIFIED_ONCE int walk_read_window(struct walk *walk, u64 address)
{
	u64 page = address & ~(u64)(WALK_PAGE - 1), begin = address - WALK_BELOW, size;

	if (!walk)
		return -1;
	if (begin < page)
		begin = page;
	size = page + WALK_PAGE - begin;
	if (size > WALK_WINDOW)
		size = WALK_WINDOW;
	walk->window_begin = begin;
	walk->window_size = size;
	if (bpf_probe_read_user(walk->window, size, (void *)begin)) {
		walk->window_size = 0;
		return -1;
	}
	return 0;
}

static __always_inline long walk_read(void *ctx, __u64 address, __u64 *value)
{
	struct walk *walk = ctx;
	u64 within = address - walk->window_begin;

	if (address & 7)
		return bpf_probe_read_user(value, sizeof(*value), (void *)address);
	if (within >= walk->window_size) {
		if (walk_read_window(walk, address))
			return -1;
		within = address - walk->window_begin;
	}
	*value = walk->window[within / 8 % (WALK_WINDOW / 8)];
	return 0;
}

/* The same, where reads are many and seldom. */
VERIFIED_ONCE int walk_read_apart(struct walk *walk, u64 address, u64 *value)
{
	return walk && value ? (int)walk_read(walk, address, value) : -1;
}

static __always_inline long walk_read_seldom(void *ctx, __u64 address, __u64 *value)
{
	/* Before 6.3 the verifier wants memory that is an argument to have been written. */
	*value = 0;
	return walk_read_apart(ctx, address, value);
}

static __always_inline long walk_is_code(void *ctx, __u64 address)
{
	struct walk *walk = ctx;

	return mapping_at(&walk->mappings, address - 1)->kind < MAPPING_CODE;
}

/* ---- the walk */

/*
 * The steps' notes are made by functions of their own, since chains of calls are deepest in a step.
 */
VERIFIED_ONCE int note_before_plain(struct walk *walk, u32 rule)
{
	u32 fp_place = rule >> WICK_RULE_FP_SHIFT & WICK_RULE_PLACE_MAX;
	struct notes *n;
	u64 cfa;

	if (!walk)
		return 0;
	n = &walk->notes;
	cfa = walk->at.reg[WICK_REG_SP];
	if (wick_rule_kind(rule) == WICK_RULE_FP) {
		cfa = walk->at.reg[WICK_REG_FP];
		note_fp(n, cfa);
	}
	cfa += 8 * (u64)(rule & WICK_RULE_N_MAX);
	n->ra_at = cfa - 8;
	n->fp_at = fp_place ? cfa - 8 * (u64)(fp_place + 1) : 0;
	return 0;
}

enum { LINK_REGISTER = 30 }; /* AArch64's: a leaf's return address may still be in it */

/* The rule in walk->special. */
VERIFIED_ONCE int note_before_special(struct walk *walk)
{
	const struct wick_unwind_special *special;
	struct notes *n;
	u32 base;
	u64 cfa;

	if (!walk)
		return 0;
	n = &walk->notes;
	special = &walk->special;
	base = special->base & (WICK_UNWIND_REGS - 1);
	cfa = walk->at.reg[base] + (s64)special->offset;
	n->ra_at = n->fp_at = 0;
	if (base == WICK_REG_FP)
		note_fp(n, walk->at.reg[WICK_REG_FP]);
	else if (base != WICK_REG_SP)
		n->unfit = true;
	if (special->deref || special->bx_place == WICK_PLACE_AT_FP)
		n->unfit = true;
	if (special->fp_place == WICK_PLACE_AT_CFA)
		n->fp_at = cfa + (s64)special->fp;
	else if (special->fp_place != WICK_PLACE_KEPT)
		n->unfit = true;
	if (special->ra_place == WICK_PLACE_AT_CFA)
		n->ra_at = cfa + (s64)special->ra;
	else if (!WICK_UNWIND_X86 && special->ra_place == WICK_PLACE_IN_REGISTER &&
		 special->ra == LINK_REGISTER && !walk->nr)
		n->registers |= NOTED_LR;
	else
		n->unfit = true;
	return 0;
}

VERIFIED_ONCE int note_after(struct walk *walk, int end)
{
	struct notes *n;

	if (!walk)
		return 0;
	n = &walk->notes;
	if (n->ra_at)
		note_word(n, n->ra_at, end == WICK_UNWIND_ON ? walk->at.ip : 0, NOTED_ADDRESS);
	if (n->fp_at)
		n->fp_from = n->fp_at;
	if (end == WICK_COMPLETE) /* where the stack lies has decided that */
		n->unfit = true;
	return 0;
}

/*
 * A step by frame pointer, from a frame that called, depends on the words at the frame pointer.
 * Code is read too, to see whether it returns from a signal or follows a call: what lies at a
 * return address does not change while something returns there. At a leaf it may.
 */
VERIFIED_ONCE int note_before_fp(struct walk *walk)
{
	struct notes *n;

	if (!walk)
		return 0;
	n = &walk->notes;
	n->exact = walk->at.exact;
	n->fp = walk->at.reg[WICK_REG_FP];
	note_fp(n, n->fp);
	return 0;
}

VERIFIED_ONCE int note_after_fp(struct walk *walk, int end)
{
	struct notes *n;
	u64 next;

	if (!walk)
		return 0;
	n = &walk->notes;
	next = walk->at.reg[WICK_REG_FP];
	if (n->exact || walk->at.exact)
		n->unfit = true;
	if (!n->fp)
		return 0;
	note_word(n, n->fp + 8, end == WICK_UNWIND_ON ? walk->at.ip : 0, NOTED_ADDRESS);
	if (end != WICK_UNWIND_ON)
		return 0;
	note_word(n, n->fp, next, 0);
	n->fp_from = n->fp;
	/* Whether it is above the stack or below may differ from thread to thread. */
	if (next && !is_near(n, next))
		n->unfit = true;
	return 0;
}

/* By frame pointer. */
VERIFIED_ONCE int walk_step_fp(struct walk *walk)
{
	int end;

	if (!walk)
		return WICK_BAD_FRAME;
	note_before_fp(walk);
	end = wick_unwind_step_fp(&walk->at, walk_read_seldom, walk_is_code, walk);
	note_after_fp(walk, end);
	return end;
}

/*
 * In a file's code of which there is no row. That the frame pointer is 0 says nothing there: most
 * programs use it as they like, and leave it 0 until they do.
 */
static __always_inline int walk_step_rowless(struct walk *walk)
{
	walk->at.chained = 0;
	return walk_step_fp(walk);
}

/* By the rule in walk->special. */
VERIFIED_ONCE int walk_step_special(struct walk *walk)
{
	int end;

	if (!walk)
		return WICK_BAD_FRAME;
	note_before_special(walk);
	end = wick_unwind_step_special(&walk->special, &walk->at, walk_read_seldom, walk);
	note_after(walk, end);
	return end;
}

VERIFIED_ONCE int walk_step_plain(struct walk *walk, u32 rule)
{
	int end;

	if (!walk)
		return WICK_BAD_FRAME;
	note_before_plain(walk, rule);
	end = wick_unwind_step_plain(rule, &walk->at, walk_read, walk);
	note_after(walk, end);
	return end;
}

/* A special into walk->special; false: there is none such. */
VERIFIED_ONCE int walk_find_special(struct walk *walk, const struct wick_region *region, u32 rule)
{
	struct rows rows;

	if (!walk || !region || !rows_find(&rows, region))
		return false;
	return wick_unwind_special(&region->shape, rows_word, &rows, rule, &walk->special);
}

/* By one of the odd rules: signal frames, PLT entries. */
VERIFIED_ONCE int walk_step_odd(struct walk *walk, const struct wick_region *region, u32 rule)
{
	struct rows rows;

	if (!walk || !region || wick_rule_kind(rule) == WICK_RULE_SPECIAL)
		return WICK_BAD_FRAME;
	if (!rows_find(&rows, region))
		return WICK_NO_UNWIND_INFO;
	if (rule != wick_rule_outermost())
		walk->notes.unfit = true;
	return wick_unwind_step(&region->shape, rows_word, &rows, rule, &walk->at, walk_read_seldom,
				walk);
}

/*
 * The walk ends here, since user space has not told of what there is: a file, or a region of one.
 */
static __always_inline int walk_stop(struct walk *walk, u64 address, u32 region)
{
	walk->stopped_at = address;
	walk->stopped_in = region;
	return WICK_NO_UNWIND_INFO;
}

static __always_inline int walk_step_rows(struct walk *walk, const struct mapping *mapping,
					  u64 address)
{
	u64 offset = address + mapping->offset;
	u32 number = region_of(&mapping->file, offset);
	struct wick_region *region = bpf_map_lookup_elem(&regions, &number);
	struct rows rows;
	u32 rule;

	if (!region)
		return walk_step_rowless(walk);
	note_use(&region->used);
	if (!rows_find(&rows, region))
		return walk_stop(walk, address, number);
	rule = wick_unwind_lookup(&region->shape, rows_word, &rows, offset);
	if (wick_rule_kind(rule) == WICK_RULE_NONE)
		return walk_step_rowless(walk);
	if (wick_rule_kind(rule) == WICK_RULE_SPECIAL)
		return walk_find_special(walk, region, rule) ? walk_step_special(walk)
							     : WICK_NO_UNWIND_INFO;
	if (wick_rule_kind(rule) != WICK_RULE_SP && wick_rule_kind(rule) != WICK_RULE_FP)
		return walk_step_odd(walk, region, rule);
	return walk_step_plain(walk, rule);
}

/*
 * In code that no file has: *frame becomes the method where it is a Java VM's interpreter that runs
 * one.
 */
static __always_inline int walk_step_code(struct walk *walk, u64 address, u64 *frame)
{
	u32 rule = filter.walk_fp ? WICK_JAVA_BY_FP : java_rule(walk, address);
	int end;

	if (rule == WICK_JAVA_BY_FP)
		return walk_step_fp(walk);
	if (wick_rule_kind(rule) == WICK_RULE_SPECIAL) {
		walk->special = wick_java_link();
		return walk_step_special(walk);
	}
	end = walk_step_plain(walk, rule);
	if (rule & WICK_JAVA_INTERPRETS) {
		*frame = wick_java_word(address, walk->java.method);
		if (end == WICK_UNWIND_ON)
			wick_java_leave_interpreter(&walk->at, walk->java.sender_sp);
		walk->notes.unfit = true;
	}
	return end;
}

/*
 * Writes down the frame at hand, then goes one up. Returns 1, with walk->end set, at the end.
 */
VERIFIED_ONCE int walk_step(struct walk *walk, struct stack *stack)
{
	struct mapping *mapping;
	u64 address, frame;
	u32 kind, nr, was_exact;
	int end;

	if (!walk || !stack)
		return 1;
	was_exact = walk->at.exact;
	address = frame = wick_unwind_address(&walk->at);
	mapping = mapping_at(&walk->mappings, address);
	kind = mapping->kind;
	nr = walk->nr;
	if (is_near(&walk->notes, address)) /* it runs on its stack */
		walk->notes.unfit = true;
	if (nr && kind < MAPPING_CODE) { /* what was found is no code */
		walk->end = WICK_BAD_FRAME;
		return 1;
	}
	if (nr >= WICK_USER_FRAMES) {
		walk->end = WICK_TRUNCATED;
		return 1;
	}
	if (kind == MAPPING_UNKNOWN) {
		walk->of_image = true;
		walk->stopped_file = walk->mappings.key;
		end = walk_stop(walk, address, WICK_REGIONS);
	} else if (kind == MAPPING_FILE) {
		u64 offset = address + mapping->offset;

		frame = WICK_FRAME_IN_FILE | (u64)mapping->file.file << WICK_FRAME_FILE_SHIFT |
			(offset & WICK_FRAME_OFFSET);
		if (mapping->file.python && !filter.no_python)
			frame |= python_mark(walk, mapping->file.python, offset, address - offset);
		end = filter.walk_fp ? walk_step_fp(walk) : walk_step_rows(walk, mapping, address);
	} else {
		walk->of_image = true;
		end = walk_step_code(walk, address, &frame);
	}
	/*
	 * What returns from a signal handler has not called it: the address is its own first one.
	 */
	if (!was_exact && walk->at.exact)
		frame++;
	stack->frames[nr] = frame;
	walk->nr = nr + 1;
	walk->end = end;
	return end != WICK_UNWIND_ON;
}

/*
 * Before the first step. False where this kernel's mappings cannot be found: every stack is sent.
 */
VERIFIED_ONCE int walk_prepare(struct scratch *s, u64 mm)
{
	struct walk *walk;

	if (!s)
		return false;
	walk = &s->walk;
	walk->of_image = false;
	walk->python.number = walk->python.words = 0;
	walk->python.is_cut = walk->python.is_new = 0;
	walk->java.nr_hops = 0;
	walk->stopped_at = 0;
	walk->window_size = 0;
	walk->at.ip = walk->regs[WICK_REG_IP];
	for (int i = 0; i < WICK_UNWIND_REGS; i++)
		walk->at.reg[i] = walk->regs[i];
	walk->at.known = WICK_ALL_REGS;
	walk->at.exact = 1;
	walk->at.chained = 0;
	walk->nr = 0;
	if (has_vma_tree()) {
		mappings_begin(&walk->mappings, (void *)mm, &s->leg.leg);
		return true;
	}
	s->user.frames[walk->nr++] = walk->at.ip;
	walk->end = WICK_NO_UNWIND_INFO;
	walk->of_image = true;
	walk->stopped_at = walk->at.ip;
	walk->stopped_in = WICK_REGIONS;
	return false;
}

/* The verifier follows each turn of a loop: so many steps are one that it reads once. */
enum { WALK_STEPS = 16 };

/* Returns 1 at the end of the stack. */
VERIFIED_ONCE int walk_on(struct scratch *s)
{
	if (!s)
		return 1;
	for (u32 i = 0; i < WALK_STEPS; i++)
		if (walk_step(&s->walk, &s->user))
			return 1;
	return 0;
}

/*
 * Walks from s->walk.regs: frames into s->user.frames, their number, the reason for the end, and
 * whether it was a file that is not known, into s->walk.
 */
VERIFIED_ONCE int walk_user(struct scratch *s, u64 mm)
{
	if (!walk_prepare(s, mm))
		return 0;
	for (u32 i = 0; i <= WICK_USER_FRAMES / WALK_STEPS; i++)
		if (walk_on(s))
			break;
	return 0;
}

#endif
