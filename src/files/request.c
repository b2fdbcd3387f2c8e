/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c: what the pool's threads do for each kind of request. prepare() copies from the source
 * and finish() writes to it, both with the lock held; run() in between touches only the request.
 */
#include "request.h"

#include <fcntl.h>

#include "elf_names.h"
#include "perfmap.h"
#include "unwinder.h"
#include "vdso.h"

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
	return !source_is_hopeless(request->files, source);
}

static void release(struct job *job)
{
	struct files_request *request = request_of(job);

	cleanup_close(&request->fd);
	cleanup_close(&request->root);
	cleanup_close(&request->opened.fd);
	free((char *)request->mapping.path);
	roots_unref(request->roots);
	free(request->addresses);
	files_symbols_free(request->reply);
	unwind_table_free(request->unwind);
	free(request);
}

static void run_open(struct job *job)
{
	struct files_request *request = request_of(job);

	open_mapped(request->roots, &request->mapping, &request->opened);
}

static void keep_file(struct files_request *request, struct source *source)
{
	source->state = request->opened.state;
	if (request->opened.fd < 0)
		return;
	source->stamp = request->opened.stamp;
	source->local = request->opened.local;
	if (source->local)
		source_is_on_local(request->files, source);
	hold_fd(request->files, &source->fd, steal_fd(&request->opened.fd));
}

static void finish_open(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (given_up)
		source_give_up(request->files, source);
	else
		keep_file(request, source);
	request->files->tables.nr_changes++;
	sweep_fds(request->files);
}

static void find_map(struct files_request *request)
{
	request->opened.state = jit_find(&request->process, request->root, &request->opened.fd);
}

static void run_announce(struct job *job)
{
	struct files_request *request = request_of(job);

	request->root = jit_announce(&request->process);
	if (request->root >= 0)
		find_map(request);
	else
		request->opened.state = FILES_GONE;
}

static void run_find_map(struct job *job)
{
	struct files_request *request = request_of(job);

	request->opened.state = request->state;
	if (request->fd < 0 && request->root >= 0)
		find_map(request);
}

/* The root is needed only as long as there is no map. */
static void keep_map(struct files_request *request, struct source *source)
{
	source->state = request->opened.state;
	if (request->opened.fd < 0)
		return;
	hold_fd(request->files, &source->fd, steal_fd(&request->opened.fd));
	hold_fd(request->files, &source->root, -1);
}

static void finish_announce(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (given_up) {
		source_give_up(request->files, source);
		return;
	}
	source->process = request->process;
	hold_fd(request->files, &source->root, steal_fd(&request->root));
	keep_map(request, source);
	sweep_fds(request->files);
}

static void finish_find_map(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	source->nr_opening--;
	if (given_up)
		source_give_up(request->files, source);
	else
		keep_map(request, source);
}

/* Closed because too many were open: the same file again, or none. */
static void reopen(struct files_request *request)
{
	struct opened again;
	struct stat st;

	open_mapped(request->roots, &request->mapping, &again);
	request->fd = again.fd;
	if (request->fd >= 0 && (fstat(request->fd, &st) || !stamp_is(&request->stamp, &st)))
		close(steal_fd(&request->fd));
}

static void drop_names(struct files_symbols *reply, enum files_state state)
{
	reply->state = state;
	for (size_t i = 0; i < reply->nr; i++) {
		free((char *)reply->at[i].name);
		reply->at[i].name = NULL;
	}
}

/* What was read counts only if the file is afterwards still what was mapped. */
static void name_mapped(struct files_request *request)
{
	struct files_symbols *reply = request->reply;
	struct bytes bytes;
	struct stat st;

	reply->state = request->state;
	if (request->state != FILES_OK)
		return;
	if (request->fd < 0)
		reopen(request);
	reply->state = FILES_GONE;
	if (request->fd < 0 || bytes_of_file(&bytes, request->fd))
		return;
	name_elf(bytes,
		 &(struct naming_place){.debug_root = DEBUG_ROOT,
					.roots = request->roots,
					.path = request->mapping.path},
		 reply);
	if (fstat(request->fd, &st) || !stamp_is(&request->stamp, &st))
		drop_names(reply, FILES_GONE);
}

static void name_by_perf_map(struct files_request *request)
{
	struct files_symbols *reply = request->reply;
	struct bytes bytes;

	request->opened.state = request->state;
	if (request->fd < 0 && request->root >= 0) {
		find_map(request);
		request->fd = copy_fd(request->opened.fd);
	}
	reply->state = request->opened.state;
	if (request->fd < 0 || bytes_of_file(&bytes, request->fd))
		return;
	reply->state = FILES_OK;
	perfmap_name(&bytes, reply);
}

static void name_vdso(struct files_request *request)
{
	struct bytes bytes;

	request->reply->state = FILES_GONE;
	if (!vdso_bytes(&bytes))
		name_elf(bytes, &(struct naming_place){.debug_root = DEBUG_ROOT}, request->reply);
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
}

static void finish_names(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	struct source *source = source_of(request->files, request->ref);

	if (given_up)
		source_give_up(request->files, source);
	else if (source->kind == PERF_MAP)
		keep_map(request, source);
}

static bool is_small_enough(const struct files_request *request)
{
	u64 max_file = request->files->tables.max_file;
	struct stat st;

	return !max_file || (!fstat(request->fd, &st) && (u64)st.st_size <= max_file);
}

static void run_unwind(struct job *job)
{
	struct files_request *request = request_of(job);
	struct bytes bytes;

	if (request->kind == VDSO) {
		if (!vdso_bytes(&bytes))
			unwind_table_build_image(bytes.memory, bytes.size, &request->unwind, NULL);
		return;
	}
	if (request->fd < 0 && request->state == FILES_OK)
		reopen(request);
	if (request->fd >= 0 && is_small_enough(request))
		unwind_table_build(request->fd, &request->unwind, NULL);
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

	if (given_up)
		source_give_up(request->files, source);
	else if (request->unwind)
		keep_table(request, source);
	source->unwind_state = UNWIND_READY;
	request->files->tables.nr_pending--;
	request->files->tables.nr_changes++;
}

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
		.job = {.type = type, .key = ref, .limit_ns = limit_ms * NSEC_PER_MSEC},
		.files = files,
		.ref = ref,
		.kind = source_of(files, ref)->kind,
		.roots = roots_ref(files->roots),
		.fd = -1,
		.root = -1,
		.opened = {.fd = -1},
	};
	if (mapping) {
		request->mapping = *mapping;
		request->mapping.path = without_deleted(mapping->path);
	}
	return request;
}
