/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.c: the unwind tables of files. They are made when they are asked for first, and
 * held up to a limit of memory; the one that was asked for longest ago leaves, and is made again
 * when it is asked for after a pause.
 */
#include <time.h>

#include "request.h"
#include "unwinder.h"

enum {
	UNWIND_LIMIT_MS = 5000,
	MADE_AGAIN_NS = 100 * 1000 * 1000, /* after its eviction, and ... */
	COST_SHARE = 10,		   /* ... so many times what making it costs */
	RESTORE_TRIES = 1000,		   /* milliseconds */
};

/* A second a GB. */
static u64 cost_of(const struct source *source)
{
	return source->stamp.size;
}

static bool may_be_made_again(const struct files *files, const struct source *source, u64 now)
{
	u64 pause = files->hurries ? 0 : max((u64)MADE_AGAIN_NS, COST_SHARE * cost_of(source));

	return source->unwind_state == UNWIND_EVICTED && now - source->unwind_ns >= pause;
}

static void start_table(struct files *files, file_ref file, struct source *source)
{
	struct job *job = &request_known(files, file, &unwind_job, UNWIND_LIMIT_MS)->job;

	job->cost_ns = cost_of(source);
	source->unwind_state = UNWIND_PENDING;
	files->tables.nr_pending++;
	pool_add(files->pool, job);
}

const struct unwind_table *files_unwind_table(struct files *files, file_ref file, bool *pending)
{
	const struct unwind_table *table;
	u64 now = monotonic_ns();
	struct source *source;

	pool_lock(files->pool);
	source = source_of(files, file);
	/* Once it is open, its size tells how long that takes. */
	if ((source->unwind_state == UNWIND_UNKNOWN && !source->nr_opening) ||
	    may_be_made_again(files, source, now))
		start_table(files, file, source);
	if (source->unwind_state != UNWIND_READY)
		*pending = true;
	else
		source->unwind_ns = now;
	table = source->unwind;
	pool_unlock(files->pool);
	return table;
}

void files_limit_tables(struct files *files, u64 max_bytes, u64 max_file)
{
	pool_lock(files->pool);
	files->tables.max_bytes = max_bytes;
	files->tables.max_file = max_file;
	pool_unlock(files->pool);
}

void files_hurry(struct files *files)
{
	pool_lock(files->pool);
	files->hurries = true;
	pool_unlock(files->pool);
}

/* What there is never room for leaves first: all others could not make any. */
static bool leaves_before(const struct files *files, const struct source *a, const struct source *b)
{
	bool a_is_large = unwind_table_size(a->unwind) > files->tables.max_bytes;
	bool b_is_large = unwind_table_size(b->unwind) > files->tables.max_bytes;

	return a_is_large != b_is_large ? a_is_large : a->unwind_ns < b->unwind_ns;
}

/* The table that leaves next, and the bytes of all that may. */
static struct source *next_to_leave(struct files *files, u64 *bytes)
{
	struct source *next = NULL;

	*bytes = 0;
	vec_for_each (&files->sources, source) {
		if (!(*source)->unwind || (*source)->unwind_fresh)
			continue;
		*bytes += unwind_table_size((*source)->unwind);
		if (!next || leaves_before(files, *source, next))
			next = *source;
	}
	return next;
}

static void evict_table(struct files *files, struct source *source)
{
	files->tables.bytes -= unwind_table_size(source->unwind);
	files->tables.nr_evicted++;
	unwind_table_free(steal(&source->unwind));
	source->unwind_state = UNWIND_EVICTED;
	source->unwind_ns = monotonic_ns();
}

/* With the lock held. */
static void trim_tables(struct files *files)
{
	const struct files_tables *tables = &files->tables;
	struct source *next;
	u64 bytes;

	if (!tables->max_bytes || tables->bytes <= tables->max_bytes)
		return;
	while ((next = next_to_leave(files, &bytes)) && bytes > tables->max_bytes)
		evict_table(files, next);
	vec_for_each (&files->sources, fresh)
		(*fresh)->unwind_fresh = false;
}

void files_trim_tables(struct files *files)
{
	pool_lock(files->pool);
	trim_tables(files);
	pool_unlock(files->pool);
}

struct files_tables files_tables(struct files *files)
{
	struct files_tables tables;

	pool_lock(files->pool);
	tables = files->tables;
	pool_unlock(files->pool);
	return tables;
}

/* The table that is there; one that was evicted is waited for. */
static const struct unwind_table *restore_table(struct files *files, file_ref file)
{
	const struct timespec pause = {.tv_nsec = NSEC_PER_MSEC};
	const struct unwind_table *table = NULL;
	bool restored = false, wait = true;

	for (int i = 0; i < RESTORE_TRIES && wait; i++) {
		struct source *source;

		pool_lock(files->pool);
		source = source_of(files, file);
		if (source->unwind_state == UNWIND_EVICTED) {
			trim_tables(files);
			start_table(files, file, source);
			restored = true;
		}
		wait = restored && source->unwind_state == UNWIND_PENDING;
		table = source->unwind;
		pool_unlock(files->pool);
		if (!wait)
			break;
		pool_watch(files->pool);
		nanosleep(&pause, NULL);
	}
	return table;
}

bool files_function_start(struct files *files, file_ref file, u64 offset, u64 *start)
{
	const struct unwind_table *table = restore_table(files, file);

	return table && unwind_table_function_start(table, offset, start);
}
