/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbing.h: frames that are on the way of almost every stack and say little about any: how the
 * kernel is entered, how a thread is switched out or woken, how libc starts a program or a thread.
 * `--hide-plumbing` and the viewer leave them out: what they call joins their caller.
 *
 * Which system call it is (`__x64_sys_read`) and what was waited for (`futex_wait`, `pipe_read`)
 * are not among them.
 */
#ifndef WICK_PLUMBING_H
#define WICK_PLUMBING_H

#include "profile.h"
#include "runtimes.h"
#include "tree.h"

/*
 * By its name, up to a `.` (`.isra.0`) or `@` (a symbol's version). Where a file is known, only
 * libc's own start is plumbing: folded text without suffixes has kernel functions that look like
 * user ones, but a program's function `schedule` has a module.
 */
bool frame_is_plumbing(const struct strings *names, const struct tree_frame *frame);

/* Is it a function of an interpreter's program? `ref` is a row of profile.frames. */
bool frame_is_interpreted(const struct profile *p, u32 ref);
/* Does a stack have one? */
bool stack_is_interpreted(const struct profile *p, u32 stack);
/*
 * A function of Python's interpreter, which says little where its program's are known; but for the
 * one that takes the interpreter's lock.
 */
bool frame_is_interpreters(const struct profile *p, u32 ref);

#endif
