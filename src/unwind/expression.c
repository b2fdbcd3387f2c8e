/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expression.h"

/* DWARF 5 section 7.7.1 */
enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
};

static bool take_op(struct reader *r, u8 op)
{
	if (r->at == r->end || *r->at != op)
		return false;
	r->at++;
	return true;
}

static bool take_literal(struct reader *r, s64 *value)
{
	if (r->at == r->end || *r->at < OP_LIT0 || *r->at > OP_LIT31)
		return false;
	*value = *r->at++ - OP_LIT0;
	return true;
}

static bool take_base(struct reader *r, u8 *reg, s64 *offset)
{
	u8 op = (u8)reader_number(r, 1);

	if (op >= OP_BREG0 && op <= OP_BREG31)
		*reg = op - OP_BREG0;
	else if (op == OP_BREGX)
		*reg = (u8)min(reader_uleb(r), (u64)255);
	else
		return false;
	*offset = reader_sleb(r);
	return !r->cut;
}

/* What the linker writes for its PLT, the part after breg rsp: the byte at which the entry has
 * pushed. */
static bool take_plt(struct reader *r, const struct cfa_machine *machine, s64 *pushed)
{
	s64 mask, shift, zero;
	u8 reg;

	return take_base(r, &reg, &zero) && reg == machine->ip && !zero && take_literal(r, &mask) &&
	       mask == 15 && take_op(r, OP_AND) && take_literal(r, pushed) && take_op(r, OP_GE) &&
	       take_literal(r, &shift) && shift == 3 && take_op(r, OP_SHL) && take_op(r, OP_PLUS) &&
	       r->at == r->end;
}

static bool take_addition(struct reader *r, s64 *add)
{
	*add = 0;
	if (take_op(r, OP_PLUS_UCONST))
		*add = (s64)reader_uleb(r);
	else if (take_literal(r, add))
		return take_op(r, OP_PLUS) && r->at == r->end;
	return r->at == r->end && !r->cut;
}

void expression_of_cfa(const struct cfa_machine *machine, const u8 *bytes, size_t size,
		       struct cfa_rule *rule)
{
	struct reader r = reader_of(bytes, size);

	rule->kind = CFA_STRANGE;
	if (!take_base(&r, &rule->base, &rule->offset))
		return;
	if (r.at == r.end) {
		rule->kind = CFA_REGISTER;
	} else if (take_op(&r, OP_DEREF)) {
		if (take_addition(&r, &rule->add))
			rule->kind = CFA_DEREF;
	} else if (rule->base == machine->number[CFA_SP] && rule->offset == 8 &&
		   take_plt(&r, machine, &rule->offset)) {
		rule->kind = CFA_PLT;
	}
}

void expression_of_place(const u8 *bytes, size_t size, struct cfa_place *place)
{
	struct reader r = reader_of(bytes, size);

	*place = (struct cfa_place){.where = CFA_ODD};
	if (take_base(&r, &place->reg, &place->value) && r.at == r.end)
		place->where = CFA_AT_BASE;
}
