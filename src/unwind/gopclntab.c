/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gopclntab.h"

#include <elf.h>

#include "base/checked.h"
#include "gotable.h"

enum {
	SWITCH_WITHIN = 512, /* bytes of a function that changes stacks */
	STEP_COST = 16,
};

struct build {
	struct go go;
	struct rows *rows;
};

/* ---- one function */

struct function {
	u32 number;
	bool borrows;	/* a stack, for the functions that it calls */
	u64 start, end; /* in the file */
	u64 saves;	/* from here on the caller's rbp is at CFA - 16 ... */
	u64 leads;	/* ... and from here on rbp is CFA - 16; UINT64_MAX: never */
};

static u32 rule_of(s32 delta, bool saved)
{
	u32 n = (u32)delta / 8 + 1;

	if (delta < 0 || delta % 8 || n > WICK_RULE_N_MAX)
		return wick_rule(WICK_RULE_BAD, WICK_BAD_OFFSET);
	return wick_rule(WICK_RULE_SP, (saved ? 1u << WICK_RULE_FP_SHIFT : 0) | n);
}

/* What the prologue does with rbp, having made the frame of `delta` bytes just before `at`. */
static void find_save(struct build *b, struct function *f, u64 at, s32 delta)
{
	const u8 *code = go_code(&b->go, at - 1, 9);
	s32 place = delta - 8;

	f->saves = f->leads = UINT64_MAX;
	if (!code)
		return;
	if (code[0] == 0x55) { /* push %rbp; mov %rsp, %rbp */
		f->saves = at;
		f->leads = at + 3;
	} else if (!memcmp(code + 1, "\x48\x89\x6c\x24", 4) && code[5] == place) {
		f->saves = at + 5; /* mov %rbp, place(%rsp); lea place(%rsp), %rbp */
		f->leads = at + 10;
	} else if (!memcmp(code + 1, "\x48\x89\xac\x24", 4) &&
		   !memcmp(code + 5, &place, sizeof(place))) {
		f->saves = at + 8;
		f->leads = at + 16;
	}
}

/* The stack pointer is `delta` below its place at entry, from `at` to `next`. */
static void add_stretch(struct build *b, struct function *f, u64 at, u64 next, s32 delta)
{
	if (delta > 0 && !f->saves)
		find_save(b, f, at, delta);
	rows_add(b->rows, at, rule_of(delta, delta > 0 && at >= f->saves));
	if (delta <= 0)
		return;
	if (at < f->saves && f->saves < next)
		rows_add(b->rows, f->saves, rule_of(delta, true));
	if (f->borrows && f->leads < next)
		rows_add(b->rows, max(at, f->leads), wick_rule(WICK_RULE_ODD, WICK_SWITCHED));
}

/*
 * The function's rows as far as f->end, by pctab: {change of delta, length} and so on, up to a
 * change of 0.
 */
static void add_rows(struct build *b, struct function *f)
{
	u32 pcsp = go_record(&b->go, f->number, b->go.layout->pcsp);
	u64 place, at = f->start;
	struct reader r = {};
	u32 delta = UINT32_MAX; /* -1 */

	if (!rows_begin(b->rows, f->start, f->end))
		return;
	if (pcsp && checked_add(go_word(&b->go, b->go.layout->pctab), pcsp, &place) &&
	    place < b->go.elf->gopclntab_size)
		r = reader_of(b->go.elf->gopclntab + place, b->go.elf->gopclntab_size - place);
	while (at < f->end && go_spend(&b->go, STEP_COST)) {
		u64 change = reader_uleb(&r), length = reader_uleb(&r), next;

		if (r.cut || (!change && at != f->start))
			break;
		delta += (u32)(change >> 1) ^ -(u32)(change & 1);
		next = length < f->end - at ? at + length * b->go.code_align : f->end;
		add_stretch(b, f, at, min(next, f->end), (s32)delta);
		at = next;
	}
	if (at < f->end)
		rows_add(b->rows, at, wick_rule(WICK_RULE_NONE, 0));
}

/* ---- functions that are not like others */

/* All of [start, end) has one rule. */
static void add_whole(struct build *b, u64 start, u64 end, u32 rule)
{
	if (rows_begin(b->rows, start, end))
		rows_add(b->rows, start, rule);
}

static void add_top(struct build *b, struct function *f)
{
	add_whole(b, f->start, f->end, wick_rule_outermost());
}

/* It has no caller: the return address is its start, and a lookup is of one byte less. */
static void add_sigreturn(struct build *b, struct function *f)
{
	add_whole(b, f->start - 1, f->end, wick_rule(WICK_RULE_ODD, WICK_SIGNAL));
}

/*
 * Its start is what a goroutine that has changed stacks has for a return address (up to Go 1.20).
 */
static void add_switch_mark(struct build *b, struct function *f)
{
	add_whole(b, f->start - 1, f->start, rule_of(0, false));
	add_rows(b, f);
}

/* Where these bytes are first, from `at` on; the function's end when they are not. */
static u64 find_bytes(struct build *b, const struct function *f, u64 at, const char *bytes)
{
	size_t room = min(f->end - at, (u64)SWITCH_WITHIN);
	const u8 *code = go_code(&b->go, at, room);
	const u8 *found = code ? memmem(code, room, bytes, strlen(bytes)) : NULL;

	return found ? at + (u64)(found - code) : f->end;
}

/*
 * Is this `mov 0x38(ANY), %rsp`, or the same by way of %rbx (up to Go 1.20)? 0x38 is g.sched.sp.
 * Its size; 0: no.
 */
static size_t switches(const u8 *code, size_t room)
{
	if (room < 7 || (code[0] & 0xfe) != 0x48 || code[1] != 0x8b || code[3] != 0x38)
		return 0;
	if ((code[2] & 0xf8) == 0x60)
		return 4;
	return (code[2] & 0xf8) == 0x58 && !memcmp(code + 4, "\x48\x89\xdc", 3) ? 7 : 0;
}

/* From where on the stack is another. */
static u64 find_switch(struct build *b, const struct function *f)
{
	size_t room = min(f->end - f->start, (u64)SWITCH_WITHIN), size;
	const u8 *code = go_code(&b->go, f->start, room);

	for (size_t i = 0; code && i < room; i++) {
		size = switches(code + i, room - i);
		if (size)
			return f->start + i + size;
	}
	return f->end;
}

/*
 * mcall(), morestack(): they go on at the root of the thread's own stack, and return by other ways.
 */
static void add_leaving(struct build *b, struct function *f)
{
	u64 end = f->end;

	f->end = find_switch(b, f);
	add_rows(b, f);
	add_whole(b, f->end, end, wick_rule_outermost());
}

/*
 * systemstack() and asmcgocall(), since Go 1.21, and what calls the vdso: they keep the address of
 * their frame in rbp while they are on another stack. Where they have no frame there is no way
 * back.
 */
static void add_borrowing(struct build *b, struct function *f)
{
	u64 end = f->end, borrowed = find_switch(b, f);

	f->borrows = true;
	add_rows(b, f);
	if (!f->saves || f->leads >= end)
		add_whole(b, borrowed, end, wick_rule(WICK_RULE_BAD, WICK_BAD_STACK_POINTER));
}

/*
 * clone(): the parent returns; the child begins on a stack of its own, and calls the thread's first
 * function. Just after the system call the walk tells the two apart by rax.
 */
static void add_clone(struct build *b, struct function *f)
{
	u64 end = f->end, forks = find_bytes(b, f, f->start, "\x0f\x05");
	u64 child = find_bytes(b, f, forks, "\x48\x89\xf4"); /* mov %rsi, %rsp */

	f->end = min(forks + 2, end);
	add_rows(b, f);
	add_whole(b, f->end, child, wick_rule(WICK_RULE_NONE, 0));
	add_whole(b, child, end, wick_rule_outermost());
}

static const struct {
	const char *name;
	void (*add)(struct build *b, struct function *f);
} specials[] = {
	{"_rt0_amd64_linux", add_top},
	{"_rt0_amd64", add_top},
	{"runtime.rt0_go", add_top},
	{"runtime.goexit", add_top},
	{"runtime.mcall", add_leaving},
	{"runtime.morestack", add_leaving},
	{"runtime.systemstack", add_borrowing},
	{"runtime.systemstack_switch", add_switch_mark},
	{"runtime.asmcgocall", add_borrowing},
	{"runtime.nanotime1", add_borrowing},
	{"runtime.walltime", add_borrowing},
	{"time.now", add_borrowing},
	{"runtime.clone", add_clone},
	{"runtime.sigreturn", add_sigreturn},
	{"runtime.sigreturn__sigaction", add_sigreturn}, /* from 1.19 on */
};

/* ---- all */

static void add_function(struct build *b, u32 number)
{
	struct function f = {.number = number};
	u64 entry = go_entry(&b->go, number), next = go_entry(&b->go, number + 1), room;

	if (next <= entry || !elf_eh_offset(b->go.elf, b->go.text + entry, &f.start, &room))
		return;
	f.end = f.start + min(next - entry, room);
	if (!f.start) /* that is the ELF header, and there is no byte before it */
		return;
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if (go_is_named(&b->go, number, specials[i].name)) {
			specials[i].add(b, &f);
			return;
		}
	add_rows(b, &f);
}

void gopclntab_add(const struct elf_eh *elf, struct rows *rows)
{
	struct build b = {.rows = rows};

	if (elf->machine != cfa_machine(EM_X86_64) || !go_begin(&b.go, elf))
		return;
	for (u32 i = 0; i < b.go.nr && b.go.work; i++)
		add_function(&b, i);
	rows->full |= b.go.cut;
	go_release(&b.go);
}
