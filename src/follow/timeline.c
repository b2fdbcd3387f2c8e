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

struct follow {
	struct processes *processes;
	struct bodies *meanings;
	VEC(struct process_event) events;
	VEC(struct pending_body) bodies;
	struct arena arena, spare;
	VEC(struct waiting_count) counts;
	u64 nr_bodies, body_bytes, lost_stacks;
};

struct follow *follow_new(struct profile *profile, struct processes *processes, struct walks *walks,
			  struct holdings *holdings)
{
	struct follow *f = xcalloc(1, sizeof(*f));

	f->processes = processes;
	f->meanings = bodies_new(profile, processes, walks, holdings);
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	vec_release(&f->events);
	vec_release(&f->bodies);
	vec_release(&f->arena);
	vec_release(&f->spare);
	vec_release(&f->counts);
	bodies_free(f->meanings);
	free(f);
}

void follow_record(struct follow *f, const struct sideband_record *record)
{
	processes_event(f->processes, record, vec_add(&f->events));
}

/* Keeps a body until its time has come. `row` is what its id means already. */
static void defer(struct follow *f, const struct wick_body *body, size_t size, u32 row)
{
	size_t aligned = (size + 7) & ~(size_t)7;

	*vec_add(&f->bodies) = (struct pending_body){
		.time = body->time, .at = f->arena.nr, .size = size, .row = row};
	vec_reserve(&f->arena, aligned);
	memcpy(f->arena.at + f->arena.nr, body, size);
	f->arena.nr += aligned;
}

/* Does the process exec between `time` and now? Then /proc tells about another program. */
static bool execs_later(const struct follow *f, u32 pid, u64 time)
{
	vec_for_each (&f->events, event)
		if (event->pid == pid && event->type == SIDEBAND_EXEC && event->time >= time)
			return true;
	return false;
}

int follow_body(struct follow *f, const void *bytes, size_t size)
{
	u32 row;
	int taken = bodies_take(f->meanings, bytes, &size, &row);

	if (taken < 0)
		return taken;
	if (taken)
		defer(f, bytes, size, row);
	f->nr_bodies++;
	f->body_bytes += size;
	return 0;
}

/* Of a body whose time has come. */
static void fill(struct follow *f, const struct wick_body *body, u32 row)
{
	u32 pid = bodies_pid(body);

	bodies_fill(f->meanings, body, row,
		    !processes_knows(f->processes, pid) && execs_later(f, pid, body->time));
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

/* Forgets the bodies before `first`: the others move to the spare arena, which takes the arena's place. */
static void keep_bodies(struct follow *f, size_t first)
{
	struct arena done = f->arena;

	f->spare.nr = 0;
	for (size_t i = first; i < f->bodies.nr; i++) {
		struct pending_body body = f->bodies.at[i];
		size_t aligned = (body.size + 7) & ~(size_t)7;

		vec_reserve(&f->spare, aligned);
		memcpy(f->spare.at + f->spare.nr, f->arena.at + body.at, body.size);
		body.at = f->spare.nr;
		f->spare.nr += aligned;
		f->bodies.at[i - first] = body;
	}
	f->bodies.nr -= first;
	f->arena = f->spare;
	f->spare = done;
	if (f->spare.room > MAX_SPARE)
		vec_release(&f->spare);
}

static void keep_events(struct follow *f, size_t first)
{
	memmove(f->events.at, f->events.at + first, (f->events.nr - first) * sizeof(*f->events.at));
	f->events.nr -= first;
}

/* ---- counts */

void follow_count(struct follow *f, const struct wick_key *key, const struct wick_columns *columns)
{
	struct waiting_count *waiting;

	if (key->kind >= WICK_NR_KINDS ||
	    bodies_count(f->meanings, key, columns, false, &f->lost_stacks))
		return;
	waiting = vec_add(&f->counts);
	waiting->key = *key;
	waiting->columns = *columns;
}

static void retry_counts(struct follow *f, bool last_chance)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->counts.nr; i++) {
		struct waiting_count waiting = f->counts.at[i];

		if (!bodies_count(f->meanings, &waiting.key, &waiting.columns, last_chance,
				  &f->lost_stacks))
			f->counts.at[nr++] = waiting;
	}
	f->counts.nr = nr;
}

void follow_until(struct follow *f, u64 horizon)
{
	size_t body = 0, event = 0;

	vec_sort(&f->bodies, compare_bodies);
	vec_sort(&f->events, compare_events);
	while (body < f->bodies.nr && f->bodies.at[body].time < horizon) {
		const struct pending_body *next = &f->bodies.at[body++];

		while (event < f->events.nr && f->events.at[event].time <= next->time)
			processes_apply(f->processes, &f->events.at[event++]);
		fill(f, (const void *)(f->arena.at + next->at), next->row);
	}
	while (event < f->events.nr && f->events.at[event].time < horizon)
		processes_apply(f->processes, &f->events.at[event++]);
	keep_bodies(f, body);
	keep_events(f, event);
	retry_counts(f, false);
}

bool follow_hurries(const struct follow *f)
{
	return f->bodies.nr != 0;
}

bool follow_rotate(struct follow *f)
{
	return bodies_rotate(f->meanings);
}

void follow_finish(struct follow *f)
{
	retry_counts(f, true);
}

u64 follow_nr_bodies(const struct follow *f)
{
	return f->nr_bodies;
}

u64 follow_body_bytes(const struct follow *f)
{
	return f->body_bytes;
}

u64 follow_lost_stacks(const struct follow *f)
{
	return f->lost_stacks;
}
