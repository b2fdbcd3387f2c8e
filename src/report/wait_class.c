/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_class.c: a wait is classed by the function of the kernel in which the thread left its CPU,
 * or that called it there: the table has those of Linux 5.14 to 7.x (kernel/futex, mm, block,
 * net/core, fs). What is no function of the table is unclear, never guessed.
 *
 * A thread that only waits for work is told from one that is delayed by where it waits: in poll(),
 * accept() or a kernel thread's loop it is idle; on a futex it is delayed only in a function that
 * takes a lock, since condition variables, on which pools of threads wait for work, are futexes
 * too. A thread that did not run at all had nothing to do, but for state D.
 */
#include "wait_class.h"

const char *wait_class_name(enum wait_class class)
{
	static const char *const names[NR_WAITS] = {
		[WAIT_NO_CPU] = "no_cpu",   [WAIT_DISK] = "disk",     [WAIT_LOCK] = "lock",
		[WAIT_NETWORK] = "network", [WAIT_PAGING] = "paging", [WAIT_PEER] = "peer",
		[WAIT_CHILD] = "child",	    [WAIT_SLEEP] = "sleep",   [WAIT_IDLE] = "idle",
		[WAIT_UNCLEAR] = "unclear",
	};

	return names[class];
}

/* ---- by functions of the kernel */

struct function_row {
	const char *begins; /* how its name does */
	enum wait_class class;
};

/* Callers that decide, whatever they called. */
static const struct function_row callers[] = {
	{"do_swap_page", WAIT_PAGING},
	{"filemap_fault", WAIT_PAGING},
	{"__do_fault", WAIT_PAGING},
	{"try_to_free_pages", WAIT_PAGING},
	{"try_to_free_mem_cgroup_pages", WAIT_PAGING},
	{"__alloc_pages_direct_", WAIT_PAGING},
	{"mem_cgroup_handle_over_high", WAIT_PAGING},
	{"unix_accept", WAIT_IDLE},
	{"inet_csk_accept", WAIT_IDLE},
	{"inet_accept", WAIT_IDLE},
	{"unix_", WAIT_PEER},
	{"__unix_", WAIT_PEER},
	{"n_tty_", WAIT_IDLE},
};

/* The first of them from the leaf on decides. */
static const struct function_row functions[] = {
	/* disks and file systems */
	{"io_schedule", WAIT_DISK},
	{"folio_wait_", WAIT_DISK},
	{"__folio_lock", WAIT_DISK},
	{"wait_on_page_", WAIT_DISK},
	{"__wait_on_buffer", WAIT_DISK},
	{"wait_for_completion_io", WAIT_DISK},
	{"submit_bio_wait", WAIT_DISK},
	{"blk_", WAIT_DISK},
	{"rq_qos_wait", WAIT_DISK},
	{"balance_dirty_pages", WAIT_DISK},
	{"jbd2_", WAIT_DISK},
	{"wait_transaction_locked", WAIT_DISK},
	{"xlog_", WAIT_DISK},
	{"xfs_log_", WAIT_DISK},
	{"btrfs_", WAIT_DISK},
	{"read_events", WAIT_DISK},
	/* locks */
	{"__mutex_", WAIT_LOCK},
	{"mutex_lock", WAIT_LOCK},
	{"rwsem_", WAIT_LOCK},
	{"down_", WAIT_LOCK},
	{"__down", WAIT_LOCK},
	{"percpu_rwsem_wait", WAIT_LOCK},
	{"__percpu_down_read", WAIT_LOCK},
	{"rt_mutex_", WAIT_LOCK},
	{"rwbase_", WAIT_LOCK},
	{"__rt_mutex_", WAIT_LOCK},
	{"__lock_sock", WAIT_LOCK},
	{"locks_lock_inode_wait", WAIT_LOCK},
	{"posix_lock_inode_wait", WAIT_LOCK},
	{"flock_lock_inode_wait", WAIT_LOCK},
	{"fcntl_setlk", WAIT_LOCK},
	{"do_semtimedop", WAIT_LOCK},
	{"__do_semtimedop", WAIT_LOCK},
	/* the network */
	{"sk_wait_data", WAIT_NETWORK},
	{"__skb_wait_for_more_packets", WAIT_NETWORK},
	{"sk_stream_wait_", WAIT_NETWORK},
	{"inet_wait_for_connect", WAIT_NETWORK},
	{"__inet_stream_connect", WAIT_NETWORK},
	{"tcp_", WAIT_NETWORK},
	{"rpc_wait_", WAIT_NETWORK},
	/* processes that talk to each other */
	{"pipe_", WAIT_PEER},
	{"anon_pipe_", WAIT_PEER},
	{"wait_for_partner", WAIT_PEER},
	{"fifo_open", WAIT_PEER},
	{"eventfd_", WAIT_PEER},
	{"do_msgrcv", WAIT_PEER},
	{"wq_sleep", WAIT_PEER},
	/* children */
	{"do_wait", WAIT_CHILD},
	{"__do_wait", WAIT_CHILD},
	{"wait_for_vfork_done", WAIT_CHILD},
	{"kernel_clone", WAIT_CHILD},
	/* own timers */
	{"do_nanosleep", WAIT_SLEEP},
	{"hrtimer_nanosleep", WAIT_SLEEP},
	/* work */
	{"ep_poll", WAIT_IDLE},
	{"do_epoll_wait", WAIT_IDLE},
	{"do_poll", WAIT_IDLE},
	{"do_sys_poll", WAIT_IDLE},
	{"do_select", WAIT_IDLE},
	{"core_sys_select", WAIT_IDLE},
	{"do_sigtimedwait", WAIT_IDLE},
	{"sigsuspend", WAIT_IDLE},
	{"do_sigsuspend", WAIT_IDLE},
	{"do_pause", WAIT_IDLE},
	{"__x64_sys_pause", WAIT_IDLE},
	{"inotify_read", WAIT_IDLE},
	{"signalfd_", WAIT_IDLE},
	{"timerfd_read", WAIT_IDLE},
	{"io_cqring_wait", WAIT_IDLE},
	{"io_wq_worker", WAIT_IDLE},
	{"worker_thread", WAIT_IDLE},
	{"smpboot_thread_fn", WAIT_IDLE},
	{"rcu_", WAIT_IDLE},
	{"kthread_worker_fn", WAIT_IDLE},
	{"do_signal_stop", WAIT_IDLE},
	{"ptrace_stop", WAIT_IDLE},
};

static struct string name_at(const struct profile *p, const struct stack *s, u32 i)
{
	const struct frame *frame = &p->frames.at[p->stack_frames.at[s->first + i]];

	return strings_get(&p->names, p->functions.at[frame->function].shown.name);
}

static enum wait_class class_in(struct string name, const struct function_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (string_begins(name, rows[i].begins))
			return rows[i].class;
	return WAIT_UNCLEAR;
}

static enum wait_class class_by(const struct profile *p, const struct stack *s,
				const struct function_row *rows, size_t nr)
{
	enum wait_class class = WAIT_UNCLEAR;

	for (u32 i = 0; i < s->nr && class == WAIT_UNCLEAR; i++)
		class = class_in(name_at(p, s, i), rows, nr);
	return class;
}

/* ---- futexes */

static bool has_name(const struct profile *p, const struct stack *s, const char *begins)
{
	for (u32 i = 0; i < s->nr; i++)
		if (string_begins(name_at(p, s, i), begins))
			return true;
	return false;
}

/* Does one of the functions take a lock? Those of glibc, musl, the JVM, Go and C++. */
static bool takes_lock(const struct profile *p, const struct stack *user)
{
	static const char *const words[] = {
		"mutex_lock",		"mutex_timedlock", "lll_lock_wait", "rwlock_", "spin_lock",
		"ObjectMonitor::enter", "runtime.lock2",   "lock_slow",	    "::lock"};
	enum { NEAR_LEAF = 6 };

	for (u32 i = 0; i < min(user->nr, (u32)NEAR_LEAF); i++)
		for (size_t word = 0; word < ARRAY_SIZE(words); word++)
			if (strstr(name_at(p, user, i).s, words[word]))
				return true;
	return false;
}

static enum wait_class class_of_futex(const struct profile *p, const struct stack *kernel,
				      const struct stack *user)
{
	return has_name(p, kernel, "futex_lock_pi") || takes_lock(p, user) ? WAIT_LOCK : WAIT_IDLE;
}

/* ---- all of it */

static bool is_runnable(u32 state)
{
	size_t letter = letter_index(state);

	return letter < NR_LETTERS && STATES_RUNNABLE & 1u << letter;
}

enum wait_class wait_class_of_stacks(const struct profile *p, u32 user, u32 kernel)
{
	const struct stack *s = &p->stacks.at[kernel];
	enum wait_class class = class_by(p, s, callers, ARRAY_SIZE(callers));

	if (class != WAIT_UNCLEAR)
		return class;
	if (has_name(p, s, "futex_") || has_name(p, s, "__futex_"))
		return class_of_futex(p, s, &p->stacks.at[user]);
	return class_by(p, s, functions, ARRAY_SIZE(functions));
}

/* Of a thread that had nothing to do: kernel threads sleep in S and I for want of work. */
static bool has_no_work(const struct profile *p, const struct sample *sample)
{
	char letter = (char)(sample->state & WICK_STATE_LETTER);

	if (letter == 'D' || sample->state & WICK_STATE_IO)
		return false;
	return letter == 'I' || letter == 'T' || sample->state & WICK_STATE_NEVER_RAN ||
	       p->legs.at[sample->leg].kind == WICK_KERNEL_THREAD;
}

enum wait_class wait_class_of(const struct profile *p, const struct sample *sample,
			      enum wait_class of_stacks)
{
	if (is_runnable(sample->state))
		return WAIT_NO_CPU;
	if (has_no_work(p, sample))
		return WAIT_IDLE;
	if (of_stacks == WAIT_UNCLEAR && sample->state & WICK_STATE_IO)
		return WAIT_DISK;
	return of_stacks;
}
