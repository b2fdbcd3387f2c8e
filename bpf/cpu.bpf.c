/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.bpf.c: the cpu instrument. A perf event on every CPU fires with a fixed period of CPU time;
 * each time, the thread that runs there is counted with its stacks.
 *
 * It runs on idle CPUs too: only so can the number of samples be held against the event's own
 * clock. The kernel skips a program, without counting it, while another one or a map operation runs
 * on the same CPU.
 */
#include "capture.h"
#include "count.h"
#include "leg.h"
#include "meter.h"

static __always_inline void sample(struct bpf_perf_event_data *ctx, struct task_struct *task,
				   struct scratch *s, u64 now, struct wick_counters *tally)
{
	struct wick_key key = {.kind = WICK_CPU, .leg = s->leg.body.id};
	struct wick_columns one = {.column = {1}};

	if (!filter.no_kernel_stack)
		key.kernel = kernel_stack(ctx, s, now, tally);
	if (!filter.no_user_stack && has_user_stack()) {
		walk_begin(&s->walk, ctx, task);
		key.user = walked_user_stack(task, s, now, tally);
	}
	count(&key, &one, tally);
}

/* True when a stack was walked. */
static __always_inline bool look(struct bpf_perf_event_data *ctx, struct task_struct *task, u64 now,
				 struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	u32 kind = thread_kind(task);

	if (kind == WICK_IDLE) {
		tally->idle_ran++;
		if (!filter.idle) {
			tally->at[WICK_IDLE_LEFT_OUT]++;
			return false;
		}
	}
	s = scratch_take(tally);
	if (!s)
		return false;
	leg_capture(&s->leg.leg, (u64)task, kind);
	s->has_leg = true;
	if (is_self(&s->leg.leg, (u64)task)) {
		tally->at[WICK_SELF_LEFT_OUT]++;
		return false;
	}
	if (!wanted(&s->leg.leg, (u64)task)) {
		tally->at[WICK_FILTERED]++;
		return false;
	}
	leg_intern(&s->leg, tally, now, 0);
	sample(ctx, task, s, now, tally);
	return true;
}

SEC("perf_event")
int wick_cpu(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct wick_counters *tally = counters_of(WICK_CPU);
	u64 now = bpf_ktime_get_ns();

	if (!tally)
		return 0;
	if (!in_window(now)) {
		tally->at[WICK_OUTSIDE]++;
		return 0;
	}
	tally->at[WICK_RAN]++;
	meter_end(WICK_METER_CPU, look(ctx, task, now, tally), now);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
