/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapping.h: an executable mapping of a process, between the stages that follow processes and those
 * that need its file.
 */
#ifndef WICK_MAPPING_H
#define WICK_MAPPING_H

#include "base/base.h"

enum mapping_kind {
	MAPPING_FILE,
	MAPPING_CODE, /* executable memory that no file backs: a JIT's */
	MAPPING_VDSO,
	MAPPING_KERNELS, /* [vsyscall], [uprobes]: the kernel's own pages in user space */
};

struct mapping {
	u64 start, end;
	u64 offset; /* of `start` in the file or the vdso */
	u32 file;   /* a row in profile.files for MAPPING_FILE, else 0 */
	enum mapping_kind kind;
};

#endif
