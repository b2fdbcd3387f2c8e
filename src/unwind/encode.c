/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule of the CFA program -> the 22 bits of a row. Nearly all fit: CFA = rsp or rbp + 8n, the
 * return address at CFA - 8, rbp and rbx within 64 bytes below the CFA. Else a special; else a
 * reason.
 */
#include "rows.h"

/* k for CFA - 8 * (k + 1), 0 for a register that is kept; false: no such k. */
static bool small_place(const struct cfa_place *place, u32 *k)
{
	if (place->where == CFA_KEPT || place->where == CFA_UNDEFINED) {
		*k = 0;
		return true;
	}
	if (place->where != CFA_AT_CFA || place->value % 8 || place->value > -16 ||
	    place->value < -8 * (WICK_RULE_PLACE_MAX + 1))
		return false;
	*k = (u32)(-place->value / 8 - 1);
	return true;
}

/* The common rules; false when it is none. */
static bool plain_rule(const struct cfa_machine *machine, const struct cfa_rule *rule, u32 *found)
{
	const struct cfa_place *ra = &rule->column[CFA_RA];
	u32 kind, fp, bx;

	if (rule->kind != CFA_REGISTER || ra->where != CFA_AT_CFA || ra->value != -8 ||
	    rule->offset < 0 || rule->offset % 8 || rule->offset / 8 > WICK_RULE_N_MAX)
		return false;
	if (rule->base == machine->number[CFA_SP])
		kind = WICK_RULE_SP;
	else if (rule->base == machine->number[CFA_FP])
		kind = WICK_RULE_FP;
	else
		return false;
	if (!small_place(&rule->column[CFA_FP], &fp) || !small_place(&rule->column[CFA_BX], &bx))
		return false;
	*found = wick_rule(kind, bx << WICK_RULE_BX_SHIFT | fp << WICK_RULE_FP_SHIFT |
					 (u32)(rule->offset / 8));
	return true;
}

static bool fits(s64 value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* A place as specials have it. False with the reason. */
static bool special_place(const struct cfa_machine *machine, const struct cfa_rule *rule,
			  const struct cfa_place *place, u8 *how, s32 *value, enum wick_bad *bad)
{
	s64 at = place->value;

	switch ((enum cfa_where)place->where) {
	case CFA_KEPT:
	case CFA_UNDEFINED:
		*how = WICK_PLACE_KEPT;
		return true;
	case CFA_IN_REGISTER:
		*how = WICK_PLACE_IN_REGISTER;
		*value = place->reg;
		*bad = WICK_BAD_REGISTER;
		return place->reg < machine->nr_registers;
	case CFA_AT_BASE: /* relative to the CFA, if that is counted from the same register */
		*how = WICK_PLACE_AT_FP;
		if (rule->kind == CFA_REGISTER && rule->base == place->reg) {
			*how = WICK_PLACE_AT_CFA;
			*bad = WICK_BAD_OFFSET;
			if (__builtin_sub_overflow(at, rule->offset, &at))
				return false;
		} else if (place->reg != machine->number[CFA_FP]) {
			*bad = WICK_BAD_PLACE_EXPRESSION;
			return false;
		}
		break;
	case CFA_AT_CFA:
		*how = WICK_PLACE_AT_CFA;
		break;
	case CFA_IS_CFA:
	case CFA_ODD:
		*bad = WICK_BAD_PLACE_EXPRESSION;
		return false;
	}
	*value = (s32)at;
	*bad = WICK_BAD_OFFSET;
	return fits(at);
}

/* Whether the caller's stack pointer is the CFA, which every step takes for granted. */
static bool stack_pointer_is_cfa(const struct cfa_place *sp)
{
	return sp->where == CFA_KEPT || sp->where == CFA_UNDEFINED ||
	       (sp->where == CFA_IS_CFA && !sp->value);
}

/* Whether the CFA can be told; false with the reason. */
static bool special_cfa(const struct cfa_machine *machine, const struct cfa_rule *rule,
			struct wick_unwind_special *special, enum wick_bad *bad)
{
	*bad = rule->kind == CFA_UNSET ? WICK_BAD_NO_CFA : WICK_BAD_CFA_EXPRESSION;
	if (rule->kind != CFA_REGISTER && rule->kind != CFA_DEREF)
		return false;
	*bad = WICK_BAD_REGISTER;
	if (rule->base >= machine->nr_registers)
		return false;
	*bad = WICK_BAD_OFFSET;
	if (!fits(rule->offset) || rule->add < INT16_MIN || rule->add > INT16_MAX)
		return false;
	special->base = rule->base;
	special->deref = rule->kind == CFA_DEREF;
	special->offset = (s32)rule->offset;
	special->add = (int16_t)(special->deref ? rule->add : 0);
	return true;
}

static bool special_rule(const struct cfa_machine *machine, const struct cfa_rule *rule,
			 struct wick_unwind_special *special, enum wick_bad *bad)
{
	const struct cfa_place *column = rule->column;

	if (!special_cfa(machine, rule, special, bad))
		return false;
	*bad = WICK_BAD_STACK_POINTER;
	if (!stack_pointer_is_cfa(&column[CFA_SP]))
		return false;
	/* Not in memory, and the walk does not follow the machine's own return address column. */
	*bad = WICK_BAD_REGISTER;
	if (column[CFA_RA].where == CFA_KEPT)
		return false;
	return special_place(machine, rule, &column[CFA_RA], &special->ra_place, &special->ra,
			     bad) &&
	       special_place(machine, rule, &column[CFA_FP], &special->fp_place, &special->fp,
			     bad) &&
	       special_place(machine, rule, &column[CFA_BX], &special->bx_place, &special->bx, bad);
}

/* The place of a special among those that are known, which it joins. */
static u32 intern(struct rows *rows, const struct wick_unwind_special *special)
{
	u64 hash = hash_bytes(special, sizeof(*special));
	struct table_probe probe = table_probe(&rows->known, hash);

	while (table_next(&probe))
		if (!memcmp(&rows->specials.at[probe.ref], special, sizeof(*special)))
			return wick_rule(WICK_RULE_SPECIAL, probe.ref);
	if (rows->specials.nr == ROWS_MAX_SPECIALS)
		return wick_rule(WICK_RULE_BAD, WICK_BAD_TOO_MANY);
	table_insert(&rows->known, hash, (u32)rows->specials.nr);
	*vec_add(&rows->specials) = *special;
	return wick_rule(WICK_RULE_SPECIAL, (u32)rows->specials.nr - 1);
}

/*
 * glibc's _dl_runtime_resolve for AArch64 counts from where the PLT's entry, which jumps to it, has
 * left the stack pointer: 16 bytes down, with the return address in the upper 8. The caller's stack
 * pointer is above the return address.
 */
static struct cfa_rule above_return_address(const struct rows *rows, const struct cfa_rule *rule)
{
	const struct cfa_place *ra = &rule->column[CFA_RA];
	struct cfa_rule above = *rule;

	if (!rows->machine->return_kept || rule->kind != CFA_REGISTER || ra->where != CFA_AT_CFA ||
	    ra->value != 8 || !fits(rule->offset))
		return above;
	above.offset += 16;
	for (u32 i = 0; i < CFA_NR_COLUMNS; i++)
		if (above.column[i].where == CFA_AT_CFA && fits(above.column[i].value))
			above.column[i].value -= 16;
	return above;
}

u32 rows_rule(struct rows *rows, const struct cfa_rule *said)
{
	const struct cfa_rule above = above_return_address(rows, said), *rule = &above;
	struct wick_unwind_special special = {};
	enum wick_bad bad;
	u32 plain;

	if (rule->column[CFA_RA].where == CFA_UNDEFINED)
		return wick_rule_outermost();
	if (stack_pointer_is_cfa(&rule->column[CFA_SP]) && plain_rule(rows->machine, rule, &plain))
		return plain;
	if (rule->kind == CFA_PLT && rule->offset < 16)
		return wick_rule(WICK_RULE_ODD, WICK_PLT + (u32)rule->offset);
	if (!special_rule(rows->machine, rule, &special, &bad))
		return wick_rule(WICK_RULE_BAD, bad);
	return intern(rows, &special);
}
