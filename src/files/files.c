/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.c: tokens, and what they stand for.
 *
 *	caller's thread            under the lock            threads of the pool      helpers
 *	files_open()     ------->  source[token]  <-------   open job: fd, stamp  <-> opener
 *	files_ask()      ------->  job            <-------   names job            <-> parser
 *	files_answer()   <-------  reply
 *
 * A thread of the pool has a helper process do the work, and waits for that until the deadline
 * (helpers.h). A job carries copies of all that it needs, so that it can be given up at any time.
 * A descriptor of a file is held, to look through only (O_PATH), which is what keeps a deleted file
 * readable; when there are very many, those that were announced longest ago are closed, and the
 * files are looked for again by path if need be.
 */
#include "files.h"

#include <time.h>

#include "lines.h"
#include "reply.h"
#include "sources.h"
#include "request.h"
#include "unwinder.h"
#include "vdso.h"

enum {
	THREADS = 4, /* HELPERS_AT_ONCE is enough for these, and for some that were given up */
	OPEN_LIMIT_MS = 4000, /* a starved host takes seconds for what is done in a millisecond */
	UNWIND_LIMIT_MS = 5000,
	MAPS_KEY = 1u << 31, /* beyond all tokens */
	CHECKED_NS = 10 * 1000 * 1000,
	MADE_AGAIN_NS = 100 * 1000 * 1000, /* after its eviction, and ... */
	COST_SHARE = 10,		   /* ... so many times what making it costs */
	MAX_AGAIN = 16,			   /* announcements of one path for another content */
	RESTORE_TRIES = 1000,		   /* milliseconds */
};

struct files *files_new(void)
{
	struct files *files = xcalloc(1, sizeof(*files));

	/* The first, so that it is as small as can be. */
	files->helpers = helpers_new();
	files->pool = pool_new(THREADS);
	files->roots = roots_new();
	files->max_held = raise_fd_limit();
	source_add(files, &(struct source){.state = FILES_GONE});
	return files;
}

void files_free(struct files *files)
{
	if (!files)
		return;
	helpers_end(files->helpers);
	pool_free(files->pool);
	helpers_put(files->helpers);
	roots_unref(files->roots);
	downloads_unref(files->downloads);
	vec_for_each (&files->sources, source)
		source_free(*source);
	vec_release(&files->sources);
	vec_release(&files->devices);
	vec_release(&files->owners);
	for (int i = 0; i < NR_FILES_TABLES; i++)
		vec_release(&files->bound[i]);
	table_release(&files->by_inode);
	free(files);
}

static void start_opening(struct files *files, file_ref ref, const struct job_type *type,
			  const struct files_mapping *mapping)
{
	struct source *source = source_of(files, ref);

	source->nr_opening++;
	pool_add(files->pool, &request_new(files, ref, type, OPEN_LIMIT_MS, mapping)->job);
}

static u64 hash_of(const struct files_mapping *m)
{
	const u64 key[] = {m->major, m->minor, m->inode};

	return hash_bytes(key, sizeof(key));
}

static bool same_file(const struct files_mapping *a, const struct files_mapping *b)
{
	return a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
	       (!a->has_generation || !b->has_generation || a->generation == b->generation);
}

static file_ref find_file(struct files *files, const struct files_mapping *mapping)
{
	struct table_probe probe = table_probe(&files->by_inode, hash_of(mapping));

	while (table_next(&probe)) {
		const struct source *source = source_of(files, probe.ref);

		if (!source->replaced && same_file(&source->mapping, mapping))
			return probe.ref;
	}
	return 0;
}

/* Another job for what is known of the file already. */
static struct files_request *start_job(struct files *files, file_ref ref,
				       const struct job_type *type, unsigned int limit_ms)
{
	const struct files_mapping *mapping = &source_of(files, ref)->mapping;

	return request_new(files, ref, type, limit_ms, mapping->path ? mapping : NULL);
}

/*
 * Announcements are read in bulk, dozens of a file at once; what the file system says is about now
 * and the same for all of them. Where asking it may have to wait, an opener does, and a later
 * announcement has the answer.
 */
static bool has_changed(struct files *files, file_ref ref)
{
	struct source *source = source_of(files, ref);
	u64 now = monotonic_ns();
	struct stat st;

	if (source->fd < 0 || now - source->checked_ns < CHECKED_NS)
		return source->outdated;
	source->checked_ns = now;
	if (source->local) {
		source->outdated = !fstat(source->fd, &st) && !stamp_is(&source->stamp, &st);
	} else if (!source->checking) {
		source->checking = true;
		pool_add(files->pool, &start_job(files, ref, &stamp_job, OPEN_LIMIT_MS)->job);
	}
	return source->outdated;
}

static void retire(struct files *files, struct source *source)
{
	source->replaced = true;
	source->state = FILES_GONE;
	hold_fd(files, &source->fd, -1);
}

/* An announcement of a file that is known: its token, or 0 when it has another content now. */
static file_ref announce_again(struct files *files, file_ref ref,
			       const struct files_mapping *mapping)
{
	struct source *source = source_of(files, ref);

	source->recent = true;
	if (has_changed(files, ref)) {
		retire(files, source);
		return 0;
	}
	if (mapping->has_generation && !source->mapping.has_generation) {
		source->mapping.generation = mapping->generation;
		source->mapping.has_generation = true;
	}
	if (source->state == FILES_GONE && !source->nr_opening)
		start_opening(files, ref, &open_job, mapping);
	return ref;
}

static file_ref announce_new(struct files *files, const struct files_mapping *mapping)
{
	struct source source = {
		.kind = MAPPED,
		.mapping = *mapping,
		.owner = process_owner(mapping->pid),
	};
	file_ref ref = source_add(files, &source);

	if (!ref)
		return 0;
	table_insert(&files->by_inode, hash_of(mapping), ref);
	start_opening(files, ref, &open_job, mapping);
	return ref;
}

file_ref files_open(struct files *files, const struct files_mapping *mapping)
{
	file_ref ref;

	if (!mapping->inode || mapping->path[0] != '/')
		return 0;
	pool_lock(files->pool);
	ref = find_file(files, mapping);
	if (ref)
		ref = announce_again(files, ref, mapping);
	if (!ref)
		ref = announce_new(files, mapping);
	pool_unlock(files->pool);
	return ref;
}

/* With the lock held. The token stands for another file now. */
static bool is_outdated(struct files *files, file_ref ref)
{
	struct source *source = source_of(files, ref);

	if (source->replaced)
		return true;
	source->checked_ns = 0;
	return source->kind == MAPPED && !source->nr_opening && has_changed(files, ref);
}

file_ref files_open_again(struct files *files, file_ref file, u32 pid, u64 start, u64 end)
{
	struct files_mapping mapping;
	struct source *source;
	unsigned int nr_again;
	file_ref ref = 0;

	pool_lock(files->pool);
	source = source_of(files, file);
	nr_again = source->nr_again + 1;
	mapping = source->mapping;
	mapping.pid = pid;
	mapping.start = start;
	mapping.end = end;
	if (nr_again <= MAX_AGAIN && mapping.path && is_outdated(files, file)) {
		retire(files, source);
		ref = find_file(files, &mapping);
		if (!ref)
			ref = announce_new(files, &mapping);
		if (ref)
			source_of(files, ref)->nr_again = nr_again;
	}
	pool_unlock(files->pool);
	return ref;
}

enum files_match files_match(struct files *files, file_ref file, const struct files_identity *i)
{
	const struct files_mapping announced = {
		.major = i->major,
		.minor = i->minor,
		.inode = i->inode,
		.generation = i->generation,
		.has_generation = true,
	};
	const struct source *source;
	bool same;

	pool_lock(files->pool);
	source = source_of(files, file);
	if (source->nr_opening) {
		pool_unlock(files->pool);
		return FILES_NOT_OPEN_YET;
	}
	if (source->stamp.size || source->state == FILES_OK)
		same = source->stamp.size == i->size && (u64)source->stamp.mtime == i->mtime_sec &&
		       (u64)source->stamp.mtime_ns == i->mtime_nsec;
	else
		same = same_file(&source->mapping, &announced);
	pool_unlock(files->pool);
	return same ? FILES_SAME : FILES_ANOTHER;
}

file_ref files_open_perf_map(struct files *files, u32 pid, u32 inner_pid, u64 start_ns)
{
	struct source source = {
		.kind = PERF_MAP,
		.owner = process_owner(pid),
		.process = {.pid = pid, .inner_pid = inner_pid, .start_ns = start_ns},
	};
	file_ref ref;

	pool_lock(files->pool);
	ref = source_add(files, &source);
	if (ref)
		start_opening(files, ref, &announce_job, NULL);
	pool_unlock(files->pool);
	return ref;
}

void files_exiting(struct files *files, file_ref perf_map)
{
	pool_lock(files->pool);
	if (source_of(files, perf_map)->kind == PERF_MAP)
		start_opening(files, perf_map, &find_map_job, NULL);
	pool_unlock(files->pool);
}

void files_attach_java(struct files *files)
{
	pool_lock(files->pool);
	files->attaches_java = true;
	pool_unlock(files->pool);
}

file_ref files_vdso(struct files *files)
{
	pool_lock(files->pool);
	if (!files->vdso) {
		if (vdso_bytes(&files->vdso_bytes))
			files->vdso_bytes.size = 0;
		files->vdso = source_add(files, &(struct source){.kind = VDSO, .state = FILES_OK});
	}
	pool_unlock(files->pool);
	return files->vdso;
}

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
	struct job *job = &start_job(files, file, &unwind_job, UNWIND_LIMIT_MS)->job;

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

/* So that what is asked for lies in it. */
static u64 piece_of(u64 offset)
{
	return offset - offset % (CODE_PIECE / 2);
}

static bool read_mapped(struct files *files, file_ref file, u64 offset, void *to, size_t size,
			bool *pending)
{
	struct source *source = source_of(files, file);
	enum code_answer known = code_find(&source->code, offset, to, size);
	struct files_request *request;

	if (known != CODE_UNKNOWN || source->fd < 0 || source_is_hopeless(files, source))
		return known == CODE_READ;
	*pending = true;
	if (source->code.pending)
		return false;
	source->code.pending = true;
	request = start_job(files, file, &code_job, OPEN_LIMIT_MS);
	request->offset = piece_of(offset);
	pool_add(files->pool, &request->job);
	return false;
}

bool files_read(struct files *files, file_ref file, u64 offset, void *to, size_t size,
		bool *pending)
{
	bool done = false;

	pool_lock(files->pool);
	if (source_of(files, file)->kind == VDSO)
		done = files->vdso_bytes.size && bytes_read(&files->vdso_bytes, offset, to, size);
	else if (source_of(files, file)->kind == MAPPED)
		done = read_mapped(files, file, offset, to, size, pending);
	pool_unlock(files->pool);
	return done;
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

static struct files_request *ask(struct files *files, file_ref file, const struct job_type *type,
				 const u64 *addresses, size_t nr, unsigned int timeout_ms)
{
	struct files_request *request;

	pool_lock(files->pool);
	request = start_job(files, file, type, timeout_ms);
	request->addresses = xmemdup(addresses, nr * sizeof(*addresses));
	request->nr = nr;
	pool_add(files->pool, &request->job);
	pool_unlock(files->pool);
	return request;
}

struct files_request *files_ask(struct files *files, file_ref file, const u64 *addresses, size_t nr,
				unsigned int timeout_ms)
{
	return ask(files, file, &names_job, addresses, nr, timeout_ms);
}

struct files_request *files_ask_lines(struct files *files, file_ref file, const u64 *addresses,
				      size_t nr, unsigned int timeout_ms)
{
	return ask(files, file, &lines_job, addresses, nr, timeout_ms);
}

struct files_request *files_ask_sources(struct files *files, file_ref file, unsigned int timeout_ms)
{
	return ask(files, file, &sources_job, NULL, 0, timeout_ms);
}

/* Of a file that was given up, or whose request has just been. */
static enum files_state state_of(struct files *files, file_ref file)
{
	enum files_state state;

	pool_lock(files->pool);
	state = source_of(files, file)->hopeless ? source_of(files, file)->state : FILES_TIMED_OUT;
	pool_unlock(files->pool);
	return state;
}

struct files_symbols *files_answer(struct files *files, struct files_request *request)
{
	struct files_symbols *reply;

	if (pool_wait(files->pool, &request->job))
		reply = steal(&request->reply);
	else
		reply = reply_new(state_of(files, request->ref), request->addresses, request->nr);
	if (reply->state == FILES_PENDING)
		reply->state = FILES_TIMED_OUT;
	pool_forget(files->pool, &request->job);
	return reply;
}

struct files_lines *files_answer_lines(struct files *files, struct files_request *request)
{
	bool done = pool_wait(files->pool, &request->job);
	struct files_lines *lines = done ? steal(&request->lines) : NULL;

	if (!lines) {
		lines = xcalloc(1, sizeof(*lines));
		lines->state = done ? FILES_GONE : state_of(files, request->ref);
	}
	pool_forget(files->pool, &request->job);
	return lines;
}

struct files_sources files_answer_sources(struct files *files, struct files_request *request)
{
	bool done = pool_wait(files->pool, &request->job);
	struct files_sources sources = {.state = FILES_TIMED_OUT};

	if (done)
		sources = request->sources;
	pool_forget(files->pool, &request->job);
	return sources;
}

bool files_is_called(struct files *files, file_ref file, const char *name, unsigned int timeout_ms)
{
	struct files_request *request;
	bool called;

	pool_lock(files->pool);
	request = start_job(files, file, &called_job, timeout_ms);
	request->text = xstrdup(name);
	pool_add(files->pool, &request->job);
	pool_unlock(files->pool);
	called = pool_wait(files->pool, &request->job) && request->failed == FILES_OK &&
		 request->found.state == FILES_OK;
	pool_forget(files->pool, &request->job);
	return called;
}

struct files_symbols *files_symbols(struct files *files, file_ref file, const u64 *addresses,
				    size_t nr, unsigned int timeout_ms)
{
	return files_answer(files, files_ask(files, file, addresses, nr, timeout_ms));
}

struct files_request *files_ask_maps(struct files *files, u32 pid, unsigned int timeout_ms)
{
	const struct files_mapping process = {.pid = pid, .path = ""};
	struct files_request *request;

	pool_lock(files->pool);
	request = request_new(files, 0, &maps_job, timeout_ms, &process);
	request->job.key = MAPS_KEY | pid;
	request->job.owner = process_owner(pid);
	pool_add(files->pool, &request->job);
	pool_unlock(files->pool);
	return request;
}

bool files_is_answered(struct files *files, struct files_request *request, u64 until_ns)
{
	return pool_is_over(files->pool, &request->job, until_ns);
}

char *files_answer_maps(struct files *files, struct files_request *request, enum files_state *state)
{
	bool done = pool_wait(files->pool, &request->job);
	char *text = done ? steal(&request->text) : NULL;

	*state = request->failed != FILES_OK ? request->failed : text ? FILES_OK : FILES_GONE;
	if (!done)
		*state = FILES_TIMED_OUT;
	pool_forget(files->pool, &request->job);
	return text;
}

void files_abandon(struct files *files, struct files_request *request)
{
	pool_forget(files->pool, &request->job);
}

u32 files_forker(const struct files *files)
{
	return helpers_forker(files->helpers);
}

struct files_cost files_cost(struct files *files)
{
	struct helpers_count count = helpers_count(files->helpers);

	return (struct files_cost){
		.cpu_ns = count.cpu_ns,
		.nr_helpers = count.nr_made,
		.nr_ended = count.nr_ended,
		.nr_stuck = count.nr_stuck,
	};
}

const char *files_why(enum files_state state)
{
	static const char *const why[NR_FILES_STATES] = {
		[FILES_PENDING] = "its names were not asked for",
		[FILES_OK] = "",
		[FILES_GONE] = "gone before it could be read: deleted, replaced or changed",
		[FILES_REFUSED] = "not a regular file that may be trusted",
		[FILES_BAD] = "not an ELF file, or a broken one",
		[FILES_NO_SYMBOLS] = "no symbols: install its debug package",
		[FILES_NO_MAP] = "no perf map: start it so that it writes one",
		[FILES_TIMED_OUT] = "its file system does not answer",
		[FILES_CRASHED] = "its names could not be read: the parser crashed",
		[FILES_TOO_LONG] = "its names could not be read: that took too long",
		[FILES_VM_SILENT] =
			"no perf map: its Java VM was asked for one, and did not answer",
	};

	return (unsigned int)state < NR_FILES_STATES ? why[state] : "unknown";
}

void files_bind(struct files *files, enum files_table table, u32 row, file_ref token)
{
	binding_set(&files->bound[table], row, token);
}

file_ref files_bound(const struct files *files, enum files_table table, u32 row)
{
	return binding_get(&files->bound[table], row);
}
