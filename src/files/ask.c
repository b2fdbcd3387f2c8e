/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.c: requests for names, lines and the like, and their answers. A request that is not answered
 * in time is given up: its answer says so.
 */
#include "files.h"
#include "lines.h"
#include "python_stacks.h"
#include "reply.h"
#include "request.h"
#include "sources.h"

enum {
	MAPS_KEY = 1u << 31, /* beyond all tokens */
};

static struct files_request *ask(struct files *files, file_ref file, const struct job_type *type,
				 const u64 *addresses, size_t nr, unsigned int timeout_ms)
{
	struct files_request *request;

	pool_lock(files->pool);
	request = request_known(files, file, type, timeout_ms);
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

struct files_request *files_ask_java(struct files *files, file_ref code, unsigned int timeout_ms)
{
	return ask(files, code, &java_job, NULL, 0, timeout_ms);
}

bool files_answer_java(struct files *files, struct files_request *request, struct wick_java *java)
{
	bool found = pool_wait(files->pool, &request->job) && request->is_java;

	if (found)
		*java = request->java;
	pool_forget(files->pool, &request->job);
	return found;
}

struct files_request *files_ask_java_frames(struct files *files, file_ref code,
					    const u64 *addresses, size_t nr,
					    unsigned int timeout_ms)
{
	return ask(files, code, &frames_job, addresses, nr, timeout_ms);
}

u32 *files_answer_java_frames(struct files *files, struct files_request *request)
{
	u32 *rules = pool_wait(files->pool, &request->job) ? steal(&request->rules) : NULL;

	pool_forget(files->pool, &request->job);
	return rules;
}

struct files_request *files_ask_python(struct files *files, file_ref code,
				       const struct wick_python *python, u64 base,
				       const struct files_python_thread *threads, size_t nr,
				       unsigned int timeout_ms)
{
	_cleanup_free_ struct python_question *question =
		python_question_new(python, base, threads, nr);

	return ask(files, code, &python_job, (const u64 *)question, python_question_words(nr),
		   timeout_ms);
}

struct files_python *files_answer_python(struct files *files, struct files_request *request)
{
	struct files_python *python =
		pool_wait(files->pool, &request->job) ? steal(&request->python) : NULL;

	pool_forget(files->pool, &request->job);
	return python;
}

bool files_is_called(struct files *files, file_ref file, const char *name, unsigned int timeout_ms)
{
	struct files_request *request;
	bool called;

	pool_lock(files->pool);
	request = request_known(files, file, &called_job, timeout_ms);
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
