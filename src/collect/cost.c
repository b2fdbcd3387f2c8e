/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.skel.h"

void cost_meter_on(struct cost_meter *m)
{
	/* Since 5.8, and only for root: without it, the summary has no figure. */
	m->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
}

void cost_meter_off(struct cost_meter *m)
{
	if (m->stats_fd >= 0)
		close(m->stats_fd);
	m->stats_fd = -1;
}

void cost_read(struct wick_bpf *skeleton, u64 runs, struct collect_cost *cost)
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
		row->runs = program == skeleton->progs.wick_cpu ? runs : info.run_cnt;
	}
}
