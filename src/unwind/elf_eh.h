/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_eh.h: what unwinding needs of an ELF file: where its text lies, and the bytes of .eh_frame
 * and of Go's .gopclntab.
 *
 * Read with pread, every place and size checked, for the reasons that src/files/elf.h gives
 * against libelf; that header is another stage's. 64-bit files only: 32-bit programs use other
 * registers.
 */
#ifndef WICK_ELF_EH_H
#define WICK_ELF_EH_H

#include <elf.h>

#include "base/base.h"
#include "ehframe.h"

enum {
	ELF_EH_MAX_SEGMENTS = 64,
	ELF_EH_MAX_SECTIONS = 65536,
	/* Of .eh_frame, libLLVM has 5 MB for 50 MB of code; of .gopclntab, kubelet 25 MB for 40. */
	ELF_EH_MAX_BYTES = 64 << 20,
};
/* Text beyond this place of a file is left out: a table's offsets have 32 bits. */
#define ELF_EH_MAX_OFFSET UINT32_MAX

/* A file, or an image in memory (the vdso). */
struct elf_bytes {
	int fd;
	const void *memory; /* not NULL: used instead of fd */
	u64 size;
};

/* The part of a PT_LOAD with the right to execute that is there in the file: never empty. */
struct elf_text {
	u64 address, offset, size;
};

struct elf_eh {
	struct elf_bytes file; /* as it was given, the caller's */
	const struct cfa_machine *machine;
	u64 entry;	 /* address; 0: none */
	u64 sections;	 /* where their headers are */
	u32 nr_sections; /* 0: there are none */
	bool cut;	 /* there is text beyond ELF_EH_MAX_OFFSET */
	u32 nr_texts;
	struct elf_text texts[ELF_EH_MAX_SEGMENTS];
	struct eh_section section; /* bytes NULL where the file has none */
	u8 *owned;
	u8 *gopclntab; /* owned; NULL where the file has none, or one beyond the bound */
	u64 gopclntab_size, gopclntab_address;
};

/*
 * -ENOEXEC: no ELF file of this kind, or a broken one; -EFBIG: .eh_frame is beyond the bound.
 * A file without .eh_frame is no error.
 */
int elf_eh_init(struct elf_eh *elf, const struct elf_bytes *bytes);
/* The same without .eh_frame. */
int elf_eh_init_go(struct elf_eh *elf, const struct elf_bytes *bytes);
void elf_eh_release(struct elf_eh *elf);
/* False when not all of it is there. */
bool elf_eh_read(const struct elf_eh *elf, u64 offset, void *to, size_t size);

/* The header of a section; false when it is not there. */
bool elf_eh_section(const struct elf_eh *elf, u32 i, Elf64_Shdr *section);

/* The address of a place in the file; false: it is not text. */
bool elf_eh_address(const struct elf_eh *elf, u64 offset, u64 *address);
/*
 * The place of an address in the file; false: it is not text. `room`: bytes to the segment's end,
 * so that *offset + *room is in the file, and at most ELF_EH_MAX_OFFSET.
 */
bool elf_eh_offset(const struct elf_eh *elf, u64 address, u64 *offset, u64 *room);

#endif
