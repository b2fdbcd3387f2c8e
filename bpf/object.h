/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object.h: what a blocked thread waits for, as far as its system call tells with a few reads: the
 * futex, or the end of a socket. Only where it is walked.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include "walk.h"

/* include/uapi/linux/futex.h */
enum {
	FUTEX_COMMAND = 127,
	FUTEX_WAIT = 0,
	FUTEX_LOCK_PI = 6,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_LOCK_PI2 = 13,
};

/* The word of a lock that is taken and that others wait for: glibc, musl, Rust, Go. */
enum { LOCK_IS_CONTENDED = 2 };

enum { FILE_TYPE = 0170000, FILE_IS_SOCKET = 0140000 };
enum { UNIX_FAMILY = 1, INET_FAMILY = 2, INET6_FAMILY = 10 };

/* What a thread waits for: enum wick_object, and its address or inode. */
struct object {
	u64 id;
	u32 kind;
};

static __always_inline u32 futex_kind(u32 operation, u32 value)
{
	u32 command = operation & FUTEX_COMMAND;

	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return WICK_OBJECT_LOCK;
	if ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && value == LOCK_IS_CONTENDED)
		return WICK_OBJECT_LOCK;
	return WICK_OBJECT_FUTEX;
}

/*
 * Which side has accepted the connection: of a Unix socket the one that has the listener's name; of
 * the internet the lower port, since those that connect are given a high one.
 */
static __always_inline u32 socket_kind(struct sock *sk)
{
	u32 of = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct unix_sock *local = (void *)sk, *other;
	u32 here, there;

	if (of == UNIX_FAMILY) {
		if (!bpf_core_field_exists(local->addr))
			return WICK_OBJECT_SOCKET;
		if (BPF_CORE_READ(local, addr))
			return WICK_OBJECT_ACCEPTED;
		other = (void *)BPF_CORE_READ(local, peer);
		return other && BPF_CORE_READ(other, addr) ? WICK_OBJECT_CONNECTED
							   : WICK_OBJECT_SOCKET;
	}
	if (of != INET_FAMILY && of != INET6_FAMILY)
		return WICK_OBJECT_SOCKET;
	here = BPF_CORE_READ(sk, __sk_common.skc_num);
	there = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (!there || here == there)
		return WICK_OBJECT_SOCKET;
	return here < there ? WICK_OBJECT_ACCEPTED : WICK_OBJECT_CONNECTED;
}

static __always_inline struct file *file_of(struct task_struct *task, u64 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files, *file = NULL;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file;
}

static __always_inline void look_at_file(struct task_struct *task, u64 fd, struct object *object)
{
	struct file *file = file_of(task, fd);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	struct socket *socket;

	if (!inode || (BPF_CORE_READ(inode, i_mode) & FILE_TYPE) != FILE_IS_SOCKET)
		return;
	socket = BPF_CORE_READ(file, private_data);
	object->kind = socket_kind(BPF_CORE_READ(socket, sk));
	object->id = BPF_CORE_READ(inode, i_ino);
}

/* The current task, or another one that is in the kernel. */
OWN_FRAME void object_of(struct task_struct *task, struct object *object)
{
	struct pt_regs *regs;

	object->id = object->kind = 0;
	if (task->flags & PF_KTHREAD ||
	    !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	switch ((u32)CALL_NUMBER(regs)) {
	case CALL_FUTEX:
		object->kind = futex_kind((u32)CALL_SECOND(regs), (u32)CALL_THIRD(regs));
		object->id = CALL_FIRST(regs);
		return;
	case CALL_READ:
	case CALL_READV:
	case CALL_RECVFROM:
	case CALL_RECVMSG:
		look_at_file(task, CALL_FIRST(regs), object);
		return;
	}
}

#endif
