/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request_java.c: the request for what walks through a Java VM's code need, which a parser answers. */
#include "java_layout.h"
#include "request_steps.h"

static void parse_layout(struct files_request *request, int memory)
{
	static const u64 none[1];
	const struct parse_job job = {
		.request = {.task = PARSE_JAVA_LAYOUT, .libjvm = request->found.libjvm},
		.owner = request->owner,
		.file = memory,
		.addresses = none,
	};
	struct parser_reply reply;
	struct answer answer;

	request->failed =
		helpers_parse(request->helpers, &job, &reply, &answer, request->deadline_ns);
	answer_unmap(&answer);
	if (request->failed != FILES_OK || !reply.java.blob_size)
		return;
	if (java_layout_is_sound(&reply.java)) {
		request->java = reply.java;
		request->is_java = true;
		return;
	}
	helpers_distrust(request->helpers, request->owner);
	request->failed = FILES_CRASHED;
}

static void run_java(struct job *job)
{
	struct files_request *request = request_of(job);
	_cleanup_close_ int memory = -1;

	request_ask_opener(request, OPEN_MEMORY, NULL, 0);
	memory = steal_fd(&request->found_fd);
	if (request->failed == FILES_OK && memory >= 0)
		parse_layout(request, memory);
}

/* The VM is asked for names all the same. */
static void finish_java(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	enum files_state failed = request->failed;

	if (given_up || failed == FILES_TIMED_OUT || failed == FILES_CRASHED ||
	    failed == FILES_TOO_LONG)
		owner_failed(request->files, request->owner);
}

const struct job_type java_job = {
	.prepare = request_prepare,
	.run = run_java,
	.finish = finish_java,
	.release = request_release,
	.keeps = true,
};
