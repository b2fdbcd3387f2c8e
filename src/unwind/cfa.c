/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table row an instruction: its operands, and what it does to the state. A rule is told when the
 * program moves on to a further address, and only if it has changed since.
 */
#include "cfa.h"

#include <elf.h>

#include "expression.h"

static const struct cfa_machine x86_64 = {
	.number = {[CFA_RA] = 16, [CFA_FP] = 6, [CFA_BX] = 3, [CFA_SP] = 7},
	.nr_registers = 16,
	.ip = 16,
};

static const struct cfa_machine aarch64 = {
	.number = {[CFA_RA] = 30, [CFA_FP] = 29, [CFA_BX] = 19, [CFA_SP] = 31},
	.nr_registers = 32,
	.return_kept = true,
	.ip = 255,
};

const struct cfa_machine *cfa_machine(u16 elf_machine)
{
	return elf_machine == EM_X86_64 ? &x86_64 : elf_machine == EM_AARCH64 ? &aarch64 : NULL;
}

struct run {
	const struct cfa_program *program;
	struct reader r;
	u64 address, end;
	bool changed; /* the rule, since it was told */
	bool failed;
	enum wick_bad bad;
	struct cfa_rule rule, initial;
	u32 nr_states;
	struct cfa_rule states[CFA_MAX_STATES];
	cfa_sink sink;
	void *ctx;
};

enum operand {
	NOTHING,
	LOW, /* the opcode's low six bits */
	ULEB,
	SLEB,
	FACTORED,	 /* unsigned, times the data alignment */
	SIGNED_FACTORED, /* signed, times the data alignment */
	BYTE,
	HALF,
	WORD,
	LONG,
	ADDRESS,
	BLOCK, /* its size; run->r stands after it */
};

struct instruction {
	u8 first, second;		     /* operands */
	void (*run)(struct run *, u64, u64); /* NULL: does nothing */
};

static void give_up(struct run *run, enum wick_bad bad)
{
	if (!run->failed)
		run->bad = bad;
	run->failed = true;
}

static struct cfa_place *place_in(struct run *run, struct cfa_rule *rule, u64 reg)
{
	const struct cfa_machine *machine = run->program->machine;

	if (reg == run->program->ra)
		return &rule->column[CFA_RA];
	for (int i = CFA_FP; i < CFA_NR_COLUMNS; i++)
		if (reg == machine->number[i])
			return &rule->column[i];
	return NULL;
}

static void put(struct run *run, u64 reg, struct cfa_place place)
{
	struct cfa_place *column = place_in(run, &run->rule, reg);

	if (!column)
		return;
	*column = place;
	run->changed = true;
}

static void report_row(struct run *run)
{
	if (run->changed && run->sink)
		run->sink(run->ctx, run->address, &run->rule, 0);
	run->changed = false;
}

/* The bytes of the block that was just read. */
static const u8 *block(const struct run *run, u64 size)
{
	return run->r.at - size;
}

static void set_loc(struct run *run, u64 address, u64 unused)
{
	(void)unused;
	if (address < run->address) {
		give_up(run, WICK_BAD_OPCODE);
		return;
	}
	if (address > run->address)
		report_row(run);
	run->address = address;
}

static void advance_loc(struct run *run, u64 delta, u64 unused)
{
	u64 bytes;

	/* Far beyond any function is as good as its end. */
	if (__builtin_mul_overflow(delta, run->program->code_align, &bytes) ||
	    __builtin_add_overflow(run->address, bytes, &bytes))
		bytes = ~0ull;
	set_loc(run, bytes, unused);
}

static void offset(struct run *run, u64 reg, u64 value)
{
	put(run, reg, (struct cfa_place){.where = CFA_AT_CFA, .value = (s64)value});
}

/* GNU's, obsolete: the offset is written without its sign. */
static void negative_offset(struct run *run, u64 reg, u64 value)
{
	offset(run, reg, 0 - value);
}

static void val_offset(struct run *run, u64 reg, u64 value)
{
	put(run, reg, (struct cfa_place){.where = CFA_IS_CFA, .value = (s64)value});
}

static void restore(struct run *run, u64 reg, u64 unused)
{
	const struct cfa_place *initial = place_in(run, &run->initial, reg);

	(void)unused;
	if (initial)
		put(run, reg, *initial);
}

static void undefined(struct run *run, u64 reg, u64 unused)
{
	(void)unused;
	put(run, reg, (struct cfa_place){.where = CFA_UNDEFINED});
}

static void same_value(struct run *run, u64 reg, u64 unused)
{
	(void)unused;
	put(run, reg, (struct cfa_place){.where = CFA_KEPT});
}

static void in_register(struct run *run, u64 reg, u64 other)
{
	u8 number = (u8)min(other, (u64)255);

	put(run, reg, (struct cfa_place){.where = CFA_IN_REGISTER, .reg = number});
}

static void expression(struct run *run, u64 reg, u64 size)
{
	struct cfa_place place;

	expression_of_place(block(run, size), size, &place);
	put(run, reg, place);
}

static void val_expression(struct run *run, u64 reg, u64 size)
{
	(void)size;
	put(run, reg, (struct cfa_place){.where = CFA_ODD});
}

static void remember_state(struct run *run, u64 unused1, u64 unused2)
{
	(void)unused1, (void)unused2;
	if (run->nr_states == CFA_MAX_STATES)
		give_up(run, WICK_BAD_STATES);
	else
		run->states[run->nr_states++] = run->rule;
}

static void restore_state(struct run *run, u64 unused1, u64 unused2)
{
	(void)unused1, (void)unused2;
	if (!run->nr_states) {
		give_up(run, WICK_BAD_STATES);
		return;
	}
	run->rule = run->states[--run->nr_states];
	run->changed = true;
}

static void def_cfa(struct run *run, u64 reg, u64 value)
{
	run->rule.kind = CFA_REGISTER;
	run->rule.base = (u8)min(reg, (u64)255);
	run->rule.offset = (s64)value;
	run->changed = true;
}

/* DWARF allows the two that follow only where the CFA is a register and an offset. */
static void def_cfa_register(struct run *run, u64 reg, u64 unused)
{
	(void)unused;
	if (run->rule.kind == CFA_REGISTER)
		def_cfa(run, reg, (u64)run->rule.offset);
	else
		give_up(run, WICK_BAD_NO_CFA);
}

static void def_cfa_offset(struct run *run, u64 value, u64 unused)
{
	(void)unused;
	if (run->rule.kind == CFA_REGISTER)
		def_cfa(run, run->rule.base, value);
	else
		give_up(run, WICK_BAD_NO_CFA);
}

static void def_cfa_expression(struct run *run, u64 size, u64 unused)
{
	(void)unused;
	expression_of_cfa(run->program->machine, block(run, size), size, &run->rule);
	run->changed = true;
}

/* By the high two bits, where they are not 0. */
static const struct instruction packed[4] = {
	[1] = {LOW, NOTHING, advance_loc},
	[2] = {LOW, FACTORED, offset},
	[3] = {LOW, NOTHING, restore},
};

#define NO_INSTRUCTION BLOCK /* as a second operand without a first */

/*
 * DWARF 5 section 7.24, and the vendors'. AARCH64_negate_ra_state says that the return address is
 * signed from here on; its signature is masked off in every case. GNU_args_size matters to landing
 * pads only.
 */
static const struct instruction extended[64] = {
	[0x01] = {ADDRESS, NOTHING, set_loc},
	[0x02] = {BYTE, NOTHING, advance_loc},
	[0x03] = {HALF, NOTHING, advance_loc},
	[0x04] = {WORD, NOTHING, advance_loc},
	[0x05] = {ULEB, FACTORED, offset},
	[0x06] = {ULEB, NOTHING, restore},
	[0x07] = {ULEB, NOTHING, undefined},
	[0x08] = {ULEB, NOTHING, same_value},
	[0x09] = {ULEB, ULEB, in_register},
	[0x0a] = {NOTHING, NOTHING, remember_state},
	[0x0b] = {NOTHING, NOTHING, restore_state},
	[0x0c] = {ULEB, ULEB, def_cfa},
	[0x0d] = {ULEB, NOTHING, def_cfa_register},
	[0x0e] = {ULEB, NOTHING, def_cfa_offset},
	[0x0f] = {BLOCK, NOTHING, def_cfa_expression},
	[0x10] = {ULEB, BLOCK, expression},
	[0x11] = {ULEB, SIGNED_FACTORED, offset},
	[0x12] = {ULEB, SIGNED_FACTORED, def_cfa},
	[0x13] = {SIGNED_FACTORED, NOTHING, def_cfa_offset},
	[0x14] = {ULEB, FACTORED, val_offset},
	[0x15] = {ULEB, SIGNED_FACTORED, val_offset},
	[0x16] = {ULEB, BLOCK, val_expression},
	[0x17 ... 0x1c] = {NOTHING, NO_INSTRUCTION, NULL},
	[0x1d] = {LONG, NOTHING, advance_loc}, /* MIPS_advance_loc8 */
	[0x1e ... 0x2b] = {NOTHING, NO_INSTRUCTION, NULL},
	[0x2c] = {},			/* AARCH64_negate_ra_state_with_pc */
	[0x2d] = {},			/* AARCH64_negate_ra_state */
	[0x2e] = {ULEB, NOTHING, NULL}, /* GNU_args_size */
	[0x2f] = {ULEB, FACTORED, negative_offset},
	[0x30 ... 0x3f] = {NOTHING, NO_INSTRUCTION, NULL},
};

static u64 operand(struct run *run, u8 form, u8 opcode)
{
	u64 factor = (u64)run->program->data_align, size;

	switch ((enum operand)form) {
	case NOTHING:
		return 0;
	case LOW:
		return opcode & 0x3f;
	case ULEB:
		return reader_uleb(&run->r);
	case FACTORED:
		return reader_uleb(&run->r) * factor;
	case SLEB:
		return (u64)reader_sleb(&run->r);
	case SIGNED_FACTORED:
		return (u64)reader_sleb(&run->r) * factor;
	case BYTE:
		return reader_number(&run->r, 1);
	case HALF:
		return reader_number(&run->r, 2);
	case WORD:
		return reader_number(&run->r, 4);
	case LONG:
		return reader_number(&run->r, 8);
	case ADDRESS:
		return reader_pointer(&run->r, run->program->pointer_encoding,
				      &run->program->bases);
	case BLOCK:
		size = reader_uleb(&run->r);
		return reader_take(&run->r, size) ? size : 0;
	}
	return 0;
}

static void run_one(struct run *run)
{
	u8 opcode = (u8)reader_number(&run->r, 1);
	const struct instruction *instruction =
		opcode >> 6 ? &packed[opcode >> 6] : &extended[opcode];
	u64 first, second;

	if (instruction->first == NOTHING && instruction->second == NO_INSTRUCTION) {
		give_up(run, WICK_BAD_OPCODE);
		return;
	}
	first = operand(run, instruction->first, opcode);
	second = operand(run, instruction->second, opcode);
	if (run->r.cut)
		give_up(run, WICK_BAD_CUT);
	else if (instruction->run)
		instruction->run(run, first, second);
}

static void run_all(struct run *run)
{
	while (!run->failed && run->r.at < run->r.end && run->address < run->end)
		run_one(run);
}

bool cfa_initial(const struct cfa_program *program, struct cfa_rule *initial)
{
	struct run run;

	/* The states, 1 KB or more each, are written before they are read. */
	memset(&run, 0, offsetof(struct run, states));
	run.program = program;
	run.r = reader_of(program->bytes, program->size);
	run.end = ~0ull;
	run.sink = NULL;
	if (program->machine->return_kept)
		run.rule.column[CFA_RA] = (struct cfa_place){
			.where = CFA_IN_REGISTER, .reg = program->machine->number[CFA_RA]};
	run.initial = run.rule;
	run_all(&run);
	if (run.failed)
		return false;
	*initial = run.rule;
	return true;
}

void cfa_run(const struct cfa_program *program, const struct cfa_rule *initial, u64 start, u64 end,
	     cfa_sink sink, void *ctx)
{
	struct run run;

	run.program = program;
	run.r = reader_of(program->bytes, program->size);
	run.address = start;
	run.end = end;
	run.changed = true;
	run.failed = false;
	run.rule = run.initial = *initial;
	run.nr_states = 0;
	run.sink = sink;
	run.ctx = ctx;
	run_all(&run);
	if (run.failed)
		sink(ctx, run.address, NULL, run.bad);
	else if (run.address < end)
		report_row(&run);
}
