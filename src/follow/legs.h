/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legs.h: the thread that a sample is about, in the kernel's words, made rows of the profile: the
 * leg, its image, and what only user space can find out: the name of the process, the path of the
 * cgroup.
 */
#ifndef FOLLOW_LEGS_H
#define FOLLOW_LEGS_H

#include "profile.h"
#include "wick.h"

struct named_cgroup {
	u64 id;
	u32 path;
};

struct legs {
	struct profile *profile; /* not owned */
	VEC(struct named_cgroup) cgroups;
};

/* The row of a leg. */
u32 legs_row(struct legs *l, const struct wick_leg *leg);
void legs_release(struct legs *l);
/* The name of a process, now; its size, 0 where it is gone. */
size_t legs_comm_of(u32 pid, char comm[WICK_COMM_SIZE]);

#endif
