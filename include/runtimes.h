/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtimes.h: what is known by name of languages' runtimes: which files and functions say how a
 * program waits, and not where. One table has all of it (src/view/runtimes.c). What a thread waits
 * for is told by structure (why.h); these names only say where in a stack the program begins.
 */
#ifndef WICK_RUNTIMES_H
#define WICK_RUNTIMES_H

#include "base/strings.h"

/* How a library's functions wait for a lock, where the kernel sees only a futex. */
enum library_lock { NO_LIBRARY_LOCK, LOCK_BY_WORD, LOCK_OF_MONITOR };

/* libc, and the loader. */
bool file_is_libc(struct string name);
/* A library that is a language's runtime: the JVM. */
bool file_is_runtime(struct string name);
/* A function of a runtime that is in the program itself: Go's. */
bool function_is_runtimes(struct string name);
/* A method by which Java programs wait, of a class of Java's own. */
bool method_waits(struct string name);
/* The function at the root of each of a runtime's threads of its own making: goroutines. */
bool function_begins_goroutine(struct string name);
/* An interpreter, or its library: Python's. */
bool file_is_interpreter(struct string name);
/* A function of an interpreter's that says where the program waits, too: for its own lock. */
bool function_takes_interpreter(struct string name);
enum library_lock function_waits_for_lock(struct string name);
/* glibc's. */
bool function_waits_for_condition(struct string name);
bool function_waits_for_mutex(struct string name);

#endif
