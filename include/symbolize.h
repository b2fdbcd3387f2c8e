/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbolize.h: names for the distinct addresses of a profile, never per sample.
 *
 * Every frame gets a function: by its kernel symbol, its file's symbols, its process's perf map;
 * and where nothing knows it, a note: `[libfoo.so.1]` for an address in a file, `[unknown]`
 * elsewhere, so that no frame is silently absent. C++ and Rust names are demangled (libiberty);
 * overloaded C++ names keep their parameters; Rust's legacy hash goes away.
 */
#ifndef WICK_SYMBOLIZE_H
#define WICK_SYMBOLIZE_H

#include "files.h"
#include "base/strbuf.h"
#include "profile.h"

/*
 * A source of kernel names. `names` calls answer(ctx, i, name, module) for those of the `nr`
 * addresses, sorted ascending, that it knows; module is NULL for the kernel itself. Returns 0, or a
 * negative errno when the source cannot be used on this host (then the next one is asked).
 */
struct kernel_namer {
	const char *name; /* for messages: "bpf", "/proc/kallsyms" */
	int (*names)(void *self, const u64 *addresses, size_t nr,
		     void (*answer)(void *ctx, size_t i, const char *name, const char *module),
		     void *ctx);
	void *self;
};

/* Reads /proc/kallsyms (`path`, for tests); -EPERM where it shows only zeros. */
struct kernel_namer kallsyms_namer(const char *path);

/*
 * Fills `function` of all frames. `namers` is a chain, in order of preference. Files that do not
 * answer within `timeout_ms` each are passed over with a note. Sets `state` of files and images
 * that frames asked for, and p->naming. `with_lines`: also `source` of frames in files.
 */
void symbolize(struct profile *p, struct files *files, const struct kernel_namer *namers,
	       size_t nr_namers, unsigned int timeout_ms, bool with_lines);

/* Appends the demangled form of a symbol name, or the name itself. Bounded: absurd names stay as
 * they are. */
void demangle(struct strbuf *out, const char *name, size_t size);

#endif
