/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_steps.h"

#include <fcntl.h>

#include "jitdump.h"
#include "lines.h"
#include "unwinder.h"

/* For a thread to notice that its helper is late, before the pool gives the job up. */
enum { GRACE_MS = 1000 };

struct files_request *request_of(struct job *job)
{
	return (struct files_request *)job;
}

u64 request_deadline(const struct job *job)
{
	const struct files_request *request = (const struct files_request *)job;

	return monotonic_ns() + job->limit_ns - GRACE_MS * NSEC_PER_MSEC -
	       downloads_limit_ns(request->downloads);
}

int request_copy_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* The dump that this process's runtime has mapped, of his own user: it is known as a file. */
static const struct source *find_jitdump(struct files *files, const struct source *source)
{
	const struct jit_process *process = &source->process;
	const struct source *found = NULL;

	if (source->kind != PERF_MAP)
		return NULL;
	vec_for_each (&files->sources, other) {
		const struct source *file = *other;

		if (file->kind == MAPPED && file->mapping.pid == process->pid && file->fd >= 0 &&
		    (file->owner == process->uid || !file->owner) &&
		    jitdump_is_name(file->mapping.path, process->inner_pid))
			found = file;
	}
	return found;
}

bool request_prepare(struct job *job)
{
	struct files_request *request = request_of(job);
	const struct source *source = source_of(request->files, request->ref);
	const struct source *jitdump = find_jitdump(request->files, source);

	request->fd = request_copy_fd(source->fd);
	request->jitdump = jitdump ? request_copy_fd(jitdump->fd) : -1;
	request->root = request_copy_fd(source->root);
	request->debug = request_copy_fd(source->debug);
	request->stamp = source->stamp;
	request->process = source->process;
	request->state = source->state;
	request->owner = source->owner;
	request->attaches = request->files->attaches_java;
	request->deadline_ns = request_deadline(job);
	return !source_is_hopeless(request->files, source);
}

void request_release(struct job *job)
{
	struct files_request *request = request_of(job);

	cleanup_close(&request->fd);
	cleanup_close(&request->root);
	cleanup_close(&request->debug);
	cleanup_close(&request->jitdump);
	cleanup_close(&request->found_fd);
	cleanup_close(&request->found_root);
	free((char *)request->mapping.path);
	roots_unref(request->roots);
	helpers_put(request->helpers);
	downloads_unref(request->downloads);
	free(request->addresses);
	free(request->text);
	free(request->rules);
	files_python_free(request->python);
	files_symbols_free(request->reply);
	files_lines_free(request->lines);
	unwind_table_free(request->unwind);
	free(request);
}

static int take_fd(struct received *with, size_t *next, bool there)
{
	return there && *next < with->nr_fds ? steal_fd(&with->fds[(*next)++]) : -1;
}

void request_ask_opener(struct files_request *request, enum opener_task task, const int *fds,
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

bool request_has_failed(struct files_request *request, struct source *source, bool given_up)
{
	enum files_state why = given_up ? FILES_TIMED_OUT : request->failed;

	if (why != FILES_OK && !source->hopeless)
		source_give_up(request->files, source, why);
	return why != FILES_OK;
}

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
			.limit_ns = (limit_ms + GRACE_MS) * NSEC_PER_MSEC +
				    downloads_limit_ns(files->downloads),
			.owner = source_of(files, ref)->owner},
		.files = files,
		.ref = ref,
		.kind = source_of(files, ref)->kind,
		.roots = roots_ref(files->roots),
		.helpers = helpers_get(files->helpers),
		.downloads = downloads_ref(files->downloads),
		.fd = -1,
		.root = -1,
		.debug = -1,
		.jitdump = -1,
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

struct files_request *request_known(struct files *files, file_ref ref, const struct job_type *type,
				    unsigned int limit_ms)
{
	const struct files_mapping *mapping = &source_of(files, ref)->mapping;

	return request_new(files, ref, type, limit_ms, mapping->path ? mapping : NULL);
}
