/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naming.h: answers become functions of frames: at the end of a run, and when they come later. */
#ifndef NAMES_NAMING_H
#define NAMES_NAMING_H

#include "lines.h"
#include "profile.h"
#include "symbolize.h"

u32 demangled_function(struct profile *p, const char *name, size_t size, const char *module,
		       enum frame_kind kind);

/*
 * Names kernel frames by the first source that can be used, which p->naming.kernel is then; returns
 * the last one's error. `frames` are by address; those that it does not know stay what they are.
 */
int name_kernel_frames(struct profile *p, const u32 *frames, const u64 *addresses, size_t nr,
		       const struct kernel_namer *namers, size_t nr_namers);

/*
 * What is known of lines, for the frames that were asked for, in this order. A frame without a name
 * gets its function's, if lines know that.
 */
void take_source_lines(struct profile *p, const u32 *frames, const struct files_lines *lines,
		       const char *module);

#endif
