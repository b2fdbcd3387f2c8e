/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_clock.h: how long a thread has run, as the scheduler's own clocks have it. They go on where
 * no program of ours is run, so they are held against our stamps at each switch.
 *
 * se.sum_exec_runtime counts a thread's running time in all its life. It is exact while the thread
 * does not run, and at the switch that it leaves with. It counts its CPU's rq.clock_task, which
 * leaves out what interrupts and a hypervisor took, and which the scheduler does not bring up to
 * date at each switch. So what that clock falls behind ours from one switch to the next is added.
 *
 * All arguments are trusted pointers of a tracepoint, so that plain loads do.
 */
#ifndef RUN_CLOCK_H
#define RUN_CLOCK_H

#include "thread.h"

/* The clocks of two CPUs, and of the scheduler, differ by some microseconds. */
enum { CLOCK_SLACK_NS = 200 * 1000 };

/* By how much the scheduler's clock of the current task's CPU is behind ours: ns. */
static __always_inline u64 clock_behind(struct task_struct *task, u64 now)
{
	if (!bpf_core_field_exists(task->se.cfs_rq))
		return 0;
	return now - task->se.cfs_rq->rq->clock_task;
}

/* Since when a thread that leaves its CPU, and was not seen to come, has run. */
static __always_inline u64 arrival(struct task_struct *task, u64 last_switch, u64 now)
{
	struct rq *rq;
	u64 ran;

	if (!bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(task->sched_info.last_arrival))
		return last_switch;
	rq = task->se.cfs_rq->rq;
	ran = rq->clock - task->sched_info.last_arrival;
	return ran < now ? now - ran : 0;
}

/* Tells user space's clock from the scheduler's, for the final pass. */
static __always_inline void note_clock_offset(struct task_struct *task, u64 now)
{
	if (bpf_core_field_exists(task->se.cfs_rq))
		control.clock_offset = now - task->se.cfs_rq->rq->clock;
}

/*
 * A stretch of running, as stamped, that ends `now`. What the scheduler knows nothing of is time
 * off the CPU, after a switch that was not seen. Returns the running time.
 */
static __always_inline u64 checked_stretch(struct thread *t, u64 stretch, u64 by_kernel,
					   struct wick_counters *tally)
{
	t->ran += by_kernel;
	if (stretch <= by_kernel + CLOCK_SLACK_NS)
		return stretch;
	tally->at[WICK_HIDDEN_SWITCH]++;
	t->unaccounted += stretch - by_kernel;
	return by_kernel;
}

#endif
