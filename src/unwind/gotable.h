/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gotable.h: Go's table of functions, .gopclntab, which every Go program has, also a stripped one:
 * its runtime prints stacks by it (Go's src/runtime/symtab.go; Go 1.16 and later):
 *
 *	header     magic, number of functions, where the parts are
 *	functions  {entry, place of its record} of each, ascending; offsets in the text from 1.18 on
 *	records    {..., name, ..., pcsp, ...}
 *	names      NUL-terminated
 *	pctab      numbers by distance from a function's start, run-length coded
 *
 * The table is a stranger's: whatever it says of places is checked where it is used, and the work
 * is bounded.
 */
#ifndef WICK_GOTABLE_H
#define WICK_GOTABLE_H

#include "elf_eh.h"

enum { GO_CODE_ROOM = 1 << 16 };

/*
 * What differs between versions: where things are in the header, in words, and in a record, in
 * bytes.
 */
struct go_layout {
	u32 magic;
	u8 field; /* size of an entry in `functions`; 4: entries count from the text's start */
	u8 names, pctab, functions;
	u8 name, pcsp;
};

/* Code, read in pieces. */
struct go_code {
	u64 offset; /* in the file */
	size_t size;
	u8 bytes[GO_CODE_ROOM];
};

struct go {
	const struct elf_eh *elf;
	const struct go_layout *layout;
	u32 nr;		/* functions */
	u64 text;	/* address that entries count from */
	u32 code_align; /* unit of distances in pctab */
	u64 work;	/* left, in bytes looked at */
	bool cut;	/* no work is left: what was not looked at yet is missing */
	struct go_code *code;
};

/*
 * Reads the header, and finds out what entries count from. False: the file has no such table, or
 * none of a known version. `elf` stays the caller's, and has to live as long.
 */
bool go_begin(struct go *go, const struct elf_eh *elf);
void go_release(struct go *go);

/* False when no work is left: what is missing then is said. */
bool go_spend(struct go *go, u64 bytes);
/* A number of the table; 0 for one that is beyond its end. */
u64 go_number(const struct go *go, u64 at, u32 size);
/* A word of the header. */
u64 go_word(const struct go *go, u32 word);
/* Where a function begins, from go->text on; that of the last + 1 is the end of all. */
u64 go_entry(const struct go *go, u32 function);
/* A number in a field of a function's record; 0 where the table does not have it. */
u32 go_record(const struct go *go, u32 function, u32 within);
/* Its name, in the table; *size without its end. NULL: none that is whole. */
const char *go_name(const struct go *go, u32 function, size_t *size);
bool go_is_named(const struct go *go, u32 function, const char *name);
/* `size` bytes of the file, at most GO_CODE_ROOM; NULL: they are not there, or no work is left. */
const u8 *go_code(struct go *go, u64 offset, size_t size);

#endif
