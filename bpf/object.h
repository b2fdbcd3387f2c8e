/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object.h: what a blocked thread waits for, as far as its system call tells: the call's number
 * says which of its arguments that is. Of a page fault it is the file. Only where a thread is
 * walked. Its body is sent once, like those of stacks (intern.h).
 */
#ifndef OBJECT_H
#define OBJECT_H

#include "object_file.h"
#include "object_page.h"

/* include/uapi/linux/futex.h */
enum {
	FUTEX_PRIVATE = 128,
	FUTEX_COMMAND = 127,
	FUTEX_WAIT = 0,
	FUTEX_LOCK_PI = 6,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_LOCK_PI2 = 13,
	FUTEX_TID = 0x3fffffff,
};
#define FUTEX_WAITERS 0x80000000u

/* The word of a lock that is taken and that others wait for: glibc, musl, Rust, Go. */
enum { LOCK_IS_CONTENDED = 2 };

/* include/uapi/linux/wait.h */
enum { WAIT_FOR_PID = 1 };

/* What a system call waits for. */
enum {
	WAITS_FOR_FILE = 1,
	WAITS_FOR_FUTEX,
	WAITS_FOR_POLL,
	WAITS_FOR_EPOLL,
	WAITS_FOR_CHILD,
	WAITS_FOR_ANY_CHILD,
	WAITS_FOR_TIMER,
};

enum { CALLS = 512 };

#define WAITS_FOR_A_FILE(number, name) [number] = WAITS_FOR_FILE,
const volatile u8 waits_for[CALLS] __weak = {
	CALLS_OF_A_FILE(WAITS_FOR_A_FILE)[CALL_FUTEX] = WAITS_FOR_FUTEX,
	[CALL_PPOLL] = WAITS_FOR_POLL,
	[CALL_POLL] = WAITS_FOR_POLL,
	[CALL_EPOLL_PWAIT] = WAITS_FOR_EPOLL,
	[CALL_EPOLL_PWAIT2] = WAITS_FOR_EPOLL,
	[CALL_EPOLL_WAIT] = WAITS_FOR_EPOLL,
	[CALL_WAIT4] = WAITS_FOR_CHILD,
	[CALL_WAITID] = WAITS_FOR_ANY_CHILD,
	[CALL_NANOSLEEP] = WAITS_FOR_TIMER,
	[CALL_CLOCK_NANOSLEEP] = WAITS_FOR_TIMER,
};

/* ---- futexes */

/*
 * A word with FUTEX_WAITERS has the holder's tid beside it, in the locks of robust and priority
 * inheritance mutexes; musl's have it too, and put other numbers there in some.
 */
static __always_inline bool names_holder(u32 value)
{
	return value & FUTEX_WAITERS && value & FUTEX_TID;
}

static __always_inline void look_at_word(struct object_scratch *o, u32 command, u32 value)
{
	o->kind = WICK_OBJECT_FUTEX;
	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		o->kind = WICK_OBJECT_LOCK;
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return;
	if (value == LOCK_IS_CONTENDED || names_holder(value))
		o->kind = WICK_OBJECT_LOCK;
	if (names_holder(value))
		o->holder = value & FUTEX_TID;
}

/* The file that is mapped at the address, to be shared; NULL: there is none. */
static __always_inline struct file *shared_at(struct vma_search *search, struct mm_struct *mm,
					      u64 address, u64 *offset)
{
	struct vm_area_struct *vma;
	u64 start;

	search->mm = (u64)mm;
	vma = find_vma(search, address);
	if (!vma || !(BPF_CORE_READ(vma, vm_flags) & VM_SHARED))
		return NULL;
	start = BPF_CORE_READ(vma, vm_start);
	if (address < start || address >= BPF_CORE_READ(vma, vm_end))
		return NULL;
	*offset = address - start + (BPF_CORE_READ(vma, vm_pgoff) << filter.page_bits);
	return BPF_CORE_READ(vma, vm_file);
}

static __always_inline void look_at_futex(struct scratch *s, struct task_struct *task, u64 address,
					  u32 operation, u32 value)
{
	struct object_scratch *o = &s->object;
	struct wick_object_key *key = &o->body.key;
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct file *file = NULL;
	u64 offset = 0;

	look_at_word(o, operation & FUTEX_COMMAND, value);
	if (o->kind == WICK_OBJECT_LOCK)
		o->word = address;
	key->kind = WICK_OBJECT_FUTEX;
	if (!(operation & FUTEX_PRIVATE) && mm)
		file = shared_at(&s->walk.mappings.search, mm, address, &offset);
	if (file) {
		o->file = (u64)file;
		key->id = offset;
		key->of = BPF_CORE_READ(file, f_inode, i_ino);
		key->device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
		return;
	}
	key->id = address;
	key->of = BPF_CORE_READ(task, group_leader, start_boottime);
	key->device = (u32)BPF_CORE_READ(task, tgid);
}

/* ---- the rest */

/* Of a poll for one file. */
static __always_inline struct file *polled_file(struct task_struct *task, u64 fds, u64 nr)
{
	u32 fd = 0;

	if (nr != 1 || task != bpf_get_current_task_btf() ||
	    bpf_probe_read_user(&fd, sizeof(fd), (void *)fds))
		return NULL;
	return file_of(task, fd);
}

static __always_inline void look_at_thing(struct object_scratch *o, u32 kind, u64 id)
{
	o->kind = o->body.key.kind = kind;
	o->body.key.id = id;
}

static __always_inline struct file *awaited_file(struct task_struct *task, u32 waits,
						 struct pt_regs *regs)
{
	struct file *file, *ready;

	if (waits == WAITS_FOR_POLL)
		return polled_file(task, CALL_FIRST(regs), CALL_SECOND(regs));
	file = file_of(task, CALL_FIRST(regs));
	ready = waits == WAITS_FOR_EPOLL && file ? ready_file(file) : NULL;
	return ready ? ready : file;
}

static __always_inline u64 awaited_child(u32 waits, struct pt_regs *regs)
{
	s32 pid = (s32)CALL_FIRST(regs);

	if (waits == WAITS_FOR_ANY_CHILD)
		return pid == WAIT_FOR_PID ? (u32)CALL_SECOND(regs) : 0;
	return pid > 0 ? (u32)pid : 0;
}

/* The current task, or another one that is in the kernel. */
static __always_inline void look_at_object(struct scratch *s, struct task_struct *task)
{
	struct object_scratch *o = &s->object;
	struct pt_regs *regs;
	struct file *file;
	u64 number;
	u32 waits;

	if (task->flags & PF_KTHREAD ||
	    !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	number = (u64)CALL_NUMBER(regs);
	if ((s32)number == NO_CALL) {
		file = faulting_file(s, task, regs);
		if (file)
			look_at_file(o, file);
		return;
	}
	if (number >= CALLS)
		return;
	waits = waits_for[number];
	if (!waits)
		return;
	if (waits == WAITS_FOR_FUTEX) {
		look_at_futex(s, task, CALL_FIRST(regs), (u32)CALL_SECOND(regs),
			      (u32)CALL_THIRD(regs));
	} else if (waits == WAITS_FOR_CHILD || waits == WAITS_FOR_ANY_CHILD) {
		look_at_thing(o, WICK_OBJECT_CHILD, awaited_child(waits, regs));
	} else if (waits == WAITS_FOR_TIMER) {
		look_at_thing(o, WICK_OBJECT_TIMER, 0);
	} else {
		file = awaited_file(task, waits, regs);
		if (file)
			look_at_file(o, file);
	}
}

/* False: it is more than the share has room for. */
static __always_inline bool send_object(struct object_scratch *o, struct wick_counters *tally)
{
	u32 names = o->body.body.nr, size = __builtin_offsetof(struct wick_object_body, names);

	if (names > sizeof(o->body.names))
		return false;
	return intern(&o->body.body, size + names, size + names, tally);
}

static __always_inline u64 object_hash(const struct wick_object_key *key)
{
	struct hash_state h;

	hash_begin(&h, WICK_BODY_OBJECT, 0);
	hash_step(&h, (const u64 *)key);
	return hash_end(&h);
}

/* Takes what the thread waits for, or waited for until now, into s->object, and sends it if new. */
OWN_FRAME void take_object(struct scratch *s, struct task_struct *task, u64 now,
			   struct wick_counters *tally)
{
	struct object_scratch *o = &s->object;
	u64 id;

	forget_object(o);
	o->body.key = (struct wick_object_key){};
	o->body.path_end = o->body.disk = o->body.peer_pid = o->body.is_peers = 0;
	look_at_object(s, task);
	if (!o->kind)
		return;
	id = object_hash(&o->body.key);
	if (!was_seen(id)) {
		body_begin(&o->body.body, WICK_BODY_OBJECT, 0, id, now);
		if (o->file)
			name_file(o);
		if (!send_object(o, tally))
			return;
	}
	o->id = id;
}

#endif
