/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.c: the cpu view: where threads were when they ran. */
#include "metrics.h"
#include "stacks.h"

static void project_cpu(struct profile *p, const struct view_options *options,
			const struct stack_sink *sink)
{
	struct frames frames = {};

	for (size_t i = 0; i < p->samples.nr; i++) {
		struct sample sample = p->samples.at[i];

		if (sample.kind != WICK_CPU)
			continue;
		frames.nr = 0;
		frames_add_group(&frames, p, sample.leg, options->group);
		frames_add_stack(&frames, p, sample.user);
		frames_add_stack(&frames, p, sample.kernel);
		frames_give(
			&frames, p, options,
			(struct weighted_stack){.leg = sample.leg,
						.on_cpu = true,
						.value = sample.column[options->metric->column]},
			sink);
	}
	frames_add_losses(p, options, WICK_CPU, sink);
	vec_release(&frames);
}

const struct view cpu_view = {
	.name = "cpu",
	.title = "On-CPU flame graph",
	.summary = "where threads run; width: CPU time, in samples",
	.brief = "where threads run: on-CPU flame graph",
	.needs = NEED_CPU,
	.metrics = {PLAIN("samples", 0)},
	.project = project_cpu,
	.reading = "Width is CPU time: samples, taken so many times a second on each CPU. "
		   "Look for wide boxes with nothing on top: that code itself uses the CPU. A "
		   "wide box lower down called what uses it. Grey is code without a name; the "
		   "summary says what to install for it.",
	.example = "nginx;_start;main;ngx_process_cycle;ngx_http_gzip;deflate_fast 700\n"
		   "nginx;_start;main;ngx_process_cycle;ngx_http_log;do_syscall_64;vfs_write 100",
	.meaning = "Of 800 samples, 700 were in deflate_fast, so compression takes 7/8 of "
		   "this server's CPU time; at 99 Hz, 800 samples are 8 s on one CPU. Writing "
		   "the log, in the kernel, takes the rest.",
};
