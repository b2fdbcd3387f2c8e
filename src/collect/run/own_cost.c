/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own_cost.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

enum {
	ALLOWED_PERCENT = 4,	     /* of the host; with what is saved at the begin, 5 % in 10 s */
	SAVED_NS = 80 * 1000 * 1000, /* for each CPU */
	MOST_LEVEL = 6,
	/*
	 * Rows of a million samples and frames: nine views of them, as pictures and as text, take
	 * about a second. A host with more CPUs, and a longer run, have more.
	 */
	ROOM = 24 << 20,
	ROOM_RATE = 256 << 10,	 /* a second and CPU */
	MEMORY_PART = 12,	 /* of wick's memory, for those rows */
	PROCESS_SIZE = 3 << 20,	 /* of a process, at once: 11,000 stacks 30 deep */
	PROCESS_RATE = 64 << 10, /* bytes a second and CPU, and ... */
	SAMPLE_BYTES = 1 << 10,	 /* ... so many for each sample: both stacks, 100 deep in all */
	PROCESSES_OF_USER = 4,	 /* that may make so much */
	CHANGE_SIZE = 8 << 20,
	CHANGE_RATE = 4096,
};

u64 self_cpu_ns(struct files *files)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (u64)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (u64)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC +
	       files_cost(files).cpu_ns;
}

static u64 nr_cpus(void)
{
	return (u64)max(get_nprocs(), 1);
}

static s64 most_saved(void)
{
	return (s64)nr_cpus() * SAVED_NS;
}

static u64 rows_size(const struct profile *p)
{
	return p->stack_frames.nr * sizeof(*p->stack_frames.at) +
	       p->stacks.nr * sizeof(*p->stacks.at) + p->legs.nr * sizeof(*p->legs.at) +
	       p->samples.nr * sizeof(*p->samples.at) +
	       p->chain_hops.nr * sizeof(*p->chain_hops.at) + p->chains.nr * sizeof(*p->chains.at) +
	       p->hops.nr * sizeof(*p->hops.at);
}

/* 0 until half of the room is taken, 1 until half of what is left then is, and so on. */
static u32 level_of_room(u64 room, u64 taken)
{
	u32 level = 0;

	while (level < 30 && taken > room - (room >> (level + 1)))
		level++;
	return level;
}

static void set_limits(const struct own_cost *o, struct wick_limits *limits)
{
	u32 level = max(o->level, o->filled);
	u64 size = min(o->room / 4, (u64)PROCESS_SIZE);

	limits->process_rate = o->process_rate >> level;
	limits->user_size = size * PROCESSES_OF_USER;
	limits->user_rate = PROCESSES_OF_USER * limits->process_rate;
	limits->change_rate = CHANGE_RATE >> level;
	limits->change_size = o->level ? CHANGE_SIZE : 0;
	limits->level = o->level;
	__atomic_store_n(&limits->process_size, size, __ATOMIC_RELEASE);
}

void own_cost_begin(struct own_cost *o, u64 cpu, u64 memory, u32 frequency,
		    struct wick_limits *limits)
{
	*o = (struct own_cost){
		.most_room = memory / MEMORY_PART,
		.room = min(memory / MEMORY_PART, (u64)ROOM),
		.process_rate = (PROCESS_RATE + (u64)frequency * SAMPLE_BYTES) * nr_cpus() >> 10,
		.cpu_ns = cpu,
		.at_ns = monotonic_ns(),
		.saved_ns = most_saved(),
	};
	set_limits(o, limits);
}

void own_cost_slice(struct own_cost *o, u64 cpu, const struct profile *p,
		    struct wick_limits *limits)
{
	u64 now = monotonic_ns(), passed = now - o->at_ns;
	u64 allowed = passed * nr_cpus() / 100 * ALLOWED_PERCENT;
	s64 saved = o->saved_ns + (s64)allowed - (s64)(cpu - o->cpu_ns);

	o->over_ns += o->level ? passed : 0;
	o->saved_ns = min(saved, most_saved());
	if (saved < 0 && cpu - o->cpu_ns > allowed && o->level < MOST_LEVEL)
		o->level++;
	else if (o->level && saved > most_saved() / 2)
		o->level--;
	o->room = min(o->most_room, o->room + passed * nr_cpus() * ROOM_RATE / NSEC_PER_SEC);
	o->filled = level_of_room(o->room, rows_size(p));
	o->highest = max(o->highest, o->level);
	o->cpu_ns = cpu;
	o->at_ns = now;
	set_limits(o, limits);
}
