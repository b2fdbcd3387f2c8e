/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_page.h: the file whose page a thread waits for in a page fault of user mode. No register
 * has the address any more. But while the kernel handles the fault, its description of it, struct
 * vm_fault, lies on the thread's stack (__handle_mm_fault() in mm/memory.c). It is looked for from
 * the root down: three words that agree with each other and with the mapping that one of them
 * points to.
 */
#ifndef OBJECT_PAGE_H
#define OBJECT_PAGE_H

#include "scratch.h"

enum {
	NO_CALL = -1,	   /* in place of a system call's number */
	FAULT_WORDS = 256, /* of the stack, next to the registers of user mode */
};

static __always_inline u64 word_at(const struct stack *words, u32 at)
{
	barrier_var(at);
	return words->frames[at % FAULT_WORDS];
}

/* The file of a description that begins at that word, as a number; 0: there is none. */
VERIFIED_ONCE u64 file_of_fault(const struct stack *words, u64 mm, u32 at)
{
	u64 address, page, start;
	struct vm_area_struct *vma;

	if (!words)
		return 0;
	vma = (void *)word_at(words, at + bpf_core_field_offset(struct vm_fault, vma) / 8);
	page = word_at(words, at + bpf_core_field_offset(struct vm_fault, pgoff) / 8);
	address = word_at(words, at + bpf_core_field_offset(struct vm_fault, address) / 8);
	/* A page of user memory, and a pointer of the kernel's. */
	if (!address || address >> 63 || address & ((1ull << filter.page_bits) - 1) ||
	    !((u64)vma >> 63))
		return 0;
	start = BPF_CORE_READ(vma, vm_start);
	if ((u64)BPF_CORE_READ(vma, vm_mm) != mm || address < start ||
	    address >= BPF_CORE_READ(vma, vm_end))
		return 0;
	if (page != BPF_CORE_READ(vma, vm_pgoff) + ((address - start) >> filter.page_bits))
		return 0;
	return (u64)BPF_CORE_READ(vma, vm_file);
}

/*
 * The file of the task's fault, or NULL. The task is in the kernel, and stays there. The room of
 * the user stack is used.
 */
static __always_inline struct file *faulting_file(struct scratch *s, struct task_struct *task,
						  struct pt_regs *regs)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm), file;

	if (!mm || bpf_probe_read_kernel(s->user.frames, FAULT_WORDS * sizeof(u64),
					 (void *)regs - FAULT_WORDS * sizeof(u64)))
		return NULL;
	for (u32 i = FAULT_WORDS; i-- > 0;) {
		file = file_of_fault(&s->user, mm, i);
		if (file)
			return (void *)file;
	}
	return NULL;
}

#endif
