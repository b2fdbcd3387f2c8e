/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_open.c: requests that an opener answers: a file, a process's root and perf map, a file's
 * state, a piece of its code, a process's mappings.
 */
#include "request_steps.h"

#include <fcntl.h>

void request_open_file(struct files_request *request)
{
	int roots[NR_ROOTS];
	size_t nr;

	request_ask_opener(request, OPEN_MAPPED, NULL, 0);
	if (request->failed != FILES_OK)
		return;
	if (request->found_root >= 0)
		roots_remember(request->roots, &request->found.root, request->found_root);
	if (request->found.state != FILES_GONE)
		return;
	nr = roots_all(request->roots, roots);
	if (nr)
		request_ask_opener(request, OPEN_MAPPED, roots, nr);
	request_close_fds(roots, nr);
}

static void run_open(struct job *job)
{
	request_open_file(request_of(job));
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

static void finish_open(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (!request_has_failed(request, source, given_up))
		keep_file(request, source);
	request->files->tables.nr_changes++;
	sweep_fds(request->files);
}

static void run_announce(struct job *job)
{
	request_ask_opener(request_of(job), OPEN_PROCESS, NULL, 0);
}

void request_find_map(struct files_request *request)
{
	request_ask_opener(request, OPEN_PERF_MAP, &request->root, 1);
}

static void run_find_map(struct job *job)
{
	struct files_request *request = request_of(job);

	request->found.state = request->state;
	if (request->fd < 0 && request->root >= 0)
		request_find_map(request);
}

void request_keep_map(struct files_request *request, struct source *source)
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
	if (request_has_failed(request, source, given_up))
		return;
	source->process = request->found.process;
	hold_fd(request->files, &source->root, steal_fd(&request->found_root));
	request_keep_map(request, source);
	sweep_fds(request->files);
}

static void finish_find_map(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (!request_has_failed(request, source, given_up))
		request_keep_map(request, source);
}

static void run_stamp(struct job *job)
{
	struct files_request *request = request_of(job);

	if (request->fd >= 0)
		request_ask_opener(request, OPEN_STAMP, &request->fd, 1);
}

static void finish_stamp(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->checking = false;
	if (request_has_failed(request, source, given_up) || request->found.state != FILES_OK)
		return;
	source->outdated = memcmp(&request->found.stamp, &source->stamp, sizeof(source->stamp));
}

static void run_code(struct job *job)
{
	struct files_request *request = request_of(job);

	request->found.state = FILES_GONE;
	if (request->fd >= 0)
		request_ask_opener(request, OPEN_CODE, &request->fd, 1);
}

static void finish_code(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->code.pending = false;
	request->files->tables.nr_changes++;
	if (request_has_failed(request, source, given_up) || request->found.state != FILES_OK)
		source->code.failed = true;
	else
		code_add(&source->code, request->offset, request->found.code,
			 min(request->found.size, (u64)CODE_PIECE));
}

static bool prepare_maps(struct job *job)
{
	struct files_request *request = request_of(job);

	request->deadline_ns = request_deadline(job);
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
	request_ask_opener(request, OPEN_MAPS, &to, 1);
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

static void run_called(struct job *job)
{
	struct files_request *request = request_of(job);
	struct opener_request asked = {.task = OPEN_CALLED, .mapping = request->mapping};
	int fds[2 + NR_ROOTS] = {request->fd, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	size_t nr = 2 + roots_all(request->roots, fds + 2);
	struct received with = {};

	request->found.state = FILES_GONE;
	if (request->fd >= 0 && fds[1] >= 0 && strlen(request->text) < DEBUG_LINK_MAX) {
		memcpy(asked.link.name, request->text, strlen(request->text));
		request->failed =
			helpers_open(request->helpers, &asked, (struct helper_fds){fds, nr},
				     &request->found, &with, request->deadline_ns);
		received_close(&with);
	}
	request_close_fds(fds + 1, nr - 1);
}

const struct job_type open_job = {
	.prepare = request_prepare,
	.run = run_open,
	.finish = finish_open,
	.release = request_release,
	.urgent = true,
};

const struct job_type announce_job = {
	.prepare = request_prepare,
	.run = run_announce,
	.finish = finish_announce,
	.release = request_release,
	.urgent = true,
};

const struct job_type find_map_job = {
	.prepare = request_prepare,
	.run = run_find_map,
	.finish = finish_find_map,
	.release = request_release,
	.urgent = true,
};

const struct job_type stamp_job = {
	.prepare = request_prepare,
	.run = run_stamp,
	.finish = finish_stamp,
	.release = request_release,
};

const struct job_type code_job = {
	.prepare = request_prepare,
	.run = run_code,
	.finish = finish_code,
	.release = request_release,
};

const struct job_type maps_job = {
	.prepare = prepare_maps,
	.run = run_maps,
	.finish = finish_maps,
	.release = request_release,
	.urgent = true,
	.keeps = true,
};

const struct job_type called_job = {
	.prepare = request_prepare,
	.run = run_called,
	.finish = finish_maps,
	.release = request_release,
	.keeps = true,
};
