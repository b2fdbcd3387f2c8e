/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pythons.h: which files are Python interpreters, and which native frames are their evaluator's:
 * in whose place Python's own frames belong (python.h).
 */
#ifndef PYTHONS_H
#define PYTHONS_H

#include "scratch.h"

/* User space fills in a row before a file in `known_files` names it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_PYTHONS);
	__type(key, u32);
	__type(value, struct wick_python);
} pythons __weak SEC(".maps");

static __always_inline const struct wick_python *python_of(const struct python_walk *p)
{
	u32 row = p->number - 1;

	return bpf_map_lookup_elem(&pythons, &row);
}

/*
 * WICK_FRAME_EVALUATOR where the offset in the interpreter's file is the evaluator's, which is
 * noted; `base` is where the file's first byte would be. What its stack is does not depend on words
 * of the C stack alone.
 */
VERIFIED_ONCE u64 python_mark(struct walk *walk, u32 number, u64 offset, u64 base)
{
	const struct wick_python *python;
	u32 row = number - 1;

	if (!walk)
		return 0;
	python = bpf_map_lookup_elem(&pythons, &row);
	if (!python || offset < python->eval_begin || offset >= python->eval_end)
		return 0;
	walk->python.number = number;
	walk->python.base = base;
	walk->notes.unfit = true;
	return WICK_FRAME_EVALUATOR;
}

#endif
