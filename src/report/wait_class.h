/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_class.h: which kind of wait a stretch off-CPU was, as far as its state and stacks tell. */
#ifndef REPORT_WAIT_CLASS_H
#define REPORT_WAIT_CLASS_H

#include "report.h"

/* Of a thread that is blocked, as far as its stacks tell. */
enum wait_class wait_class_of_stacks(const struct profile *p, u32 user, u32 kernel);
/* Of a sched sample: its state, and what its stacks tell. */
enum wait_class wait_class_of(const struct profile *p, const struct sample *sample,
			      enum wait_class of_stacks);
/* "disk": also the name of its member in the JSON summary. */
const char *wait_class_name(enum wait_class class);

/* What a thread waits for that has something to do; the rest is idle, or may be. */
static inline bool wait_is_delay(enum wait_class class)
{
	return class <= WAIT_PAGING;
}

#endif
