/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h: what is mapped at an address of the current process, at this very moment.
 *
 * The kernel's own tree of mappings is read, as it is (vma_tree.h): no record has to arrive first,
 * so a process of 10 ms is as good as any, and no exec, dlclose() or address randomisation can mix
 * files up.
 *
 * Then the file: device, inode, generation, size and time of the last change are what it is. User
 * space fills in what it knows about it (struct wick_file) when a file is first met, see copy.h.
 */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "unwind_rows.h"
#include "vma_tree.h"

enum { MAPPINGS_KEPT = 4 };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WICK_KNOWN_FILES);
	__type(key, struct wick_file_key);
	__type(value, struct wick_file);
} known_files __weak SEC(".maps");

/*
 * Where a key lies while it is looked up: a slot for each walk that can be under way on a CPU.
 * Before 6.2 the verifier takes no key from memory that a function knows only as its argument's.
 */
enum {
	PASS_KEY_SLOT = WICK_SCRATCH_LEVELS, /* of threads.bpf.c's two passes, which can sleep */
	KEY_SLOTS = PASS_KEY_SLOT + 2,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KEY_SLOTS);
	__type(key, u32);
	__type(value, struct wick_file_key);
} file_keys __weak SEC(".maps");

/* Changes whenever known_files does: what a walk has kept of it is looked up again. */
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
 * The mappings found last: the next frame is in one of them as a rule, and the next sample's too,
 * as long as the mappings have not changed since.
 */
struct mappings {
	struct mapping kept[MAPPINGS_KEPT];
	u32 next; /* to be replaced */
	/* Whose. */
	u64 lock_seq, process_start_ns, epoch; /* and search.mm */
	u32 tgid, exec_id;
	struct vma_search search;
	struct wick_file_key key; /* of the file at hand */
	u32 key_slot;		  /* this walk's place in file_keys */
};

/*
 * How often the mappings were locked for writing; odd: they are. 0 where the kernel does not tell.
 */
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

	if (!(seq & 1) && seq == m->lock_seq && (u64)mm == m->search.mm && epoch == m->epoch &&
	    leg->tgid == m->tgid && leg->exec_id == m->exec_id &&
	    leg->process_start_ns == m->process_start_ns)
		return;
	for (int i = 0; i < MAPPINGS_KEPT; i++)
		m->kept[i].end = 0;
	m->search.mm = (u64)mm;
	m->lock_seq = seq;
	m->epoch = epoch;
	m->tgid = leg->tgid;
	m->exec_id = leg->exec_id;
	m->process_start_ns = leg->process_start_ns;
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

/*
 * What user space knows of the file of a mapping, or of the vdso. `to` has MAPPING_CODE where it is
 * mapped to be shared.
 */
OWN_FRAME void mapping_file(struct mappings *m, struct mapping *to, struct file *file)
{
	u32 slot = m->key_slot, first;
	struct wick_file_key *key = bpf_map_lookup_elem(&file_keys, &slot);
	struct wick_region *region;
	struct wick_file *known;

	if (file)
		file_key(&m->key, BPF_CORE_READ(file, f_inode));
	else
		__builtin_memset(&m->key, 0, sizeof(m->key));
	/*
	 * Shared memory that has only a name (memfd, System V): a run-time's code, and each a file
	 * of its own. A program or library in a memfd is mapped privately, as others are.
	 */
	if (to->kind == MAPPING_CODE && filter.shared_memory_dev &&
	    m->key.dev == filter.shared_memory_dev)
		return;
	to->kind = MAPPING_UNKNOWN;
	if (!key)
		return;
	*key = m->key;
	known = bpf_map_lookup_elem(&known_files, key);
	if (!known)
		return;
	to->file = *known;
	first = to->file.first_region;
	region = bpf_map_lookup_elem(&regions, &first);
	if (region)
		note_use(&region->met);
	to->kind = known->kind == WICK_FILE_CODE ? MAPPING_CODE : MAPPING_FILE;
}

static __always_inline void mapping_read(struct mappings *m, struct mapping *to, u64 address)
{
	struct vm_area_struct *vma = find_vma(&m->search, address);
	struct mm_struct *mm = (void *)m->search.mm;
	struct file *file;
	u64 flags;

	to->kind = MAPPING_NONE;
	to->start = to->end = address;
	to->has_file = false;
	if (!vma || (u64)BPF_CORE_READ(vma, vm_mm) != m->search.mm)
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
	flags = BPF_CORE_READ(vma, vm_flags);
	if (!(flags & VM_EXEC))
		return;
	to->offset = (file ? BPF_CORE_READ(vma, vm_pgoff) << filter.page_bits : 0) - to->start;
	to->kind = flags & VM_SHARED ? MAPPING_CODE : MAPPING_UNKNOWN;
	if (file || to->start == (u64)BPF_CORE_READ(mm, context.vdso))
		mapping_file(m, to, file);
	else
		to->kind = MAPPING_CODE;
}

/*
 * The mapping at an address: its place in m->kept. The kernel's tree is asked when it is none of
 * those kept.
 */
VERIFIED_ONCE int mappings_find(struct mappings *m, u64 address)
{
	u32 at;

	if (!m)
		return 0;
	/* A file that was not known is looked up again, so that m->key is its key. */
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
