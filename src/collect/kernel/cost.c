/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.h"
#include "wick.skel.h"

void cost_meter_on(struct cost_meter *m, u64 now, u64 until)
{
	cost_meter_off(m, now);
	/* Since 5.8, and only for root: without it, the summary has no figure. */
	m->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	m->since = now;
	m->until = until;
}

void cost_meter_follow(struct cost_meter *m, u64 now)
{
	if (m->stats_fd >= 0 && now >= m->until)
		cost_meter_off(m, now);
}

void cost_meter_off(struct cost_meter *m, u64 now)
{
	if (m->stats_fd < 0)
		return;
	close(steal_fd(&m->stats_fd));
	m->on_ns += now - m->since;
}

/* How often a program ran in the window, of which the meter has seen a part. */
static u64 all_runs(const struct cost_meter *m, u64 seen, u64 window_ns)
{
	if (!m->on_ns || m->on_ns >= window_ns)
		return seen;
	return (u64)((double)seen * (double)window_ns / (double)m->on_ns);
}

void cost_read(const struct cost_meter *m, struct wick_bpf *skeleton, u64 window_ns, u64 samples,
	       struct run_cost *cost)
{
	struct bpf_program *program;

	cost->programs.nr = 0;
	bpf_object__for_each_program(program, skeleton->obj)
	{
		struct bpf_prog_info info = {};
		u32 size = sizeof(info);
		struct program_cost *row;

		if (bpf_program__fd(program) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) || !info.run_cnt)
			continue;
		row = vec_add(&cost->programs);
		snprintf(row->name, sizeof(row->name), "%s", bpf_program__name(program));
		row->timed_runs = info.run_cnt;
		row->timed_ns = info.run_time_ns;
		row->runs = program == skeleton->progs.wick_cpu
				    ? samples
				    : all_runs(m, info.run_cnt, window_ns);
	}
}
