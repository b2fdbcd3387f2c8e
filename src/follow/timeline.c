/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include "bodies.h"

enum {
	MAX_SPARE =
		256
		<< 10, /* bytes: copies of stacks come in bursts, and are not worth keeping room for */
};

/* A body in the arena, or a record: in the order of their times, then as they came. */
struct pending_body {
	u64 time;
	size_t at, size;
	u32 row; /* the stack's */
};

struct waiting_count {
	struct wick_key key;
	struct wick_columns columns;
};

struct arena {
	VEC_FIELDS(char);
};

struct timeline {
	struct processes *processes;
	struct bodies *meanings;
	VEC(struct process_event) events;
	VEC(struct pending_body) bodies;
	struct arena arena, spare;
	VEC(struct waiting_count) counts;
	u64 nr_bodies, body_bytes, lost_stacks;
};

struct timeline *timeline_new(struct profile *profile, struct processes *processes,
			      struct copies *walks, struct holdings *holdings)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->processes = processes;
	t->meanings = bodies_new(profile, processes, walks, holdings);
	return t;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	vec_release(&t->events);
	vec_release(&t->bodies);
	vec_release(&t->arena);
	vec_release(&t->spare);
	vec_release(&t->counts);
	bodies_free(t->meanings);
	free(t);
}

void timeline_record(struct timeline *t, const struct sideband_record *record)
{
	processes_event(t->processes, record, vec_add(&t->events));
}

/* Keeps a body until its time has come. `row` is what its id means already. */
static void defer(struct timeline *t, const struct wick_body *body, size_t size, u32 row)
{
	size_t aligned = (size + 7) & ~(size_t)7;

	*vec_add(&t->bodies) = (struct pending_body){
		.time = body->time, .at = t->arena.nr, .size = size, .row = row};
	vec_reserve(&t->arena, aligned);
	memcpy(t->arena.at + t->arena.nr, body, size);
	t->arena.nr += aligned;
}

/* Does the process exec between `time` and now? Then /proc tells about another program. */
static bool execs_later(const struct timeline *t, u32 pid, u64 time)
{
	vec_for_each (&t->events, event)
		if (event->pid == pid && event->type == SIDEBAND_EXEC && event->time >= time)
			return true;
	return false;
}

int timeline_body(struct timeline *t, const void *bytes, size_t size)
{
	u32 row;
	int taken = bodies_take(t->meanings, bytes, &size, &row);

	if (taken < 0)
		return taken;
	if (taken)
		defer(t, bytes, size, row);
	t->nr_bodies++;
	t->body_bytes += size;
	return 0;
}

/* Of a body whose time has come. */
static void fill(struct timeline *t, const struct wick_body *body, u32 row)
{
	u32 pid = bodies_pid(body);

	bodies_fill(t->meanings, body, row,
		    !processes_knows(t->processes, pid) && execs_later(t, pid, body->time));
}

/* ---- order */

static int compare_times(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_bodies(const void *a, const void *b)
{
	const struct pending_body *x = a, *y = b;
	int order = compare_times(x->time, y->time);

	/* A leg is sent before its stacks, at the same time. */
	return order ? order : compare_times(x->at, y->at);
}

static int compare_events(const void *a, const void *b)
{
	const struct process_event *x = a, *y = b;

	return compare_times(x->time, y->time);
}

/*
 * Forgets the bodies before `first`: the others move to the spare arena, which takes the arena's
 * place.
 */
static void keep_bodies(struct timeline *t, size_t first)
{
	struct arena done = t->arena;

	t->spare.nr = 0;
	for (size_t i = first; i < t->bodies.nr; i++) {
		struct pending_body body = t->bodies.at[i];
		size_t aligned = (body.size + 7) & ~(size_t)7;

		vec_reserve(&t->spare, aligned);
		memcpy(t->spare.at + t->spare.nr, t->arena.at + body.at, body.size);
		body.at = t->spare.nr;
		t->spare.nr += aligned;
		t->bodies.at[i - first] = body;
	}
	t->bodies.nr -= first;
	t->arena = t->spare;
	t->spare = done;
	if (t->spare.room > MAX_SPARE)
		vec_release(&t->spare);
}

static void keep_events(struct timeline *t, size_t first)
{
	if (!first)
		return;
	memmove(t->events.at, t->events.at + first, (t->events.nr - first) * sizeof(*t->events.at));
	t->events.nr -= first;
}

/* ---- counts */

void timeline_count(struct timeline *t, const struct wick_key *key,
		    const struct wick_columns *columns)
{
	struct waiting_count *waiting;

	if (key->kind >= WICK_NR_KINDS ||
	    bodies_count(t->meanings, key, columns, false, &t->lost_stacks))
		return;
	waiting = vec_add(&t->counts);
	waiting->key = *key;
	waiting->columns = *columns;
}

static void retry_counts(struct timeline *t, bool last_chance)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->counts.nr; i++) {
		struct waiting_count waiting = t->counts.at[i];

		if (!bodies_count(t->meanings, &waiting.key, &waiting.columns, last_chance,
				  &t->lost_stacks))
			t->counts.at[nr++] = waiting;
	}
	t->counts.nr = nr;
}

void timeline_until(struct timeline *t, u64 horizon)
{
	size_t body = 0, event = 0;

	vec_sort(&t->bodies, compare_bodies);
	vec_sort(&t->events, compare_events);
	while (body < t->bodies.nr && t->bodies.at[body].time < horizon) {
		const struct pending_body *next = &t->bodies.at[body++];

		while (event < t->events.nr && t->events.at[event].time <= next->time)
			processes_apply(t->processes, &t->events.at[event++]);
		fill(t, (const void *)(t->arena.at + next->at), next->row);
	}
	while (event < t->events.nr && t->events.at[event].time < horizon)
		processes_apply(t->processes, &t->events.at[event++]);
	keep_bodies(t, body);
	keep_events(t, event);
	bodies_retry(t->meanings);
	retry_counts(t, false);
}

bool timeline_hurries(const struct timeline *t)
{
	return t->bodies.nr != 0;
}

bool timeline_rotate(struct timeline *t)
{
	return bodies_rotate(t->meanings);
}

void timeline_finish(struct timeline *t)
{
	t->lost_stacks += bodies_finish(t->meanings);
	retry_counts(t, true);
}

u64 timeline_nr_bodies(const struct timeline *t)
{
	return t->nr_bodies;
}

u64 timeline_body_bytes(const struct timeline *t)
{
	return t->body_bytes;
}

u64 timeline_lost_stacks(const struct timeline *t)
{
	return t->lost_stacks;
}
