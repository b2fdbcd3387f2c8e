/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_lock.c: which of the kernel's locks a stack waits for. The functions of locks tell which
 * kind it is, and the one that called them which lock: of two locks that one function takes, they
 * tell no difference.
 */
#include "kernel_lock.h"

/* Beginnings of names, longer ones first. Checked against Linux 6.1 to 6.18. */
static const struct {
	const char *begins;
	enum why_lock_kind kind;
} functions[] = {
	{"rwsem_down_", WHY_LOCK_RWSEM},	{"__down_read", WHY_LOCK_RWSEM},
	{"__down_write", WHY_LOCK_RWSEM},	{"down_read", WHY_LOCK_RWSEM},
	{"down_write", WHY_LOCK_RWSEM},		{"percpu_rwsem_", WHY_LOCK_RWSEM},
	{"__percpu_down_read", WHY_LOCK_RWSEM}, {"percpu_down_", WHY_LOCK_RWSEM},
	{"mmap_read_lock", WHY_LOCK_RWSEM},	{"mmap_write_lock", WHY_LOCK_RWSEM},
	{"rt_mutex_", WHY_LOCK_MUTEX},		{"__rt_mutex_", WHY_LOCK_MUTEX},
	{"__mutex_lock", WHY_LOCK_MUTEX},	{"mutex_lock", WHY_LOCK_MUTEX},
	{"ww_mutex_lock", WHY_LOCK_MUTEX},	{"__ww_mutex_lock", WHY_LOCK_MUTEX},
	{"__down", WHY_LOCK_SEMAPHORE},		{"down", WHY_LOCK_SEMAPHORE},
	{"flock_lock_inode", WHY_LOCK_FILE},	{"locks_lock_inode_wait", WHY_LOCK_FILE},
	{"posix_lock_inode", WHY_LOCK_FILE},	{"fcntl_setlk", WHY_LOCK_FILE},
};

static u32 function_at(const struct profile *p, const struct stack *s, u32 i)
{
	return p->frames.at[p->stack_frames.at[s->first + i]].function;
}

enum why_lock_kind kernel_lock_kind(struct string name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (string_begins(name, functions[i].begins))
			return functions[i].kind;
	return 0;
}

static enum why_lock_kind kind_of(const struct profile *p, u32 function)
{
	return kernel_lock_kind(strings_get(&p->names, p->functions.at[function].shown.name));
}

bool kernel_lock_of(const struct profile *p, u32 kernel, enum why_lock_kind *kind, u32 *taker)
{
	const struct stack *s = &p->stacks.at[kernel];
	u32 i = 0;

	while (i < s->nr && !kind_of(p, function_at(p, s, i)))
		i++;
	if (i == s->nr)
		return false;
	*kind = kind_of(p, function_at(p, s, i));
	while (i < s->nr && kind_of(p, function_at(p, s, i)))
		i++;
	*taker = i < s->nr ? function_at(p, s, i) : 0;
	return true;
}
