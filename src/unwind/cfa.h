/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfa.h: runs the program of a function's unwind entry (DWARF 5 section 6.4.2) and tells, for each
 * stretch of the function, the rule that finds the caller's registers.
 *
 * A full rule has a place for every register. Here it has those of four, which is what a walk
 * needs: the return address, the frame pointer, rbx and the stack pointer. So a state is small, is
 * copied freely, and what the program says of other registers is read and forgotten.
 */
#ifndef WICK_CFA_H
#define WICK_CFA_H

#include "base/base.h"
#include "pointer.h"
#include "unwind.h"

enum {
	CFA_MAX_STATES = 16, /* remembered at once; gcc and clang use one */
};

/* The registers that are tracked. */
enum cfa_column {
	CFA_RA,
	CFA_FP,
	CFA_BX,
	CFA_SP,
	CFA_NR_COLUMNS,
};

enum cfa_kind {
	CFA_UNSET,    /* nothing was said yet */
	CFA_REGISTER, /* base + offset */
	CFA_DEREF,    /* *(base + offset) + add */
	CFA_PLT,      /* rsp + 8 + 8 * ((ip & 15) >= offset) */
	CFA_STRANGE,  /* an expression that is not known */
};

enum cfa_where {
	CFA_KEPT,	 /* in the register still */
	CFA_UNDEFINED,	 /* gone; for the return address: there is no caller */
	CFA_AT_CFA,	 /* at CFA + value */
	CFA_IS_CFA,	 /* is CFA + value itself */
	CFA_AT_BASE,	 /* at register `reg` + value */
	CFA_IN_REGISTER, /* in `reg` */
	CFA_ODD,	 /* an expression that is not known */
};

struct cfa_place {
	u8 where;
	u8 reg;
	s64 value;
};

struct cfa_rule {
	u8 kind;
	u8 base; /* register numbers above 254 are 255 */
	s64 offset, add;
	struct cfa_place column[CFA_NR_COLUMNS];
};

/* What differs between machines: the registers' numbers, by the psABIs. */
struct cfa_machine {
	u8 number[CFA_NR_COLUMNS]; /* of DWARF; that of the return address is the CIE's to say */
	u8 nr_registers;	   /* general ones, whose values a walk may know */
	bool return_kept;	   /* the return address begins in its register (AArch64's x30) */
	u8 ip;			   /* the program counter's own number, in expressions */
};

/* By ELF's e_machine; NULL: unknown. */
const struct cfa_machine *cfa_machine(u16 elf_machine);

struct cfa_program {
	const struct cfa_machine *machine;
	u64 code_align;
	s64 data_align;
	u64 ra;			    /* the column of the return address */
	u8 pointer_encoding;	    /* of DW_CFA_set_loc */
	struct pointer_bases bases; /* for it */
	const u8 *bytes;
	size_t size;
};

/* What is told: from `address` on, `rule`, or `bad` (an enum wick_bad) where rule is NULL. */
typedef void (*cfa_sink)(void *ctx, u64 address, const struct cfa_rule *rule, enum wick_bad bad);

/* A CIE's instructions: the rule with which its functions begin. False when they are broken. */
bool cfa_initial(const struct cfa_program *program, struct cfa_rule *initial);

/* A function's instructions, for [start, end). The sink gets ascending addresses. */
void cfa_run(const struct cfa_program *program, const struct cfa_rule *initial, u64 start, u64 end,
	     cfa_sink sink, void *ctx);

#endif
