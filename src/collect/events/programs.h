/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h: the code of BPF programs that are loaded or unloaded while a run is on.
 *
 * Kernel addresses are named when the run is over; the kernel has forgotten what was unloaded by
 * then, and may have put another program at its place. It tells of both when they happen
 * (PERF_RECORD_KSYMBOL, include/uapi/linux/perf_event.h), which is kept here. An address is of the
 * program that was there when the address was first in a stack.
 */
#ifndef COLLECT_EVENTS_PROGRAMS_H
#define COLLECT_EVENTS_PROGRAMS_H

#include "base/strings.h"
#include "base/vec.h"
#include "symbolize.h"

enum { PROGRAMS_MAX = 8192 }; /* loads and unloads of functions; later ones are not kept */

/* A program's function is loaded to [start, start + size), or is no longer there. */
struct program_event {
	u64 start, size, time;
	u32 name; /* in programs.names */
	bool loads;
};

struct programs {
	struct {
		VEC_FIELDS(struct program_event);
	} events;
	struct strings names;
	u64 full_from; /* the time of the first event that was not kept; UINT64_MAX: all were */
};

void programs_init(struct programs *programs);
void programs_release(struct programs *programs);
/* In any order of times. */
void programs_add(struct programs *programs, u64 start, u64 size, const char *name, u64 time,
		  bool loads);

/*
 * As kernel_namer.names(), with `other` for all addresses at which nothing was loaded or unloaded.
 * Nobody names what was there before the first program that was seen to come. `sights` is sorted
 * here; an address that is not among them is as one that was seen last of all. Returns what `other`
 * does.
 */
int programs_names(const struct programs *programs, struct kernel_sight *sights, size_t nr_sights,
		   const struct kernel_namer *other, const u64 *addresses, size_t nr,
		   void (*answer)(void *ctx, size_t i, const char *name, const char *module),
		   void *ctx);

#endif
