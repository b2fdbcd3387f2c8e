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

#include "request.h"
#include "vdso.h"

enum {
	THREADS = 4, /* HELPERS_AT_ONCE is enough for these, and for some that were given up */
	OPEN_LIMIT_MS = 4000, /* a starved host takes seconds for what is done in a millisecond */
	CHECKED_NS = 10 * 1000 * 1000,
	MAX_AGAIN = 16, /* announcements of one path for another content */
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
		pool_add(files->pool, &request_known(files, ref, &stamp_job, OPEN_LIMIT_MS)->job);
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
	request = request_known(files, file, &code_job, OPEN_LIMIT_MS);
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
