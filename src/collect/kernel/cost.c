/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.h"
#include "wick.skel.h"

#define PROGRAM_OF(row, program) [WICK_METER_##row] = #program,
static const char *const programs[WICK_NR_METERS] = {WICK_METERED(PROGRAM_OF)};

/* Over all CPUs; a negative errno. */
static int read_meter(int fd, u32 row, struct wick_meter *sum)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct wick_meter *at = NULL;

	if (cpus <= 0)
		return -EINVAL;
	at = xcalloc((size_t)cpus, sizeof(*at));
	if (bpf_map_lookup_elem(fd, &row, at))
		return -errno;
	for (int i = 0; i < cpus; i++) {
		sum->runs += at[i].runs;
		sum->timed_runs += at[i].timed_runs;
		sum->timed_ns += at[i].timed_ns;
		sum->walks += at[i].walks;
		sum->walk_ns += at[i].walk_ns;
	}
	return 0;
}

void cost_read(struct wick_bpf *skeleton, struct run_cost *cost)
{
	cost->programs.nr = 0;
	for (u32 row = 0; row < WICK_NR_METERS; row++) {
		struct wick_meter m = {};
		struct program_cost *program;

		if (read_meter(bpf_map__fd(skeleton->maps.meters), row, &m) || !(m.runs + m.walks))
			continue;
		program = vec_add(&cost->programs);
		snprintf(program->name, sizeof(program->name), "%s", programs[row]);
		program->runs = m.runs;
		program->timed_runs = m.timed_runs;
		program->timed_ns = m.timed_ns;
		program->walks = m.walks;
		program->walk_ns = m.walk_ns;
	}
}
