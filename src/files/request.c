/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c: what the pool's threads have helper processes do for each kind of request. prepare()
 * copies from the source and finish() writes to it, both with the lock held; run() in between
 * touches only the request, and waits for nothing but a helper, until the deadline.
 */
#include "request.h"

#include <fcntl.h>

#include "unwinder.h"

/* For a thread to notice that its helper is late, before the thread itself is given up. */
enum { GRACE_MS = 1000, MAX_MAPS_BYTES = 64 << 20 };

static struct files_request *request_of(struct job *job)
{
	return (struct files_request *)job;
}

static int copy_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static bool prepare(struct job *job)
{
	struct files_request *request = request_of(job);
	const struct source *source = source_of(request->files, request->ref);

	request->fd = copy_fd(source->fd);
	request->root = copy_fd(source->root);
	request->stamp = source->stamp;
	request->process = source->process;
	request->state = source->state;
	request->owner = source->owner;
	request->deadline_ns = monotonic_ns() + job->limit_ns - GRACE_MS * NSEC_PER_MSEC;
	return !source_is_hopeless(request->files, source);
}

static void release(struct job *job)
{
	struct files_request *request = request_of(job);

	cleanup_close(&request->fd);
	cleanup_close(&request->root);
	cleanup_close(&request->found_fd);
	cleanup_close(&request->found_root);
	free((char *)request->mapping.path);
	roots_unref(request->roots);
	helpers_put(request->helpers);
	free(request->addresses);
	free(request->text);
	files_symbols_free(request->reply);
	unwind_table_free(request->unwind);
	free(request);
}

/* ---- asking an opener */

static int take_fd(struct received *with, size_t *next, bool there)
{
	return there && *next < with->nr_fds ? steal_fd(&with->fds[(*next)++]) : -1;
}

/* Fills `found`, and what came with it in place of what was there. */
static void ask_opener(struct files_request *request, enum opener_task task, const int *fds,
		       size_t nr_fds)
{
	struct opener_request asked = {
		.task = task,
		.mapping = request->mapping,
		.process = request->process,
		.offset = request->offset,
	};
	struct received with;
	size_t next = 0;

	request->failed = helpers_open(request->helpers, &asked, (struct helper_fds){fds, nr_fds},
				       &request->found, &with, request->deadline_ns);
	if (request->failed != FILES_OK)
		return;
	cleanup_close(&request->found_fd);
	cleanup_close(&request->found_root);
	request->found_fd = take_fd(&with, &next, request->found.has_file);
	request->found_root = take_fd(&with, &next, request->found.has_root);
	received_close(&with);
}

static void close_all(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
}

/* By way of the process, or of another that was seen in its mount namespace. */
static void open_file(struct files_request *request)
{
	int roots[NR_ROOTS];
	size_t nr;

	ask_opener(request, OPEN_MAPPED, NULL, 0);
	if (request->failed != FILES_OK)
		return;
	if (request->found_root >= 0)
		roots_remember(request->roots, &request->found.root, request->found_root);
	if (request->found.state != FILES_GONE)
		return;
	nr = roots_all(request->roots, roots);
	if (nr)
		ask_opener(request, OPEN_MAPPED, roots, nr);
	close_all(roots, nr);
}

static void run_open(struct job *job)
{
	open_file(request_of(job));
}

/*
 * A file of another file system than these says of its owner what its server likes: then it is who
 * mapped it.
 */
static void keep_file(struct files_request *request, struct source *source)
{
	source->state = request->found.state;
	if (request->found_fd < 0)
		return;
	source->stamp = request->found.stamp;
	source->local = request->found.local;
	if (source->local) {
		source->owner = request->found.owner;
		source_is_on_local(request->files, source);
	}
	hold_fd(request->files, &source->fd, steal_fd(&request->found_fd));
}

/* True where a helper did not do what it was asked. */
static bool has_failed(struct files_request *request, struct source *source, bool given_up)
{
	enum files_state why = given_up ? FILES_TIMED_OUT : request->failed;

	if (why != FILES_OK && !source->hopeless)
		source_give_up(request->files, source, why);
	return why != FILES_OK;
}

static void finish_open(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (!has_failed(request, source, given_up))
		keep_file(request, source);
	request->files->tables.nr_changes++;
	sweep_fds(request->files);
}

static void run_announce(struct job *job)
{
	ask_opener(request_of(job), OPEN_PROCESS, NULL, 0);
}

static void find_map(struct files_request *request)
{
	ask_opener(request, OPEN_PERF_MAP, &request->root, 1);
}

static void run_find_map(struct job *job)
{
	struct files_request *request = request_of(job);

	request->found.state = request->state;
	if (request->fd < 0 && request->root >= 0)
		find_map(request);
}

/* The root is needed only as long as there is no map. */
static void keep_map(struct files_request *request, struct source *source)
{
	source->state = request->found.state;
	if (request->found_fd < 0)
		return;
	hold_fd(request->files, &source->fd, steal_fd(&request->found_fd));
	hold_fd(request->files, &source->root, -1);
}

static void finish_announce(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (has_failed(request, source, given_up))
		return;
	source->process = request->found.process;
	hold_fd(request->files, &source->root, steal_fd(&request->found_root));
	keep_map(request, source);
	sweep_fds(request->files);
}

static void finish_find_map(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (!has_failed(request, source, given_up))
		keep_map(request, source);
}

static void run_stamp(struct job *job)
{
	struct files_request *request = request_of(job);

	if (request->fd >= 0)
		ask_opener(request, OPEN_STAMP, &request->fd, 1);
}

static void finish_stamp(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->checking = false;
	if (has_failed(request, source, given_up) || request->found.state != FILES_OK)
		return;
	source->outdated = memcmp(&request->found.stamp, &source->stamp, sizeof(source->stamp));
}

static void run_code(struct job *job)
{
	struct files_request *request = request_of(job);

	request->found.state = FILES_GONE;
	if (request->fd >= 0)
		ask_opener(request, OPEN_CODE, &request->fd, 1);
}

static void finish_code(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->code.pending = false;
	request->files->tables.nr_changes++;
	if (has_failed(request, source, given_up) || request->found.state != FILES_OK)
		source->code.failed = true;
	else
		code_add(&source->code, request->offset, request->found.code,
			 min(request->found.size, (u64)CODE_PIECE));
}

/* ---- asking a parser */

/* Closed because too many were open: the same file again, or none. */
static void reopen(struct files_request *request)
{
	open_file(request);
	if (request->failed == FILES_OK && request->found_fd >= 0 &&
	    !memcmp(&request->found.stamp, &request->stamp, sizeof(request->stamp)))
		request->fd = steal_fd(&request->found_fd);
}

static void drop_names(struct files_symbols *reply, enum files_state state)
{
	reply->state = state;
	for (size_t i = 0; i < reply->nr; i++) {
		free((char *)reply->at[i].name);
		reply->at[i].name = NULL;
	}
}

/* What the parser says of the file, in *reply, which is this request's or one that replaces it. */
static enum files_state parse_names(struct files_request *request, enum parser_task task,
				    struct helper_fds debug, struct files_symbols *names,
				    struct parser_reply *reply)
{
	const struct parse_job job = {
		.request = {.task = task,
			    .nr_addresses = (u32)request->nr,
			    .vdso = request->kind == VDSO,
			    .stamp = request->stamp},
		.owner = request->owner,
		.file = request->kind == VDSO ? -1 : request->fd,
		.debug = debug,
		.addresses = request->addresses,
	};
	struct answer answer;
	enum files_state state =
		helpers_parse(request->helpers, &job, reply, &answer, request->deadline_ns);

	if (state != FILES_OK)
		return state;
	names->state = (enum files_state)reply->state;
	if (answer.bytes && answer_read_names(&answer, names)) {
		helpers_distrust(request->helpers, request->owner);
		state = FILES_CRASHED;
	}
	answer_unmap(&answer);
	return state;
}

static size_t find_debug_files(struct files_request *request, const struct debug_link *link,
			       struct received *found)
{
	struct opener_request asked = {
		.task = OPEN_DEBUG, .mapping = request->mapping, .link = *link};
	struct opener_reply reply;
	int fds[1 + NR_ROOTS] = {request->fd};
	size_t nr = request->fd < 0 ? 0 : 1 + roots_all(request->roots, fds + 1);

	if (!nr || helpers_open(request->helpers, &asked, (struct helper_fds){fds, nr}, &reply,
				found, request->deadline_ns) != FILES_OK)
		found->nr_fds = 0;
	close_all(fds + 1, nr ? nr - 1 : 0);
	return found->nr_fds;
}

/* Better names than those that are there, if the debug file can be had. */
static void name_with_debug(struct files_request *request, const struct debug_link *link)
{
	struct received found = {};
	struct files_symbols *better;
	struct parser_reply reply;

	if (!find_debug_files(request, link, &found))
		return;
	better = reply_new(FILES_PENDING, request->addresses, request->nr);
	if (parse_names(request, PARSE_NAMES, (struct helper_fds){found.fds, found.nr_fds}, better,
			&reply) == FILES_OK &&
	    better->state == FILES_OK) {
		files_symbols_free(request->reply);
		request->reply = steal(&better);
	}
	files_symbols_free(better);
	received_close(&found);
}

static bool is_states_fault(enum files_state state)
{
	return state == FILES_TIMED_OUT || state == FILES_CRASHED || state == FILES_TOO_LONG;
}

static void name_file(struct files_request *request, enum parser_task task)
{
	struct parser_reply reply = {};
	enum files_state state =
		parse_names(request, task, (struct helper_fds){}, request->reply, &reply);

	if (state != FILES_OK)
		drop_names(request->reply, state);
	if (is_states_fault(state))
		request->failed = state;
	else if (state == FILES_OK && reply.wants_debug_file)
		name_with_debug(request, &reply.link);
}

static void name_mapped(struct files_request *request)
{
	request->reply->state = request->state;
	if (request->state != FILES_OK)
		return;
	if (request->fd < 0)
		reopen(request);
	request->reply->state = FILES_GONE;
	if (request->fd >= 0)
		name_file(request, PARSE_NAMES);
}

static void name_by_perf_map(struct files_request *request)
{
	request->found.state = request->state;
	if (request->fd < 0 && request->root >= 0) {
		find_map(request);
		request->fd = copy_fd(request->found_fd);
	}
	request->reply->state = request->found.state;
	if (request->fd >= 0)
		name_file(request, PARSE_PERF_MAP);
}

static void name_vdso(struct files_request *request)
{
	name_file(request, PARSE_NAMES);
}

static void run_names(struct job *job)
{
	static void (*const name[NR_SOURCE_KINDS])(struct files_request * request) = {
		[MAPPED] = name_mapped,
		[PERF_MAP] = name_by_perf_map,
		[VDSO] = name_vdso,
	};
	struct files_request *request = request_of(job);

	request->reply = reply_new(FILES_PENDING, request->addresses, request->nr);
	name[request->kind](request);
	if (request->failed != FILES_OK)
		request->reply->state = request->failed;
}

static void finish_names(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	if (!has_failed(request, source, given_up) && source->kind == PERF_MAP)
		keep_map(request, source);
}

static bool is_small_enough(const struct files_request *request)
{
	u64 max_file = request->files->tables.max_file;

	return !max_file || request->stamp.size <= max_file;
}

static void adopt(struct files_request *request, struct answer *answer)
{
	if (!answer->bytes)
		return;
	if (!unwind_table_adopt(answer->bytes, answer->size, &request->unwind))
		return;
	answer_unmap(answer);
	helpers_distrust(request->helpers, request->owner);
	request->failed = FILES_CRASHED;
}

static void run_unwind(struct job *job)
{
	struct files_request *request = request_of(job);
	struct parse_job parse = {
		.request = {.task = PARSE_TABLE, .vdso = request->kind == VDSO},
		.owner = request->owner,
		.file = -1,
	};
	struct parser_reply reply;
	enum files_state state;
	struct answer answer;

	if (request->fd < 0 && request->state == FILES_OK && request->kind == MAPPED)
		reopen(request);
	if (request->kind != VDSO && (request->fd < 0 || !is_small_enough(request)))
		return;
	parse.file = request->fd;
	parse.request.stamp = request->stamp;
	state = helpers_parse(request->helpers, &parse, &reply, &answer, request->deadline_ns);
	if (is_states_fault(state))
		request->failed = state;
	else if (state == FILES_OK)
		adopt(request, &answer);
}

static void keep_table(struct files_request *request, struct source *source)
{
	request->files->tables.bytes += unwind_table_size(request->unwind);
	source->unwind = steal(&request->unwind);
	source->unwind_ns = monotonic_ns();
	source->unwind_fresh = true;
}

static void finish_unwind(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	if (!has_failed(request, source, given_up) && request->unwind)
		keep_table(request, source);
	source->unwind_state = UNWIND_READY;
	request->files->tables.nr_pending--;
	request->files->tables.nr_changes++;
}

/* ---- a process's mappings */

static bool prepare_maps(struct job *job)
{
	struct files_request *request = request_of(job);

	request->deadline_ns = monotonic_ns() + job->limit_ns - GRACE_MS * NSEC_PER_MSEC;
	return !owner_is_hopeless(request->files, job->owner);
}

static void read_text(struct files_request *request, int fd)
{
	size_t size = min(request->found.size, (u64)MAX_MAPS_BYTES);
	_cleanup_free_ char *text = xcalloc(1, size + 1);

	if (pread(fd, text, size, 0) == (ssize_t)size)
		request->text = steal(&text);
}

static void run_maps(struct job *job)
{
	struct files_request *request = request_of(job);
	_cleanup_close_ int to = answer_new();

	if (to < 0)
		return;
	ask_opener(request, OPEN_MAPS, &to, 1);
	if (request->failed == FILES_OK && request->found.state == FILES_OK)
		read_text(request, to);
}

static void finish_maps(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);

	if (given_up && request->failed == FILES_OK)
		request->failed = FILES_TIMED_OUT;
	if (request->failed != FILES_OK)
		owner_failed(request->files, job->owner);
}

/* ---- all */

const struct job_type open_job = {
	.prepare = prepare,
	.run = run_open,
	.finish = finish_open,
	.release = release,
	.urgent = true,
};

const struct job_type announce_job = {
	.prepare = prepare,
	.run = run_announce,
	.finish = finish_announce,
	.release = release,
	.urgent = true,
};

const struct job_type find_map_job = {
	.prepare = prepare,
	.run = run_find_map,
	.finish = finish_find_map,
	.release = release,
	.urgent = true,
};

const struct job_type names_job = {
	.prepare = prepare,
	.run = run_names,
	.finish = finish_names,
	.release = release,
	.keeps = true,
};

const struct job_type unwind_job = {
	.prepare = prepare,
	.run = run_unwind,
	.finish = finish_unwind,
	.release = release,
};

const struct job_type stamp_job = {
	.prepare = prepare,
	.run = run_stamp,
	.finish = finish_stamp,
	.release = release,
};

const struct job_type code_job = {
	.prepare = prepare,
	.run = run_code,
	.finish = finish_code,
	.release = release,
};

const struct job_type maps_job = {
	.prepare = prepare_maps,
	.run = run_maps,
	.finish = finish_maps,
	.release = release,
	.urgent = true,
	.keeps = true,
};

/* The path without what the kernel appends when the file has no name any more. */
static char *without_deleted(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t size = strlen(path), suffix = strlen(deleted);

	if (size > suffix && !strcmp(path + size - suffix, deleted))
		size -= suffix;
	return format("%.*s", (int)size, path);
}

struct files_request *request_new(struct files *files, file_ref ref, const struct job_type *type,
				  unsigned int limit_ms, const struct files_mapping *mapping)
{
	struct files_request *request = xcalloc(1, sizeof(*request));

	*request = (struct files_request){
		.job = {.type = type,
			.key = ref,
			.limit_ns = (limit_ms + GRACE_MS) * NSEC_PER_MSEC,
			.owner = source_of(files, ref)->owner},
		.files = files,
		.ref = ref,
		.kind = source_of(files, ref)->kind,
		.roots = roots_ref(files->roots),
		.helpers = helpers_get(files->helpers),
		.fd = -1,
		.root = -1,
		.found_fd = -1,
		.found_root = -1,
		.failed = FILES_OK,
	};
	if (mapping) {
		request->mapping = *mapping;
		request->mapping.path = without_deleted(mapping->path);
	}
	return request;
}
