/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_lines.c: requests for lines of source, and for what sources a file has. The parser says
 * which other file would help; that is looked for and given to it as well, until nothing is missing
 * or can be found: the debug file, then what that shares with others.
 */
#include "lines_answer.h"
#include "request_steps.h"

enum {
	ROUNDS = 3,	  /* the file, its debug file, what that shares */
	PARSER_SHARE = 2, /* the parser stops by itself when half of the time is over */
};

static u32 limit_of(const struct files_request *request)
{
	u64 now = monotonic_ns();

	return (u32)((request->deadline_ns - min(now, request->deadline_ns)) / NSEC_PER_MSEC /
		     PARSER_SHARE);
}

/* FILES_OK: what the parser says is in *reply, and the lines are the request's. */
static enum files_state take_lines(struct files_request *request, const struct parse_job *job,
				   struct parser_reply *reply)
{
	struct files_lines *lines = xcalloc(1, sizeof(*lines));
	struct answer answer;
	enum files_state state =
		helpers_parse(request->helpers, job, reply, &answer, request->deadline_ns);

	lines->state = state == FILES_OK ? (enum files_state)reply->state : state;
	if (answer.bytes && lines_adopt(&answer, request->nr, lines)) {
		helpers_distrust(request->helpers, request->owner);
		state = lines->state = FILES_CRASHED;
	}
	answer_unmap(&answer);
	files_lines_free(request->lines);
	request->lines = lines;
	return state;
}

static enum files_state parse_lines(struct files_request *request, const struct received *debug,
				    struct parser_reply *reply)
{
	const struct parse_job job = {
		.request = {.task = PARSE_LINES,
			    .nr_addresses = (u32)request->nr,
			    .limit_ms = limit_of(request),
			    .stamp = request->stamp},
		.owner = request->owner,
		.file = request->fd,
		.debug = {debug->fds, debug->nr_fds},
		.addresses = request->addresses,
	};

	return take_lines(request, &job, reply);
}

/* Of what a Java VM has compiled, from its memory. */
static void parse_java_lines(struct files_request *request)
{
	_cleanup_close_ int memory = -1;
	struct parse_job job = {
		.request = {.task = PARSE_JAVA_LINES, .nr_addresses = (u32)request->nr},
		.owner = request->owner,
		.addresses = request->addresses,
	};
	struct parser_reply reply;

	request_ask_opener(request, OPEN_MEMORY, NULL, 0);
	memory = steal_fd(&request->found_fd);
	if (request->failed != FILES_OK || memory < 0)
		return;
	job.file = memory;
	job.request.libjvm = request->found.libjvm;
	request->failed = take_lines(request, &job, &reply);
}

/* True: there is more than before. */
static bool find_more(struct files_request *request, const struct debug_link *link,
		      struct received *debug)
{
	struct received found = {};
	size_t before = debug->nr_fds;

	request_find_debug_files(request, link, &found);
	while (found.nr_fds && debug->nr_fds < MAX_DEBUG_FILES)
		debug->fds[debug->nr_fds++] = found.fds[--found.nr_fds];
	received_close(&found);
	return debug->nr_fds > before;
}

typedef enum files_state parse_function(struct files_request *request, const struct received *debug,
					struct parser_reply *reply);

static void run_rounds(struct files_request *request, parse_function *parse)
{
	struct received debug = {};
	struct parser_reply reply;

	if (request->kind != MAPPED || request->state != FILES_OK)
		return;
	if (request->fd < 0)
		request_reopen(request);
	for (int i = 0; i < ROUNDS && request->fd >= 0; i++) {
		request->failed = parse(request, &debug, &reply);
		if (request->failed != FILES_OK || !reply.wants_debug_file ||
		    !find_more(request, &reply.link, &debug))
			break;
	}
	received_close(&debug);
}

static void run_lines(struct job *job)
{
	struct files_request *request = request_of(job);

	if (request->kind == PERF_MAP)
		parse_java_lines(request);
	else
		run_rounds(request, parse_lines);
}

/* Numbers only; but for the size of the build id, any will do. */
static enum files_state parse_sources(struct files_request *request, const struct received *debug,
				      struct parser_reply *reply)
{
	_cleanup_free_ u64 *none = xcalloc(1, sizeof(*none));
	const struct parse_job job = {
		.request = {.task = PARSE_SOURCES, .stamp = request->stamp},
		.owner = request->owner,
		.file = request->fd,
		.debug = {debug->fds, debug->nr_fds},
		.addresses = none,
	};
	struct answer answer;
	enum files_state state =
		helpers_parse(request->helpers, &job, reply, &answer, request->deadline_ns);

	answer_unmap(&answer);
	if (state == FILES_OK && reply->sources.build_id_size > FILES_MAX_BUILD_ID) {
		helpers_distrust(request->helpers, request->owner);
		state = FILES_CRASHED;
	}
	if (state == FILES_OK)
		request->sources = reply->sources;
	else
		request->sources.state = state;
	return state;
}

static void run_sources(struct job *job)
{
	struct files_request *request = request_of(job);

	request->sources.state = request->state == FILES_OK ? FILES_GONE : request->state;
	run_rounds(request, parse_sources);
}

static bool has_cost_a_helper(enum files_state state)
{
	return state == FILES_TIMED_OUT || state == FILES_CRASHED || state == FILES_TOO_LONG;
}

/* The file is asked for names all the same. */
static void finish_lines(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);

	if (given_up || has_cost_a_helper(request->failed))
		owner_failed(request->files, request->owner);
}

const struct job_type lines_job = {
	.prepare = request_prepare,
	.run = run_lines,
	.finish = finish_lines,
	.release = request_release,
	.keeps = true,
};

const struct job_type sources_job = {
	.prepare = request_prepare,
	.run = run_sources,
	.finish = finish_lines,
	.release = request_release,
	.keeps = true,
};
