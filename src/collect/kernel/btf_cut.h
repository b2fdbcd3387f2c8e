/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf_cut.h: of the kernel's type information, what the relocations of a BPF object need.
 *
 * A kernel's BTF has 150,000 types in 5 MB. libbpf would copy and index all of it, and then go
 * through all of it again for each type that is relocated: half of what a start costs. Of all
 * these, an object names some dozens. They, and what they contain, are a few KB.
 *
 * The format: the kernel's Documentation/bpf/btf.rst, <linux/btf.h>.
 */
#ifndef COLLECT_KERNEL_BTF_CUT_H
#define COLLECT_KERNEL_BTF_CUT_H

#include "base/strbuf.h"

struct btf;

/*
 * Appends to *cut a BTF that has every type of `kernel`, raw BTF of `size` bytes, which has the
 * name of a type in `wanted`; a flavor (`struct x___old`) has the name of what it is a flavor of.
 * Whatever these types contain by value comes along as it is; what they only point at becomes `void
 * *`, which is the same to a relocation. -EINVAL where `kernel` is not what this knows to read;
 * *cut is of no use then.
 */
int btf_cut(const void *kernel, size_t size, const struct btf *wanted, struct strbuf *cut);

#endif
