/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.c: the parts of the follower, and what each call asks of them. */
#include "follow.h"

#include "copies.h"
#include "holdings.h"
#include "processes.h"
#include "timeline.h"

struct follow {
	struct processes *processes;
	struct copies *copies;
	struct holdings *holdings;
	struct timeline *timeline;
};

struct follow *follow_new(struct profile *profile, struct files *files, bool rows, u64 copies,
			  struct wanted_sink wanted, struct java_sink java)
{
	struct follow *f = xcalloc(1, sizeof(*f));

	f->processes = processes_new(profile, files, java);
	f->copies = copies_new(profile, files, f->processes, wanted, rows, copies);
	f->holdings = holdings_new(profile, 0);
	f->timeline = timeline_new(profile, f->processes, f->copies, f->holdings);
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	timeline_free(f->timeline);
	holdings_free(f->holdings);
	copies_free(f->copies);
	processes_free(f->processes);
	free(f);
}

int follow_body(struct follow *f, const void *body, size_t size)
{
	return timeline_body(f->timeline, body, size);
}

void follow_record(struct follow *f, const struct sideband_record *record)
{
	timeline_record(f->timeline, record);
}

void follow_count(struct follow *f, const struct wick_key *key, const struct wick_columns *columns)
{
	timeline_count(f->timeline, key, columns);
}

bool follow_hurries(const struct follow *f)
{
	return timeline_hurries(f->timeline) || processes_hurry(f->processes);
}

void follow_until(struct follow *f, u64 horizon)
{
	timeline_until(f->timeline, horizon);
	copies_retry(f->copies);
	processes_retry(f->processes);
}

bool follow_read_older(struct follow *f, u64 until_ns)
{
	return processes_read_older(f->processes, until_ns);
}

void follow_read_first(struct follow *f, const u32 *pids, size_t nr, u64 until_ns)
{
	processes_read_first(f->processes, pids, nr, until_ns);
	processes_wait(f->processes, until_ns);
}

void follow_prepare(struct follow *f, u64 until_ns, u64 told_ns)
{
	processes_read_older(f->processes, until_ns);
	processes_wait(f->processes, told_ns);
}

void follow_forget(struct follow *f, u64 time)
{
	processes_forget(f->processes, time);
}

bool follow_rotate(struct follow *f)
{
	return timeline_rotate(f->timeline);
}

void follow_finish(struct follow *f, u64 deadline_ns)
{
	timeline_finish(f->timeline);
	copies_finish(f->copies, deadline_ns);
	holdings_finish(f->holdings);
}

u32 follow_announce_again(struct follow *f, u32 pid, const struct mapping *mapping)
{
	return processes_announce_again(f->processes, pid, mapping);
}

struct follow_counts follow_counts(const struct follow *f)
{
	return (struct follow_counts){
		.bodies = timeline_nr_bodies(f->timeline),
		.body_bytes = timeline_body_bytes(f->timeline),
		.copies = copies_nr(f->copies),
		.mappings_read = processes_nr_read(f->processes),
		.mappings_unread = processes_nr_unread(f->processes),
		.python_copies = copies_nr_python(f->copies),
		.lost_stacks = timeline_lost_stacks(f->timeline),
	};
}
