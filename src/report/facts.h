/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h: the parts of struct facts, and what fills each. X_sum() comes first, then X_finish(). */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "report.h"

void cpu_sum(struct facts *f, const struct profile *p);
void cpu_finish(struct facts *f, struct profile *p);
/* The functions with the most time of their own, in the cpu view's tree. */
void cpu_add_top(struct facts *f, const struct call_tree *tree);
void waits_sum(struct facts *f, const struct profile *p);
void waits_finish(struct facts *f, struct profile *p);
/* Needs what cpu or sched has observed. */
void processes_finish(struct facts *f, struct profile *p);
void quota_finish(struct quota_fact *quota, const struct profile *p);
void processes_release(struct process_facts *processes);
void faults_sum(struct facts *f, const struct profile *p);
void brk_sum(struct facts *f, const struct profile *p);
void mmap_sum(struct facts *f, const struct profile *p);
void standing_sum(struct facts *f, const struct profile *p);
void standing_finish(struct facts *f, struct profile *p);
void names_finish(struct facts *f, const struct profile *p);
void ends_finish(struct facts *f, const struct profile *p);
void cost_finish(struct facts *f, const struct profile *p);

/* Where a thread waits: "ksys_read < work < main"; "[not walked]" where it has no stacks. */
struct string place_of(struct facts *f, struct profile *p, u32 user, u32 kernel);
/* The same in fewer words, the program's own rather: "fdatasync < XLogWrite". `why` may be NULL. */
struct string short_place_of(struct facts *f, struct profile *p, const struct why *why, u32 user,
			     u32 kernel);
/* What most of some blocks was for: "redis 12: disk in fsync"; "" where that is not known. */
struct string cause_of(struct facts *f, struct profile *p, struct why *why, const u32 *blocks,
		       size_t nr);
/* What a thread's process was called when it last executed something: a string of p->names. */
static inline u32 process_comm(const struct profile *p, const struct leg *leg)
{
	return leg->image ? p->images.at[leg->image].comm : leg->comm;
}

/* "java 12", and a text after it; without the pid where that is 0. */
struct string process_text(struct facts *f, struct string name, u32 pid, const char *after);
/* The class of a wait that keeps work from going on; others are for work, or may be. */
bool is_delay(enum why_class class);
/* "java-12/34", "[timer: hrtimer_wakeup]"; "" where the waker is not known. */
struct string waker_of(struct facts *f, struct profile *p, u32 chain);

#endif
