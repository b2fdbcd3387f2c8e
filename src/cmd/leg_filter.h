/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leg_filter.h: the filters of a run, applied to a profile that was read. BPF programs apply the
 * same ones to a run.
 */
#ifndef CMD_LEG_FILTER_H
#define CMD_LEG_FILTER_H

#include "options.h"
#include "profile.h"

/*
 * Leaves the samples, threads and blocks of the legs that -p -t -c --process --host -G -u -k
 * choose, without the stacks that -U and -K leave out; the other threads' blocks and times are set
 * apart, since they explain waits. -EINVAL with a text for a pattern that is
 * none.
 */
int filter_legs(const struct run_options *o, struct profile *p, struct error *error);

#endif
