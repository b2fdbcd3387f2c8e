/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c: sums of what the memory instruments saw. */
#include "base/numbers.h"
#include "facts.h"

enum {
	FAULTS = 0, /* columns of a fault's sample */
	RESIDENT = 1,
	NS = 2,
	CALLS = 0, /* and of a call's */
	BYTES = 1,
};

static u64 all_faults(const struct profile *p, u32 column)
{
	return profile_sum(p, WICK_FAULT, column, 0, 0);
}

static u64 faults_that(const struct profile *p, u32 column, u32 flag)
{
	return profile_sum(p, WICK_FAULT, column, flag, flag);
}

static const char *warning_of(const struct profile *p)
{
	return p->huge_pages ? "far too low, since transparent huge pages are set to always here"
			     : "too low where huge pages are used";
}

void faults_sum(struct facts *f, const struct profile *p)
{
	f->faults = (struct fault_facts){
		.faults = all_faults(p, FAULTS),
		.resident = all_faults(p, RESIDENT),
		.ns = all_faults(p, NS),
		.major = faults_that(p, FAULTS, WICK_MEMORY_MAJOR),
		.major_ns = faults_that(p, NS, WICK_MEMORY_MAJOR),
		.in_kernel = faults_that(p, FAULTS, WICK_MEMORY_IN_KERNEL),
		.resident_by_calls = faults_that(p, RESIDENT, WICK_MEMORY_BY_CALL),
		.not_done = p->failed_faults,
		.warning = p->by_faults ? warning_of(p) : NULL,
	};
}

static u64 per_second(const struct profile *p, u64 bytes)
{
	u64 ns = max(p->end - p->begin, (u64)1);

	return saturated(((unsigned __int128)bytes * NSEC_PER_SEC + ns / 2) / ns);
}

/* Of calls whose state has these flags, of those in `of`. */
static struct memory_facts calls_of(const struct profile *p, enum wick_kind kind, u32 of, u32 flags,
				    enum memory_accounts which)
{
	const struct memory_account *account = &p->memory[which];
	u64 mapped = profile_sum(p, kind, BYTES, of, flags);

	return (struct memory_facts){
		.calls = profile_sum(p, kind, CALLS, of, flags),
		.mapped = mapped,
		.per_second = per_second(p, mapped),
		.of_files = profile_sum(p, kind, BYTES, of | WICK_MEMORY_FILE,
					flags | WICK_MEMORY_FILE),
		.unmapped = which == MEMORY_BRK ? account->given_back : account->unmapped,
		.gone = account->gone,
		.held = account->held,
	};
}

void brk_sum(struct facts *f, const struct profile *p)
{
	f->brk = calls_of(p, WICK_BRK, 0, 0, MEMORY_BRK);
	f->processes_32_bit = p->processes_32_bit;
}

void mmap_sum(struct facts *f, const struct profile *p)
{
	f->mmap = calls_of(p, WICK_MMAP, WICK_MEMORY_RESERVED, 0, MEMORY_MMAP);
	f->reserved =
		calls_of(p, WICK_MMAP, WICK_MEMORY_RESERVED, WICK_MEMORY_RESERVED, MEMORY_RESERVED);
	f->processes_32_bit = p->processes_32_bit;
}
