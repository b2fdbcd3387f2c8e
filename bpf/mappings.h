/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h: what is mapped at an address of the current process, at this very moment.
 *
 * The kernel's own tree of mappings is read, as it is: no record has to arrive first, so a process of 10 ms is as
 * good as any, and no exec, dlclose() or address randomisation can mix files up. The tree is made for readers
 * that hold no lock but RCU's (lib/maple_tree.c), which programs do. What was found is checked against the
 * mapping itself: on a kernel whose tree is another, nothing is ever found, and stacks are copied.
 *
 * Then the file: device, inode, generation, size and time of the last change are what it is. User space
 * fills in what it knows about it (struct wick_file) when a file is first met, see copy.h.
 */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "rows.h"

enum {
	MAPLE_NODE_SIZE = 256, /* and alignment: the bits below tell the type */
	MAPLE_TYPE_SHIFT = 3,
	MAPLE_TYPE_MASK = 0xf,
	MAPLE_LEVELS = 6,
	MAPLE_PIVOTS = 15, /* at most; behind the pointer to the parent */
	MAPPINGS_KEPT = 4,
	PAGE_BITS = 12,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WICK_KNOWN_FILES);
	__type(key, struct wick_file_key);
	__type(value, struct wick_file);
} known_files __weak SEC(".maps");

/* Changes whenever known_files does, so that nobody keeps what is not true any more. */
u64 known_files_epoch __weak = 0;

enum mapping_kind {
	MAPPING_NONE,	 /* nothing there, or nothing that can be read */
	MAPPING_DATA,	 /* not executable */
	MAPPING_CODE,	 /* executable, and no file: a JIT's */
	MAPPING_FILE,	 /* also the vdso, which is file 0 */
	MAPPING_UNKNOWN, /* of a file that user space has not told of */
};

struct mapping {
	u64 start, end;
	u64 offset; /* + address = offset in the file */
	u32 kind;   /* enum mapping_kind */
	u32 has_file;
	struct wick_file file;
};

/*
 * The mappings found last: the next frame is in one of them as a rule, and the next sample's too, as long
 * as nobody has changed the mappings since.
 */
struct mappings {
	struct mapping kept[MAPPINGS_KEPT];
	u32 next; /* to be replaced */
	/* Whose. */
	u64 mm, lock_seq, process_start_ns, epoch;
	u32 tgid, exec_id;
	/* At work: what the verifier shall not know the value of lies in memory. */
	u64 entry;
	u64 node[1 + MAPLE_PIVOTS];
	u64 slot;
	struct wick_file_key key; /* of the file at hand */
};

/* How often the mappings were locked for writing; odd: they are. 0 where the kernel does not tell. */
static __always_inline u64 mappings_lock_seq(struct mm_struct *mm)
{
	if (!bpf_core_field_exists(mm->mm_lock_seq.sequence))
		return 1;
	return BPF_CORE_READ(mm, mm_lock_seq.sequence);
}

/* To be called first for every walk. */
static __always_inline void mappings_begin(struct mappings *m, struct mm_struct *mm,
					   const struct wick_leg *leg)
{
	u64 seq = mappings_lock_seq(mm), epoch = known_files_epoch;

	if (!(seq & 1) && seq == m->lock_seq && (u64)mm == m->mm && epoch == m->epoch &&
	    leg->tgid == m->tgid && leg->exec_id == m->exec_id &&
	    leg->process_start_ns == m->process_start_ns)
		return;
	for (int i = 0; i < MAPPINGS_KEPT; i++)
		m->kept[i].end = 0;
	m->mm = (u64)mm;
	m->lock_seq = seq;
	m->epoch = epoch;
	m->tgid = leg->tgid;
	m->exec_id = leg->exec_id;
	m->process_start_ns = leg->process_start_ns;
}

/* The slot of the node in m->node that holds the address; its pivots are the slots' last addresses. */
static __always_inline u64 maple_slot(struct mappings *m, u64 address, u64 pivots)
{
	u64 slot = pivots;

	for (u64 i = 0; i < MAPLE_PIVOTS; i++) {
		if (i >= pivots || m->node[1 + i] >= address) {
			slot = i;
			break;
		}
	}
	m->slot = slot;
	return *(volatile u64 *)&m->slot;
}

/*
 * From the node m->entry to what it has for the address, into m->entry: another node, or 1, the mapping. Negative: the tree
 * changed just now. A function of its own, which the verifier reads once.
 */
__weak __noinline int maple_step(struct mappings *m, u64 address)
{
	u64 node, type, slot, slots, pivots;

	if (!m)
		return -1;
	node = m->entry & ~(u64)(MAPLE_NODE_SIZE - 1);
	type = m->entry >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK;
	if (type == bpf_core_enum_value(enum maple_type, maple_arange_64)) {
		pivots = bpf_core_field_offset(struct maple_arange_64, pivot);
		slots = bpf_core_field_offset(struct maple_arange_64, slot);
	} else {
		pivots = bpf_core_field_offset(struct maple_range_64, pivot);
		slots = bpf_core_field_offset(struct maple_range_64, slot);
	}
	if (bpf_probe_read_kernel(m->node, sizeof(m->node), (void *)node))
		return -1;
	if ((m->node[0] & ~(u64)(MAPLE_NODE_SIZE - 1)) == node) /* dead: its own parent */
		return -1;
	slot = maple_slot(m, address, (slots - pivots) / sizeof(u64));
	if (bpf_probe_read_kernel(&m->entry, sizeof(m->entry),
				  (void *)(node + slots + slot * sizeof(u64))))
		return -1;
	return type == bpf_core_enum_value(enum maple_type, maple_leaf_64);
}

/* The mapping that the kernel has for an address; NULL: none, or the tree changed just now. */
static __always_inline struct vm_area_struct *vma_of(struct mappings *m, u64 address)
{
	struct mm_struct *mm = (void *)m->mm;

	m->entry = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	for (int level = 0; level < MAPLE_LEVELS; level++) {
		int found = maple_step(m, address);

		if (found)
			return found > 0 ? (void *)m->entry : NULL;
	}
	return NULL;
}

static __always_inline void file_key(struct wick_file_key *key, struct inode *inode)
{
	struct inode___before_6_11 *old = (void *)inode;
	struct inode___before_6_7 *older = (void *)inode;

	key->inode = BPF_CORE_READ(inode, i_ino);
	key->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	key->generation = BPF_CORE_READ(inode, i_generation);
	key->size = (u64)BPF_CORE_READ(inode, i_size);
	if (bpf_core_field_exists(inode->i_mtime_sec)) {
		key->mtime_sec = (u64)BPF_CORE_READ(inode, i_mtime_sec);
		key->mtime_nsec = BPF_CORE_READ(inode, i_mtime_nsec);
	} else if (bpf_core_field_exists(old->__i_mtime)) {
		key->mtime_sec = (u64)BPF_CORE_READ(old, __i_mtime.tv_sec);
		key->mtime_nsec = (u64)BPF_CORE_READ(old, __i_mtime.tv_nsec);
	} else {
		key->mtime_sec = (u64)BPF_CORE_READ(older, i_mtime.tv_sec);
		key->mtime_nsec = (u64)BPF_CORE_READ(older, i_mtime.tv_nsec);
	}
}

/* What user space knows of the file of a mapping, or of the vdso. */
static __always_inline void mapping_file(struct mappings *m, struct mapping *to, struct file *file)
{
	struct wick_region *region;
	struct wick_file *known;

	if (file)
		file_key(&m->key, BPF_CORE_READ(file, f_inode));
	else
		__builtin_memset(&m->key, 0, sizeof(m->key));
	/* Memory that has only a name (memfd, System V): a run-time's code, and each a file of its own. */
	if (file && filter.shared_memory_dev && m->key.dev == filter.shared_memory_dev) {
		to->kind = MAPPING_CODE;
		return;
	}
	known = bpf_map_lookup_elem(&known_files, &m->key);
	to->kind = MAPPING_UNKNOWN;
	if (!known)
		return;
	to->file = *known;
	region = bpf_map_lookup_elem(&regions, &to->file.first_region);
	if (region)
		note_use(&region->met);
	to->kind = known->kind == WICK_FILE_CODE ? MAPPING_CODE : MAPPING_FILE;
}

static __always_inline void mapping_read(struct mappings *m, struct mapping *to, u64 address)
{
	struct vm_area_struct *vma = vma_of(m, address);
	struct mm_struct *mm = (void *)m->mm;
	struct file *file;

	to->kind = MAPPING_NONE;
	to->start = to->end = address;
	to->has_file = false;
	if (!vma || (u64)BPF_CORE_READ(vma, vm_mm) != m->mm)
		return;
	to->start = BPF_CORE_READ(vma, vm_start);
	to->end = BPF_CORE_READ(vma, vm_end);
	if (address < to->start || address >= to->end) {
		to->start = to->end = address;
		return;
	}
	to->kind = MAPPING_DATA;
	file = BPF_CORE_READ(vma, vm_file);
	to->has_file = file != NULL;
	if (!(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return;
	to->offset = (file ? BPF_CORE_READ(vma, vm_pgoff) << PAGE_BITS : 0) - to->start;
	if (file || to->start == (u64)BPF_CORE_READ(mm, context.vdso))
		mapping_file(m, to, file);
	else
		to->kind = MAPPING_CODE;
}

/*
 * The mapping at an address: its place in m->kept. The kernel's tree is asked when it is none of those kept. A
 * function of its own, which the verifier reads once.
 */
__weak __noinline int mappings_find(struct mappings *m, u64 address)
{
	u32 at;

	if (!m)
		return 0;
	/* What was not known is looked at again: m->key shall be that file's. */
	for (u32 i = 0; i < MAPPINGS_KEPT; i++)
		if (address >= m->kept[i].start && address < m->kept[i].end &&
		    m->kept[i].kind != MAPPING_UNKNOWN)
			return (int)i;
	at = m->next & (MAPPINGS_KEPT - 1);
	m->next = at + 1;
	mapping_read(m, &m->kept[at], address);
	return (int)at;
}

static __always_inline struct mapping *mapping_at(struct mappings *m, u64 address)
{
	return &m->kept[mappings_find(m, address) & (MAPPINGS_KEPT - 1)];
}

#endif
