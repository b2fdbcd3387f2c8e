/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sideband.h: the kernel's own records of what processes do: executable mappings, execs, names,
 * forks, exits, of every process, in order, on the clock of the run; and where BPF programs come
 * and go. From a dummy software event on each CPU, through the perf ring buffer
 * (include/uapi/linux/perf_event.h).
 */
#ifndef COLLECT_EVENTS_SIDEBAND_H
#define COLLECT_EVENTS_SIDEBAND_H

#include "base/base.h"
#include "base/vec.h"
#include "cpus.h"
#include "follow.h"
#include "programs.h"

struct sideband;

/*
 * Opens a ring of each online CPU. When `max_saved` bytes of records wait to be drained, the others
 * stay there.
 */
int sideband_open(struct sideband **s, u64 max_saved, struct error *error);
/* One from which nothing ever comes, for a host that allows no perf events. */
struct sideband *sideband_none(void);
/*
 * To be called once a second, when all has been drained: CPUs that have come online since, or were
 * offline in between. Their events have ended: these CPUs are appended to `opened`, for others that
 * have events there.
 */
void sideband_follow_cpus(struct sideband *s, struct cpu_list *opened);
/*
 * Hands on all records that are there, CPU by CPU: not in the order of their times. `epoll_fd`
 * wakes up when a ring is a quarter full.
 */
void sideband_drain(struct sideband *s, void (*record)(void *ctx, const struct sideband_record *r),
		    void *ctx);
int sideband_watch(struct sideband *s, int epoll_fd);
/*
 * Copies what is in the rings into memory, for the next sideband_drain(), and does nothing else:
 * for a thread that is woken through `epoll_fd`.
 */
void sideband_save(struct sideband *s);
/* What has been drained of BPF programs. */
const struct programs *sideband_programs(const struct sideband *s);
u64 sideband_nr_records(const struct sideband *s);
/* Records that found no room, as the kernel counted them. */
u64 sideband_lost(const struct sideband *s);
void sideband_close(struct sideband *s);

#endif
