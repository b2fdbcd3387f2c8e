/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_parse.c: requests that a parser answers: names, and unwind tables.
 */
#include "request_steps.h"
#include "unwinder.h"

void request_reopen(struct files_request *request)
{
	request_open_file(request);
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

/* What the parser says, in *names, which are this request's or replace them. */
static enum files_state parse_names_of(struct files_request *request, const struct parse_job *job,
				       struct files_symbols *names, struct parser_reply *reply)
{
	struct answer answer;
	enum files_state state =
		helpers_parse(request->helpers, job, reply, &answer, request->deadline_ns);

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

	return parse_names_of(request, &job, names, reply);
}

/* Which has a limit of its own. */
static void download(struct files_request *request, const struct debug_link *link,
		     struct received *found)
{
	u64 start = monotonic_ns();
	int fd = downloads_get(request->downloads, request->helpers, DOWNLOAD_DEBUG_FILE, link->id,
			       link->id_size);

	if (fd >= 0)
		found->fds[found->nr_fds++] = fd;
	request->deadline_ns += monotonic_ns() - start;
}

size_t request_find_debug_files(struct files_request *request, const struct debug_link *link,
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
	request_close_fds(fds + 1, nr ? nr - 1 : 0);
	if (request->debug >= 0)
		found->fds[found->nr_fds++] = steal_fd(&request->debug);
	if (!found->nr_fds)
		download(request, link, found);
	return found->nr_fds;
}

/* Better names than those that are there, if the debug file can be had. */
static void name_with_debug(struct files_request *request, const struct debug_link *link)
{
	struct received found = {};
	struct files_symbols *better;
	struct parser_reply reply;

	if (!request_find_debug_files(request, link, &found))
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
		request_reopen(request);
	request->reply->state = FILES_GONE;
	if (request->fd >= 0)
		name_file(request, PARSE_NAMES);
}

/* Has a Java VM write its map. A part of the time: a VM that does not answer costs its map only. */
static void attach(struct files_request *request)
{
	const struct attach_request attach = {
		.pid = request->process.pid,
		.uid = request->process.uid,
		.gid = request->process.gid,
	};
	u64 now = monotonic_ns();
	u64 left = request->deadline_ns > now ? request->deadline_ns - now : 0;
	_cleanup_close_ int vm = -1;
	enum files_state state;

	request_ask_opener(request, OPEN_VM, &request->root, 1);
	if (request->failed != FILES_OK || request->found_fd < 0)
		return;
	vm = steal_fd(&request->found_fd);
	state = helpers_attach(request->helpers, &attach, vm, now + left / 2);
	if (state == FILES_OK)
		request_find_map(request);
	else
		request->found.state = state == FILES_VM_SILENT ? state : FILES_NO_MAP;
}

/* Names by something else than the source's own file; NULL where it has none. */
static struct files_symbols *name_otherwise(struct files_request *request, enum parser_task task,
					    int from)
{
	const struct parse_job job = {
		.request = {.task = task,
			    .nr_addresses = (u32)request->nr,
			    .libjvm = request->found.libjvm},
		.owner = request->owner,
		.file = from,
		.addresses = request->addresses,
	};
	struct files_symbols *names = reply_new(FILES_PENDING, request->addresses, request->nr);
	struct parser_reply reply;
	enum files_state state = parse_names_of(request, &job, names, &reply);

	if (is_states_fault(state))
		request->failed = state;
	if (state == FILES_OK && names->state == FILES_OK)
		return names;
	files_symbols_free(names);
	return NULL;
}

/*
 * What a Java VM knows of its code, from its memory; NULL where there is none. A VM is asked while
 * it is alive, so what it says is newer than any map.
 */
static struct files_symbols *name_by_vm(struct files_request *request)
{
	_cleanup_close_ int memory = -1;

	request_ask_opener(request, OPEN_MEMORY, NULL, 0);
	memory = steal_fd(&request->found_fd);
	if (request->failed != FILES_OK || memory < 0)
		return NULL;
	return name_otherwise(request, PARSE_JAVA, memory);
}

/* What it has a name for is taken; frees it. NULL: nothing. */
static void prefer(struct files_symbols *reply, struct files_symbols *better)
{
	if (!better)
		return;
	reply->state = FILES_OK;
	for (size_t i = 0; i < reply->nr; i++) {
		if (!better->at[i].name)
			continue;
		free((char *)reply->at[i].name);
		reply->at[i] = better->at[i];
		better->at[i].name = NULL;
	}
	files_symbols_free(better);
}

static void name_by_map(struct files_request *request)
{
	request->found.state = request->state;
	if (request->fd < 0 && request->root >= 0) {
		request_find_map(request);
		if (request->attaches && request->found.state == FILES_NO_MAP)
			attach(request);
		request->fd = request_copy_fd(request->found_fd);
	}
	request->reply->state = request->found.state;
	if (request->fd >= 0)
		name_file(request, PARSE_PERF_MAP);
}

static void name_by_process(struct files_request *request)
{
	struct files_symbols *by_vm = name_by_vm(request);

	request->reply->vm = by_vm != NULL;
	if (request->failed == FILES_OK)
		name_by_map(request);
	if (request->failed == FILES_OK && request->jitdump >= 0)
		prefer(request->reply, name_otherwise(request, PARSE_JITDUMP, request->jitdump));
	prefer(request->reply, by_vm);
}

static void name_vdso(struct files_request *request)
{
	name_file(request, PARSE_NAMES);
}

static void run_names(struct job *job)
{
	static void (*const name[NR_SOURCE_KINDS])(struct files_request * request) = {
		[MAPPED] = name_mapped,
		[PERF_MAP] = name_by_process,
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

	if (!request_has_failed(request, source, given_up) && source->kind == PERF_MAP)
		request_keep_map(request, source);
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
		request_reopen(request);
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

	if (!request_has_failed(request, source, given_up) && request->unwind)
		keep_table(request, source);
	source->unwind_state = UNWIND_READY;
	request->files->tables.nr_pending--;
	request->files->tables.nr_changes++;
}

const struct job_type names_job = {
	.prepare = request_prepare,
	.run = run_names,
	.finish = finish_names,
	.release = request_release,
	.keeps = true,
};

const struct job_type unwind_job = {
	.prepare = request_prepare,
	.run = run_unwind,
	.finish = finish_unwind,
	.release = request_release,
};
