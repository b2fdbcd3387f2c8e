/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota.c: who used the quota of the cgroup that was throttled the most: its processes that ran
 * most, also those that the filters leave out. Where the quota is that of a cgroup above, others
 * may have used it, too.
 */
#include "base/numbers.h"
#include "base/table.h"
#include "facts.h"

enum { NS = 1 /* column */ };

/* A cgroup that was throttled, or a process that ran: by one leg of those that are alike. */
struct sum {
	u32 leg;
	u64 ns;
};

struct sums {
	VEC_FIELDS(struct sum);
	struct table table;
};

static void sums_release(struct sums *sums)
{
	table_release(&sums->table);
	vec_release(sums);
}

static bool is_same_cgroup(const struct leg *a, const struct leg *b)
{
	return a->cgroup_path == b->cgroup_path && a->host == b->host;
}

static bool is_same_process(const struct leg *a, const struct leg *b)
{
	return a->pid == b->pid && a->host == b->host;
}

static void add_to(struct sums *sums, const struct profile *p, u32 leg, u64 ns, u32 key,
		   bool (*is_same)(const struct leg *a, const struct leg *b))
{
	u64 hash = hash_u64(key);
	struct table_probe probe = table_probe(&sums->table, hash);

	while (table_next(&probe)) {
		struct sum *sum = &sums->at[probe.ref];

		if (!is_same(&p->legs.at[sum->leg], &p->legs.at[leg]))
			continue;
		add_to_sum(&sum->ns, ns);
		return;
	}
	table_insert(&sums->table, hash, (u32)sums->nr);
	*vec_add(sums) = (struct sum){leg, ns};
}

static int compare_sums(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

/* The root has no quota, and its path is that of threads of which nothing is known. */
static bool has_path(const struct profile *p, u32 leg)
{
	return strings_get(&p->names, p->legs.at[leg].cgroup_path).size > 1;
}

/* A leg of the cgroup that was throttled the most; 0: it is not known which. */
static u32 find_throttled(const struct profile *p)
{
	struct sums cgroups = {};
	u32 leg = 0;

	vec_for_each (&p->samples, sample)
		if (sample->kind == WICK_SCHED && sample->state & WICK_STATE_THROTTLED &&
		    has_path(p, sample->leg))
			add_to(&cgroups, p, sample->leg, sample->column[NS],
			       p->legs.at[sample->leg].cgroup_path, is_same_cgroup);
	vec_sort(&cgroups, compare_sums);
	if (cgroups.nr)
		leg = cgroups.at[0].leg;
	sums_release(&cgroups);
	return leg;
}

static void add_thread(struct sums *processes, const struct profile *p, u32 cgroup,
		       const struct thread_time *t)
{
	const struct leg *leg = &p->legs.at[t->leg];

	if (t->running && is_same_cgroup(leg, &p->legs.at[cgroup]))
		add_to(processes, p, t->leg, t->running, leg->pid, is_same_process);
}

static struct quota_user user_of(const struct profile *p, const struct sum *sum)
{
	const struct leg *leg = &p->legs.at[sum->leg];

	return (struct quota_user){strings_get(&p->names, process_comm(p, leg)), leg->pid, sum->ns};
}

void quota_finish(struct quota_fact *quota, const struct profile *p)
{
	u32 cgroup = find_throttled(p);
	struct sums processes = {};

	if (!cgroup)
		return;
	quota->cgroup = strings_get(&p->names, p->legs.at[cgroup].cgroup_path);
	vec_for_each (&p->threads, t)
		add_thread(&processes, p, cgroup, t);
	vec_for_each (&p->other_threads, t)
		add_thread(&processes, p, cgroup, t);
	vec_sort(&processes, compare_sums);
	for (size_t i = 0; i < min(processes.nr, (size_t)MOST_QUOTA_USERS); i++)
		if (processes.at[i].ns >= processes.at[0].ns / 2)
			quota->users[i] = user_of(p, &processes.at[i]);
	sums_release(&processes);
}
