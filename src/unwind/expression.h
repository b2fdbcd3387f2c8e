/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expression.h: the DWARF expressions (section 2.5) that stand in unwind entries, recognised by
 *their form. A machine that runs any expression would have to be in the kernel too; compilers,
 *linkers and libc write five forms, and the others are counted:
 *
 *	breg R, N                                       R + N
 *	breg R, N; deref                                *(R + N)
 *	breg R, N; deref; plus_uconst A                 *(R + N) + A
 *	breg R, N; deref; litA; plus                    the same
 *	breg rsp, 8; breg rip, 0; lit15; and; litM; ge; lit3; shl; plus      PLT entries
 */
#ifndef WICK_EXPRESSION_H
#define WICK_EXPRESSION_H

#include "cfa.h"

/* Fills what the expression gives for a CFA into kind, base, offset and add. */
void expression_of_cfa(const struct cfa_machine *machine, const u8 *bytes, size_t size,
		       struct cfa_rule *rule);
/* The place that an expression computes for a register: where, reg and value. */
void expression_of_place(const u8 *bytes, size_t size, struct cfa_place *place);

#endif
