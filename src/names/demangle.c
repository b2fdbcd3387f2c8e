/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.c: C++, Rust and D names, by libiberty, which gdb and c++filt use.
 *
 * A name may be written to harm: substitutions let 100 bytes print as gigabytes (PR demangler/98886
 * and its kin). So the printing variants with a callback are used, which work on the stack only,
 * and the callback jumps out when the result is too long; the name is shown as it is then.
 *
 * Suffixes that compilers add for clones stay, as they do on C names: `f(int).isra.0`. What LLVM
 * adds for link-time optimization, `.llvm.8127341`, changes with each build and goes away.
 */
#include "symbolize.h"

#include <setjmp.h>

/* libiberty.h has another xrealloc() and xmemdup(); what is used here calls neither. */
#define LIBIBERTY_H
#include <libiberty/ansidecl.h>
#include <libiberty/demangle.h>

enum {
	MANGLED_MAX = 4096,
	DEMANGLED_MAX = 32 << 10,
	D_MAX = 1024,
	D_EXPANDED_MAX = 1 << 20,
	RUST_HASH_SIZE = 20, /* 17h0123456789abcdefE */
	OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
};

struct printing {
	struct strbuf *out;
	size_t before; /* size of *out */
	jmp_buf too_long;
};

static void print(const char *text, size_t size, void *opaque)
{
	struct printing *p = opaque;

	if (p->out->size - p->before + size > DEMANGLED_MAX)
		longjmp(p->too_long, 1);
	strbuf_add(p->out, text, size);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
		      void *opaque);

/* Appends the result, or nothing. */
static bool try(demangler *demangle_one, const char *mangled, struct strbuf *out)
{
	struct printing p = {.out = out, .before = out->size};

	if (!setjmp(p.too_long) && demangle_one(mangled, OPTIONS, print, &p) &&
	    out->size > p.before)
		return true;
	if (out->s) {
		out->size = p.before;
		out->s[out->size] = '\0';
	}
	return false;
}

/*
 * Rust's older names are C++ names whose last part is a hash:
 * _ZN4core3fmt5write17h0123456789abcdefE. Returns the size up to its end, 0 when there is none.
 */
static size_t rust_legacy_size(const char *name, size_t size)
{
	for (size_t at = 0; at + RUST_HASH_SIZE <= size; at++) {
		const char *hash = name + at;

		if (!memcmp(hash, "17h", 3) && hash[RUST_HASH_SIZE - 1] == 'E' &&
		    strspn(hash + 3, "0123456789abcdef") == 16)
			return at + RUST_HASH_SIZE;
	}
	return 0;
}

/* Rust writes `..` and `.llvm` parts into legacy names: their suffix comes after the hash. */
static size_t mangled_size(const char *name, size_t size, size_t legacy_size)
{
	const char *dot = memchr(name, '.', size);

	if (legacy_size)
		return legacy_size;
	return dot ? (size_t)(dot - name) : size;
}

static void add_suffix(struct strbuf *out, const char *suffix)
{
	static const char llvm[] = ".llvm.";
	const char *found = strstr(suffix, llvm);
	size_t kept = found ? (size_t)(found - suffix) : strlen(suffix);

	strbuf_add(out, suffix, kept);
	if (!found)
		return;
	found += strlen(llvm);
	strbuf_adds(out, found + strspn(found, "0123456789"));
}

/*
 * What a back reference of D at `at` refers to (Q, then how far back in letters as digits to the
 * base 26, the last one a small letter); SIZE_MAX: it is none.
 */
static size_t d_target(const char *name, size_t size, size_t at)
{
	size_t back = 0;

	for (size_t i = at + 1; i < size && back <= at; i++) {
		if (name[i] >= 'a' && name[i] <= 'z') {
			back = back * 26 + (size_t)(name[i] - 'a');
			return back && back <= at ? at - back : SIZE_MAX;
		}
		if (name[i] < 'A' || name[i] > 'Z')
			return SIZE_MAX;
		back = back * 26 + (size_t)(name[i] - 'A');
	}
	return SIZE_MAX;
}

/*
 * Whether a name of D may be long when it is written out. A reference to an identifier, which
 * begins with its size, adds that; one to a type can double what there is.
 */
static bool d_is_large(const char *name, size_t size)
{
	size_t bound = size;

	for (size_t at = 0; at < size && bound <= D_EXPANDED_MAX; at++) {
		size_t target = name[at] == 'Q' ? d_target(name, size, at) : SIZE_MAX;

		if (target == SIZE_MAX)
			continue;
		if (name[target] >= '0' && name[target] <= '9')
			bound += min((size_t)strtoul(name + target, NULL, 10), size);
		else
			bound *= 2;
	}
	return bound > D_EXPANDED_MAX;
}

/*
 * D. This part of libiberty has no variant with a callback: it makes the whole name in memory. So
 * one that could be long is shown as it is.
 */
static bool demangle_d(struct strbuf *out, const char *name, size_t size)
{
	_cleanup_free_ char *made = NULL;

	if (size > D_MAX || d_is_large(name, size))
		return false;
	made = dlang_demangle(name, OPTIONS);
	if (!made)
		return false;
	strbuf_adds(out, made);
	return true;
}

static bool demangle_known(struct strbuf *out, char *name, size_t size)
{
	size_t legacy_size = rust_legacy_size(name, size);
	size_t part = mangled_size(name, size, legacy_size);
	bool is_rust = legacy_size || !strncmp(name, "_R", 2);
	_cleanup_free_ char *suffix = xstrdup(name + part);

	name[part] = '\0';
	if (!(is_rust && try(rust_demangle_callback, name, out)) &&
	    !try(cplus_demangle_v3_callback, name, out))
		return false;
	add_suffix(out, suffix);
	return true;
}

void demangle(struct strbuf *out, const char *name, size_t size)
{
	char copy[MANGLED_MAX + 1];

	if (size > 2 && size <= MANGLED_MAX && name[0] == '_' &&
	    (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D') && !memchr(name, '\0', size)) {
		memcpy(copy, name, size);
		copy[size] = '\0';
		if (name[1] == 'D' ? demangle_d(out, copy, size) : demangle_known(out, copy, size))
			return;
	}
	strbuf_add(out, name, size);
}
