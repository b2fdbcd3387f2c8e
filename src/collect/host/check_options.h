/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_options.h: what can be said of a run's options before anything is loaded. */
#ifndef COLLECT_HOST_CHECK_OPTIONS_H
#define COLLECT_HOST_CHECK_OPTIONS_H

#include "collect.h"

/* -EPERM: not root; -ESRCH: no such process or thread, or /proc is not this pid namespace's. */
int check_options(const struct collect_options *options, struct error *error);

/* Do they choose some of the host's threads? */
static inline bool options_leave_threads_out(const struct collect_options *o)
{
	return o->nr_pids || o->nr_tids || o->comm || o->process || o->cgroup || o->user_threads ||
	       o->kernel_threads || (o->program && !o->all);
}

#endif
