/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugdata.h: the symbols that a stripped file brings along, packed: section .gnu_debugdata, an
 * ELF file with the functions that .dynsym lacks, compressed by xz (gdb's manual, "Debugging
 * information in a special section"). Fedora, RHEL and SUSE ship most of their programs so.
 *
 * A few KB of xz can become any number of GB: at most 64 MB are unpacked, in at most 128 MB.
 */
#ifndef FILES_DEBUGDATA_H
#define FILES_DEBUGDATA_H

#include "elf.h"

struct debugdata {
	struct elf elf;
	void *memory; /* what it lies in */
};

/*
 * Unpacks the section. -ENOENT: there is none; -EFBIG: more comes out of it than the bound;
 * -EINVAL: it is broken.
 */
int debugdata_init(struct debugdata *data, const struct elf *elf);
void debugdata_release(struct debugdata *data);

/* Of xz's bytes alone: *to is the caller's. Returns how many there are, or a negative errno. */
ssize_t debugdata_unpack(const void *from, size_t size, void **to);

#endif
