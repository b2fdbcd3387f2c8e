/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.c: where threads were when they waited; the offcpu view.
 *
 *	comm;user...;kernel...				blocked
 *	comm;user...;kernel...;[still blocked]		... until the window's end
 *	comm;user...;kernel...;[runqueue]		woken out of that sleep, waiting for a CPU
 *	comm;user...;kernel...;[preempted]		runnable, but another one had the CPU
 *	comm;user...;kernel...;[throttled]		... but its cgroup's quota was used up
 *	comm;[short sleeps]				too short, all together, for a walk
 *	comm;[never ran];user...;kernel...;[still blocked]
 */
#include "waits.h"
#include "base/numbers.h"

#include "metrics.h"

enum { NS_COLUMN = 1 };

char sched_letter(u32 state)
{
	return (char)(state & WICK_STATE_LETTER);
}

bool sched_is_blocked(u32 state)
{
	return sched_letter(state) != 'R' && sched_letter(state) != 'Q';
}

int states_by_letters(const char *letters, u32 *states)
{
	u32 found = 0;

	for (const char *c = letters; *c; c++) {
		char upper = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		const char *at = strchr(STATE_LETTERS, upper);

		if (!at)
			return -EINVAL;
		found |= 1u << (at - STATE_LETTERS);
	}
	if (!found)
		return -EINVAL;
	*states = found;
	return 0;
}

static bool has_state(const struct view_options *options, u32 state)
{
	const char *at = sched_letter(state) ? strchr(STATE_LETTERS, sched_letter(state)) : NULL;

	return !options->states || (at && options->states & 1u << (at - STATE_LETTERS));
}

static bool is_still_blocked(u32 state)
{
	return sched_is_blocked(state) && state & WICK_STATE_STILL;
}

/* Why the options leave a sample out: a column of *left; NULL: they do not. */
static u64 *left_out_by(const struct sample *sample, const struct view_options *options,
			struct left_out *left)
{
	if (!has_state(options, sample->state))
		return &left->states;
	if (options->no_never_ran && sample->state & WICK_STATE_NEVER_RAN)
		return &left->never_ran;
	if (options->no_still_blocked && is_still_blocked(sample->state))
		return &left->still_blocked;
	return NULL;
}

bool sched_is_shown(const struct sample *sample, const struct view_options *options)
{
	struct left_out left;

	return sample->kind == WICK_SCHED && !left_out_by(sample, options, &left);
}

static u64 idle_ns(const struct why *why, u32 sample)
{
	u64 ns[WHY_UNTOLD + 1];

	why_sample_classes(why, sample, ns);
	return ns[WHY_IDLE];
}

struct left_out view_left_out(const struct profile *p, const struct view_options *options)
{
	struct left_out left = {};

	vec_for_each (&p->samples, sample) {
		u64 *column =
			sample->kind == WICK_SCHED ? left_out_by(sample, options, &left) : NULL;

		if (column)
			add_to_sum(column, sample->column[NS_COLUMN]);
		else if (sample->kind == WICK_SCHED && options->no_idle && options->why)
			add_to_sum(&left.idle,
				   idle_ns(options->why, (u32)(sample - p->samples.at)));
	}
	return left;
}

/*
 * The frame of a kernel stack at which the thread left the CPU: what is nearer to the leaf is
 * tracing.
 */
static u32 sched_leaf(const struct profile *p, u32 kernel)
{
	/* A new thread comes from the latter. */
	u32 leaf = stack_traced_at(p, kernel, "__schedule", "schedule_tail");

	/*
	 * On arm64 the stack at a kprobe of finish_task_switch lacks the caller, __schedule, and
	 * that of a thread which does not run has __switch_to in its place.
	 */
	if (leaf < p->stacks.at[kernel].nr) {
		struct string name = stack_name(p, kernel, leaf);

		leaf += string_begins(name, "finish_task_switch") ||
			string_begins(name, "__switch_to");
	}
	return leaf;
}

void frames_add_wait(struct frames *f, struct profile *p, u32 user, u32 kernel)
{
	frames_add_stack(f, p, user);
	frames_add_part(f, p, kernel, sched_leaf(p, kernel), p->stacks.at[kernel].nr);
}

/* Why there are no stacks, and what the thread waited for if it was not asleep. */
static void add_leaf_notes(struct frames *f, struct profile *p, u32 state)
{
	if (state & WICK_STATE_SHORT && sched_is_blocked(state))
		frames_add_note(f, p, "[short sleeps]");
	else if (state & (WICK_STATE_SHORT | WICK_STATE_NOT_WALKED))
		frames_add_note(f, p, "[not walked]");
	if (sched_letter(state) == 'R')
		frames_add_note(f, p, state & WICK_STATE_THROTTLED ? "[throttled]" : "[preempted]");
	if (sched_letter(state) == 'Q')
		frames_add_note(f, p, "[runqueue]");
	if (is_still_blocked(state))
		frames_add_note(f, p, "[still blocked]");
}

void frames_add_sleeper(struct frames *f, struct profile *p, const struct sample *sample,
			const struct view_options *options, const char *part)
{
	frames_add_group(f, p, sample->leg, options->group);
	if (part)
		frames_add_note(f, p, part);
	if (sample->state & WICK_STATE_NEVER_RAN)
		frames_add_note(f, p, "[never ran]");
	frames_add_wait(f, p, sample->user, sample->kernel);
	add_leaf_notes(f, p, sample->state);
}

u32 sched_waker(struct profile *p, u32 chain)
{
	struct frames frames = {};
	u32 name = 0;

	frames_add_first_waker(&frames, p, chain);
	if (frames.nr)
		name = frames.at[0].name;
	vec_release(&frames);
	return name;
}

void sched_project(struct profile *p, const struct view_options *options,
		   const struct stack_sink *sink, frames_of_sample *make)
{
	struct frames frames = {};

	for (size_t i = 0; i < p->samples.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		frames.nr = 0;
		if (!sched_is_shown(sample, options) || !make(&frames, p, sample, options))
			continue;
		frames_give(&frames, p, options,
			    (struct weighted_stack){
				    .leg = sample->leg,
				    .waker = sink->wakers ? sched_waker(p, sample->chain) : 0,
				    .state = sched_letter(sample->state),
				    .value = sample->column[options->metric->column]},
			    sink);
	}
	vec_release(&frames);
}

static bool offcpu_frames(struct frames *f, struct profile *p, const struct sample *sample,
			  const struct view_options *options)
{
	frames_add_sleeper(f, p, sample, options, NULL);
	return true;
}

static void project_offcpu(struct profile *p, const struct view_options *options,
			   const struct stack_sink *sink)
{
	struct waits w = {.p = p, .options = options, .sink = sink, .frame = offcpu_frames};

	waits_project(&w);
	frames_add_losses(p, options, WICK_SCHED, sink);
}

const struct view offcpu_view = {
	.name = "offcpu",
	.title = "Off-CPU flame graph",
	.summary = "where threads wait; width: time off-CPU",
	.brief = "where threads wait, and for how long",
	.needs = NEED_SCHED,
	.colors = "waits",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
	.project = project_offcpu,
	.reading = "Width is the time that threads were off-CPU, at the place where they left "
		   "it. Waits for work are one box [idle] of each process; --idle draws them "
		   "in full, --no-idle not at all. The rest are waits in the middle of work: a "
		   "lock, a disk, a page.\n\n"
		   "A box [runqueue] on top: the thread had been woken and waited for a free "
		   "CPU. [preempted]: the thread wanted to go on, but another one got the "
		   "CPU. [still blocked]: the wait had not ended when the run did.",
	.example =
		"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule 9000000\n"
		"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule;[runqueue] 500000\n"
		"db;main;serve;epoll_wait;do_syscall_64;do_epoll_wait 20000000",
	.meaning = "In a run of 30 s, this thread waited for the disk for 9 s, and then for "
		   "0.5 s more for a CPU. The 20 s in epoll_wait are idle time.",
};
