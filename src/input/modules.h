/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules.h: what the name of a mapped file, as perf and pprof have it, tells of the functions in
 * it.
 */
#ifndef INPUT_MODULES_H
#define INPUT_MODULES_H

#include "base/strings.h"
#include "tree.h"

/* Without its directories. */
struct string module_base(struct string path);
/* False for "" and [unknown]; for a symbol, too. */
bool module_is_known(struct string name);
/* Of a function in it: of the kernel, made at run time, or a user's. */
enum frame_kind module_kind(struct string base, u64 address);
/* The frame of a function there that has no name: [libfoo.so], or [unknown]. */
struct tree_frame module_note(struct string base, struct strings *names);

#endif
