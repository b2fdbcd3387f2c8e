/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c: the kind of a wait is that of the first function of the table which the kernel stack
 * has, from the leaf: a lock taken while a file is read is a lock. A disk that is waited for in a
 * page fault is paging, wherever the fault is.
 */
#include "places.h"
#include "kernel_lock.h"

#include "plumbing.h"
#include "view.h"

/*
 * Beginnings of names: copies that the compiler makes have suffixes. KIND_UNKNOWN: the caller
 * tells. Checked against Linux 6.1 to 6.18.
 */
static const struct {
	const char *begins;
	enum wait_kind kind;
} functions[] = {
	{"throttle_cfs_rq", KIND_THROTTLED},
	{"futex_", KIND_FUTEX},
	{"do_futex", KIND_FUTEX},
	{"io_schedule", KIND_DISK},
	{"folio_wait_", KIND_DISK},
	{"wait_on_page", KIND_DISK},
	{"__wait_on_buffer", KIND_DISK},
	{"submit_bio_wait", KIND_DISK},
	{"blk_", KIND_DISK},
	{"blkcg_maybe_throttle_", KIND_DISK},
	{"rq_qos_wait", KIND_DISK},
	{"jbd2_log_wait_commit", KIND_DISK},
	{"wait_transaction_locked", KIND_DISK},
	{"xlog_", KIND_DISK},
	{"xfs_log_", KIND_DISK},
	{"btrfs_wait_", KIND_DISK},
	{"balance_dirty_pages", KIND_DISK},
	{"do_wait_", KIND_UNKNOWN}, /* do_wait_intr_irq() of an eventfd, do_wait_for_common() */
	{"do_wait", KIND_CHILD},
	{"kernel_wait", KIND_CHILD},
	{"wait_for_vfork_done", KIND_CHILD},
	{"ep_poll", KIND_POLL},
	{"do_epoll_", KIND_POLL},
	{"do_sys_poll", KIND_POLL},
	{"do_poll", KIND_POLL},
	{"do_select", KIND_POLL},
	{"poll_schedule_timeout", KIND_POLL},
	{"io_cqring_wait", KIND_POLL},
	{"sk_wait_data", KIND_SOCKET},
	{"sk_stream_wait", KIND_SOCKET},
	{"__skb_wait_for_more_packets", KIND_SOCKET},
	{"inet_csk_accept", KIND_SOCKET},
	{"inet_wait_for_connect", KIND_SOCKET},
	{"tcp_", KIND_SOCKET},
	{"unix_", KIND_SOCKET},
	{"sock_", KIND_SOCKET},
	{"__skb_recv", KIND_SOCKET},
	{"skb_recv", KIND_SOCKET},
	{"pipe_", KIND_FILE},
	{"anon_pipe_", KIND_FILE},
	{"n_tty_", KIND_FILE},
	{"eventfd_", KIND_FILE},
	{"timerfd_", KIND_SLEEP},
	{"signalfd_", KIND_SIGNAL},
	{"inotify_", KIND_FILE},
	{"fuse_", KIND_FILE},
	{"do_sigtimedwait", KIND_SIGNAL},
	{"sigsuspend", KIND_SIGNAL},
	{"__do_sys_pause", KIND_SIGNAL},
	{"hrtimer_nanosleep", KIND_SLEEP},
	{"do_nanosleep", KIND_SLEEP},
	{"msleep", KIND_SLEEP},
	{"usleep_range", KIND_SLEEP},
};

static const char *const fault_functions[] = {"handle_mm_fault", "do_user_addr_fault",
					      "do_page_fault", "do_mem_abort", "__handle_mm_fault"};

/* Frames that every waiting thread has at its leaf. */
static const char *const leaves[] = {"__schedule", "schedule", "__traceiter", "bpf_", "__bpf_"};

static struct string name_at(const struct profile *p, u32 stack, u32 i)
{
	u32 frame = p->stack_frames.at[p->stacks.at[stack].first + i];

	return strings_get(&p->names, p->functions.at[p->frames.at[frame].function].shown.name);
}

static bool begins_with_any(struct string name, const char *const *of, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (string_begins(name, of[i]))
			return true;
	return false;
}

static enum wait_kind kind_of_function(struct string name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (string_begins(name, functions[i].begins))
			return functions[i].kind;
	return kernel_lock_kind(name) ? KIND_LOCK : KIND_UNKNOWN;
}

static bool is_in_fault(const struct profile *p, u32 kernel)
{
	for (u32 i = 0; i < p->stacks.at[kernel].nr; i++)
		if (begins_with_any(name_at(p, kernel, i), fault_functions,
				    ARRAY_SIZE(fault_functions)))
			return true;
	return false;
}

/* A kernel thread whose own function waits, with nothing in between. */
static bool is_kernel_loop(const struct profile *p, u32 kernel)
{
	u32 nr = p->stacks.at[kernel].nr;

	for (u32 i = 1; i < nr; i++) {
		if (!begins_with_any(name_at(p, kernel, i - 1), leaves, ARRAY_SIZE(leaves)))
			return i < nr && !strcmp(name_at(p, kernel, i).s, "kthread");
	}
	return false;
}

static enum wait_kind find_kind(const struct profile *p, u32 kernel)
{
	for (u32 i = 0; i < p->stacks.at[kernel].nr; i++) {
		enum wait_kind kind = kind_of_function(name_at(p, kernel, i));

		if (kind == KIND_DISK && is_in_fault(p, kernel))
			return KIND_PAGING;
		if (kind != KIND_UNKNOWN)
			return kind;
	}
	return is_kernel_loop(p, kernel) ? KIND_KERNEL_IDLE : KIND_UNKNOWN;
}

enum wait_kind places_kind(struct places *places, const struct profile *p, u32 kernel)
{
	while (places->kinds.nr < p->stacks.nr)
		*vec_add(&places->kinds) = 0;
	if (!places->kinds.at[kernel])
		places->kinds.at[kernel] = (u8)(find_kind(p, kernel) + 1);
	return places->kinds.at[kernel] - 1;
}

/*
 * A request for a disk waits for its turn before there is one that the disk knows of: for one of
 * the queue's tags, or because of what its cgroup, or writes in the background, have used up
 * (block/blk-rq-qos.h). blk-throttle.c (io.max) is not among these: it keeps the request, and the
 * thread waits as for the disk. WICK_STATE_IO_LIMIT tells.
 */
static const struct {
	const char *begins;
	enum why_held held;
} holders[] = {
	{"blk_mq_get_tag", WHY_HELD_BY_QUEUE},
	{"ioc_rqos_throttle", WHY_HELD_BY_CGROUP},
	{"blkcg_iolatency_throttle", WHY_HELD_BY_CGROUP},
	{"blkcg_maybe_throttle_", WHY_HELD_BY_CGROUP},
	{"wbt_wait", WHY_HELD_BY_WRITES},
	{"balance_dirty_pages", WHY_HELD_BY_MEMORY},
};

const char *const why_held_words[NR_WHY_HELD] = {
	[WHY_NOT_HELD] = "",
	[WHY_HELD_BY_QUEUE] = "its queue was full",
	[WHY_HELD_BY_CGROUP] = "its cgroup's share was used up",
	[WHY_HELD_BY_WRITES] = "held back as writeback",
	[WHY_HELD_BY_MEMORY] = "too much memory to be written",
	[WHY_HELD_BY_LIMIT] = "its cgroup was at its limit",
};

static enum why_held find_held(const struct profile *p, u32 kernel)
{
	for (u32 i = 0; i < p->stacks.at[kernel].nr; i++)
		for (size_t k = 0; k < ARRAY_SIZE(holders); k++)
			if (string_begins(name_at(p, kernel, i), holders[k].begins))
				return holders[k].held;
	return WHY_NOT_HELD;
}

enum why_held places_held(struct places *places, const struct profile *p, u32 kernel)
{
	while (places->held.nr < p->stacks.nr)
		*vec_add(&places->held) = 0;
	if (!places->held.at[kernel])
		places->held.at[kernel] = (u8)(find_held(p, kernel) + 1);
	return places->held.at[kernel] - 1;
}

static bool is_of_libc(const struct profile *p, const struct frame *frame)
{
	if (frame->space == SPACE_NOTE)
		return !frame_is_interpreted(p, (u32)(frame - p->frames.at));
	if (frame->space != SPACE_FILE)
		return frame->space == SPACE_VDSO;
	return file_is_libc(strings_get(&p->names, p->files.at[frame->origin].name));
}

/* Of an interpreter the same is true, where the stack has frames of its program. */
static bool is_of_library(const struct profile *p, const struct frame *frame, bool interpreted)
{
	return is_of_libc(p, frame) ||
	       (interpreted && frame_is_interpreters(p, (u32)(frame - p->frames.at)));
}

static bool is_of_runtime(const struct profile *p, const struct frame *frame)
{
	struct string name = strings_get(&p->names, p->functions.at[frame->function].shown.name);

	if (frame->space != SPACE_FILE)
		return false;
	return file_is_runtime(strings_get(&p->names, p->files.at[frame->origin].name)) ||
	       function_is_runtimes(name);
}

static const struct frame *frame_at(const struct profile *p, const struct stack *s, u32 i)
{
	return &p->frames.at[p->stack_frames.at[s->first + i]];
}

/* How many frames from the leaf on are not the program's; what those tell is noted. */
static u32 skip_libraries(const struct profile *p, u32 user, struct place *place)
{
	const struct stack *s = &p->stacks.at[user];
	bool interpreted = stack_is_interpreted(p, user);
	u32 i = 0;

	for (; i < s->nr; i++) {
		bool runtime = is_of_runtime(p, frame_at(p, s, i));

		if (!runtime && !is_of_library(p, frame_at(p, s, i), interpreted))
			break;
		place->in_runtime |= runtime;
		place->in_scheduler |= runtime && function_is_runtimes(name_at(p, user, i));
		if (!place->lock)
			place->lock = function_waits_for_lock(name_at(p, user, i));
		place->in_condition |= function_waits_for_condition(name_at(p, user, i));
		place->in_mutex |= function_waits_for_mutex(name_at(p, user, i));
	}
	return i;
}

/*
 * The innermost one with a name, from a frame of the program's on, but for those by which Java's
 * own classes wait. Where none has one, the function of a library that it has called.
 */
static u32 named_frame(const struct profile *p, const struct stack *s, u32 first)
{
	for (u32 i = first; i < s->nr; i++) {
		const struct frame *frame = frame_at(p, s, i);
		const struct function *function = &p->functions.at[frame->function];

		if (function->named && !is_of_libc(p, frame) && !is_of_runtime(p, frame) &&
		    !method_waits(strings_get(&p->names, function->shown.name)))
			return i;
	}
	return first && frame_at(p, s, first)->space == SPACE_IMAGE ? first - 1 : first;
}

static struct place find_place(const struct profile *p, u32 user)
{
	const struct stack *s = &p->stacks.at[user];
	struct place place = {};
	u32 i = skip_libraries(p, user, &place);

	if (i == s->nr) { /* all of it is, or there is none */
		place.function = s->nr ? frame_at(p, s, 0)->function : 0;
		place.is_whole = place.in_scheduler;
		return place;
	}
	place.frame = frame_at(p, s, i)->space == SPACE_IMAGE ? named_frame(p, s, i) : i;
	place.function = frame_at(p, s, place.frame)->function;
	place.depth = s->nr - i;
	place.is_whole = s->end == WICK_COMPLETE;
	place.in_runtime = place.in_scheduler = false;
	place.in_goroutine = function_begins_goroutine(name_at(p, user, s->nr - 1));
	return place;
}

struct place places_place(struct places *places, const struct profile *p, u32 user)
{
	while (places->places.nr < p->stacks.nr)
		*vec_add(&places->places) = (struct place){.depth = UINT32_MAX};
	if (places->places.at[user].depth == UINT32_MAX)
		places->places.at[user] = find_place(p, user);
	return places->places.at[user];
}

void places_release(struct places *places)
{
	vec_release(&places->kinds);
	vec_release(&places->held);
	vec_release(&places->places);
}
