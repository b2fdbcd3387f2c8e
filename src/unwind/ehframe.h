/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ehframe.h: the records of .eh_frame (LSB 5.0 Core section 10.6): CIEs, which say what many
 *functions have in common, and FDEs, one a function or a part of one.
 *
 *	length (4 bytes, or ffffffff and 8) | 0 for a CIE, else how far back its CIE is | content
 *
 * A length of 0 ends the section: "processing shall end" (10.6.1.1). One that stands in the middle
 *(a crtend.o that was not linked last) makes what follows unreachable to libgcc's own search too,
 *but not to its search by .eh_frame_hdr; so where the section's size is known from a section
 *header, a further record after the terminator is read if it begins with a sound CIE, as readelf
 *does.
 *
 * The file is a stranger's. The records are read once, front to back, a CIE is known only when its
 * record has been passed, and its instructions are run once: so the work is linear in the size,
 * whatever the pointers say.
 */
#ifndef WICK_EHFRAME_H
#define WICK_EHFRAME_H

#include "base/vec.h"
#include "cfa.h"

enum {
	EH_MAX_CIES = 1 << 16,
};

struct eh_section {
	const u8 *bytes;
	u64 size;
	u64 address;	 /* of bytes[0], before relocation */
	u64 data;	 /* what POINTER_DATAREL counts from: .eh_frame_hdr */
	bool size_known; /* else the end is where the terminator is */
};

struct eh_fde {
	u64 start, end;
	bool signal; /* a signal frame: the ip in it is no return address */
	struct cfa_program program;
	const struct cfa_rule *initial;
};

/* Called for each FDE that covers something. What `fde` points to is gone after the call. */
typedef void (*eh_fde_fn)(void *ctx, const struct eh_fde *fde);

struct eh_count {
	u64 fdes;
	u64 broken; /* records, that could not be read: what they cover has no rows */
	bool cut;   /* a record's length reaches beyond the end: the rest was not read */
};

void eh_frame_each(const struct eh_section *section, const struct cfa_machine *machine,
		   eh_fde_fn each, void *ctx, struct eh_count *count);

#endif
