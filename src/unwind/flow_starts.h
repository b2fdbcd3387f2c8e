/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_starts.h: what a file says of its code without unwind entries: which sections are code, and
 * where functions begin by its symbols and its entry point.
 */
#ifndef WICK_FLOW_STARTS_H
#define WICK_FLOW_STARTS_H

#include "base/vec.h"
#include "elf_eh.h"

struct flow_code {
	u64 offset, size; /* in the file */
};

struct flow_starts {
	VEC_FIELDS(u64); /* places in the file, ascending */
	struct {
		VEC_FIELDS(struct flow_code);
	} code;
	u64 entry; /* UINT64_MAX: none */
};

void flow_starts_init(struct flow_starts *starts, const struct elf_eh *elf);
void flow_starts_release(struct flow_starts *starts);
/* The first at or after a place. */
size_t flow_starts_from(const struct flow_starts *starts, u64 offset);

#endif
