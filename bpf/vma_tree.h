/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vma_tree.h: the kernel's own tree of a process's mappings, read without its locks.
 *
 *	since 6.1	a tree of ranges (lib/maple_tree.c), made for readers that hold no lock
 *			but RCU's, which programs do
 *	before		a red-black tree, which its readers lock. A change under way can hide a
 *			mapping, or lead to one that is gone
 *
 * So a caller checks what was found against the mapping itself: that it belongs to the process, and
 * has the address. On a kernel whose tree is another one nothing is ever found, and stacks are
 * copied.
 *
 * What is read lies in memory, where the verifier does not follow its values.
 */
#ifndef VMA_TREE_H
#define VMA_TREE_H

#include "maps.h"

enum {
	MAPLE_NODE_SIZE = 256, /* and alignment: the bits below tell the type */
	MAPLE_TYPE_SHIFT = 3,
	MAPLE_TYPE_MASK = 0xf,
	MAPLE_LEVELS = 6,
	MAPLE_PIVOTS = 15,     /* at most; they follow the pointer to the parent */
	RED_BLACK_LEVELS = 36, /* 2 log2(n + 1) for 262,143 mappings; 65,530 is the default limit */
};

struct vma_search {
	u64 mm;
	u64 entry; /* the node at hand; in the end the mapping, or 0 */
	u64 node[1 + MAPLE_PIVOTS];
	u64 slot;
};

/*
 * Before 6.8 also a function that is not called is verified: so the steps ask again whether they
 * have a tree to read.
 */
static __always_inline bool has_ranges(void)
{
	return bpf_core_field_exists(struct mm_struct, mm_mt);
}

static __always_inline bool has_red_black(void)
{
	return bpf_core_field_exists(struct mm_struct___before_6_1, mm_rb);
}

/*
 * The slot of the node in s->node that holds the address; its pivots are the slots' last addresses.
 */
static __always_inline u64 maple_slot(struct vma_search *s, u64 address, u64 pivots)
{
	u64 slot = pivots;

	for (u64 i = 0; i < MAPLE_PIVOTS; i++) {
		if (i >= pivots || s->node[1 + i] >= address) {
			slot = i;
			break;
		}
	}
	s->slot = slot;
	return *(volatile u64 *)&s->slot;
}

/*
 * From the node s->entry to what it has for the address, into s->entry: another node, or 1, the
 * mapping. Negative: the tree changed just now.
 */
VERIFIED_ONCE int maple_step(struct vma_search *s, u64 address)
{
	u64 node, type, slot, slots, pivots;

	if (!s || !has_ranges())
		return -1;
	node = s->entry & ~(u64)(MAPLE_NODE_SIZE - 1);
	type = s->entry >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK;
	if (type == bpf_core_enum_value(enum maple_type, maple_arange_64)) {
		pivots = bpf_core_field_offset(struct maple_arange_64, pivot);
		slots = bpf_core_field_offset(struct maple_arange_64, slot);
	} else {
		pivots = bpf_core_field_offset(struct maple_range_64, pivot);
		slots = bpf_core_field_offset(struct maple_range_64, slot);
	}
	if (bpf_probe_read_kernel(s->node, sizeof(s->node), (void *)node))
		return -1;
	if ((s->node[0] & ~(u64)(MAPLE_NODE_SIZE - 1)) == node) /* dead: its own parent */
		return -1;
	slot = maple_slot(s, address, (slots - pivots) / sizeof(u64));
	if (bpf_probe_read_kernel(&s->entry, sizeof(s->entry),
				  (void *)(node + slots + slot * sizeof(u64))))
		return -1;
	return type == bpf_core_enum_value(enum maple_type, maple_leaf_64);
}

static __always_inline struct vm_area_struct *find_in_ranges(struct vma_search *s, u64 address)
{
	struct mm_struct *mm = (void *)s->mm;

	s->entry = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	for (int level = 0; level < MAPLE_LEVELS; level++) {
		int found = maple_step(s, address);

		if (found)
			return found > 0 ? (void *)s->entry : NULL;
	}
	return NULL;
}

/* From the node s->entry to the next one, or 1: s->entry is the mapping, or 0, as there is none. */
VERIFIED_ONCE int red_black_step(struct vma_search *s, u64 address)
{
	struct vm_area_struct *vma;
	struct rb_node *node;

	if (!s || !has_red_black())
		return 1;
	node = (void *)s->entry;
	if (!node)
		return 1;
	vma = (void *)((u64)node -
		       bpf_core_field_offset(struct vm_area_struct___before_6_1, vm_rb));
	if (BPF_CORE_READ(vma, vm_end) <= address) {
		s->entry = (u64)BPF_CORE_READ(node, rb_right);
		return 0;
	}
	if (BPF_CORE_READ(vma, vm_start) <= address) {
		s->entry = (u64)vma;
		return 1;
	}
	s->entry = (u64)BPF_CORE_READ(node, rb_left);
	return 0;
}

static __always_inline struct vm_area_struct *find_in_red_black(struct vma_search *s, u64 address)
{
	struct mm_struct___before_6_1 *mm = (void *)s->mm;

	s->entry = (u64)BPF_CORE_READ(mm, mm_rb.rb_node);
	for (int level = 0; level < RED_BLACK_LEVELS; level++)
		if (red_black_step(s, address))
			return (void *)s->entry;
	return NULL;
}

static __always_inline bool has_vma_tree(void)
{
	return has_ranges() || has_red_black();
}

/*
 * The mapping that the kernel has for an address of the process s->mm; NULL: none, or the tree
 * changed just now.
 */
static __always_inline struct vm_area_struct *find_vma(struct vma_search *s, u64 address)
{
	if (has_ranges())
		return find_in_ranges(s, address);
	return has_red_black() ? find_in_red_black(s, address) : NULL;
}

#endif
