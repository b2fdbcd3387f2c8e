/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pass.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.skel.h"

/*
 * The kernel visits as many threads as fill what is read; each of them can send a stack of 64 KB through a ring of 4
 * MB, which has to be emptied in between.
 */
enum { THREADS_AT_ONCE = 32 };

int pass_run(struct wick_bpf *skeleton, void (*drain)(void *ctx), void *ctx)
{
	struct bpf_link *link = skeleton->links.wick_visit;
	_cleanup_close_ int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char visited[THREADS_AT_ONCE * WICK_VISIT_BYTES];
	ssize_t size;

	if (fd < 0)
		return link ? -errno : -ENOENT;
	do {
		size = read(fd, visited, sizeof(visited));
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		drain(ctx);
	} while (size);
	return 0;
}

void pass_thresholds(struct wick_bpf *skeleton, u64 walk_above_ns,
		     struct walk_threshold thresholds[WICK_THRESHOLDS])
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct wick_sched_cpu *at = NULL;
	u32 zero = 0;

	for (u32 i = 0; i < WICK_THRESHOLDS; i++)
		thresholds[i] = (struct walk_threshold){.above_ns = walk_above_ns << i};
	if (cpus <= 0)
		return;
	at = xcalloc((size_t)cpus, sizeof(*at));
	if (bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.sched_cpus), &zero, at))
		return;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (u32 i = 0; i < WICK_THRESHOLDS; i++)
			thresholds[i].ruled_ns += at[cpu].ruled[i];
}
