/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow.h"

#include "code_hole.h"
#include "flow_starts.h"

enum {
	MAX_CODE = 32 << 20, /* of a file */
	MAX_WORK = 24000000, /* instructions looked at, of a file: about 1.3 s */
	MIN_HOLE = 32,	     /* what is shorter is padding, or not worth it */
	LARGE_HOLE = 512 << 10,
	SAMPLE = 128 << 10, /* of a large hole */
	FRAMES_IN = 8,	    /* returns, one of which goes with a frame pointer that was set */
};

struct finder {
	const struct elf_eh *elf;
	struct rows *rows;
	const struct code_machine *machine;
	struct flow_starts starts; /* of the whole file */
	u64 left;		   /* of MAX_CODE */
	u64 work;		   /* of MAX_WORK */
};

/* How often the bytes are in the code. */
static u32 occurrences(const u8 *code, size_t size, const struct code_bytes *bytes)
{
	const u8 *at = code, *end = code + size;
	u32 nr = 0;

	while ((at = memmem(at, (size_t)(end - at), bytes->at, bytes->size))) {
		at += bytes->size;
		nr++;
	}
	return nr;
}

/*
 * Whether a large stretch of code keeps frame pointers, by what is in its middle: the walk goes by
 * those. Such are V8's own functions in node, and all of Chromium: to follow them takes seconds.
 */
static bool keeps_frame_pointers(const struct finder *f, u64 begin, u64 end)
{
	_cleanup_free_ u8 *code = xcalloc(1, SAMPLE);
	u32 frames, returns;

	if (!elf_eh_read(f->elf, begin + (end - begin - SAMPLE) / 2, code, SAMPLE))
		return false;
	frames = occurrences(code, SAMPLE, &f->machine->set_frame_pointer);
	returns = occurrences(code, SAMPLE, &f->machine->ret);
	return frames && frames >= returns / FRAMES_IN;
}

static void look_into(struct finder *f, u64 begin, u64 end)
{
	struct code_hole hole;
	u64 allowed;

	if (end - begin < MIN_HOLE)
		return;
	if (end - begin >= LARGE_HOLE && keeps_frame_pointers(f, begin, end))
		return;
	if (f->left < end - begin || !f->work) {
		f->rows->full = true;
		return;
	}
	f->left -= end - begin;
	if (!code_hole_init(&hole, f->elf, f->machine, begin, end))
		return;
	for (size_t i = flow_starts_from(&f->starts, begin);
	     i < f->starts.nr && f->starts.at[i] < end; i++)
		code_hole_start(&hole, f->starts.at[i]);
	allowed = hole.work = min(hole.work, f->work);
	code_hole_follow(&hole);
	f->work -= allowed - hole.work;
	f->rows->full |= !hole.work;
	code_hole_rows(&hole, f->starts.entry, f->rows);
	code_hole_release(&hole);
}

/* The holes in [begin, end) between the first `nr` functions. */
static void find_holes(struct finder *f, size_t nr, u64 begin, u64 end)
{
	u64 covered = begin;

	for (size_t i = 0; i < nr && covered < end; i++) {
		struct row_function function = f->rows->functions.at[i];

		if (function.end <= covered)
			continue;
		if (function.start > covered)
			look_into(f, covered, min((u64)function.start, end));
		covered = function.end;
	}
	if (covered < end)
		look_into(f, covered, end);
}

void flow_add(const struct elf_eh *elf, struct rows *rows)
{
	struct finder f = {
		.elf = elf,
		.rows = rows,
		.machine = elf->machine == cfa_machine(EM_X86_64) ? &code_x86 : &code_arm64,
		.left = MAX_CODE,
		.work = MAX_WORK,
	};
	size_t nr = rows->functions.nr;

	flow_starts_init(&f.starts, elf);
	for (size_t i = 0; i < f.starts.code.nr; i++)
		find_holes(&f, nr, f.starts.code.at[i].offset,
			   f.starts.code.at[i].offset + f.starts.code.at[i].size);
	flow_starts_release(&f.starts);
	rows_sort(rows);
}
