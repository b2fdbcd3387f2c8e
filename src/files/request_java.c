/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request_java.c: requests for what walks through a Java VM's code need, which a parser answers. */
#include "java_frames.h"
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

/* NULL: it is not what it has to be. */
static u32 *check_rules(const struct answer *answer, size_t nr)
{
	const u32 *rules = answer->bytes;

	if (answer->size != nr * sizeof(*rules))
		return NULL;
	for (size_t i = 0; i < nr; i++)
		if (!java_frame_is_sound(rules[i]))
			return NULL;
	return xmemdup(rules, answer->size);
}

static void parse_frames(struct files_request *request, int memory)
{
	const struct parse_job job = {
		.request = {.task = PARSE_JAVA_FRAMES,
			    .nr_addresses = (u32)request->nr,
			    .libjvm = request->found.libjvm},
		.owner = request->owner,
		.file = memory,
		.addresses = request->addresses,
	};
	struct parser_reply reply;
	struct answer answer;

	request->failed =
		helpers_parse(request->helpers, &job, &reply, &answer, request->deadline_ns);
	if (request->failed == FILES_OK && answer.bytes) {
		request->rules = check_rules(&answer, request->nr);
		if (!request->rules) {
			helpers_distrust(request->helpers, request->owner);
			request->failed = FILES_CRASHED;
		}
	}
	answer_unmap(&answer);
}

void request_run_by_memory(struct files_request *request, enum opener_task open,
			   void (*parse)(struct files_request *request, int memory))
{
	_cleanup_close_ int memory = -1;

	request_ask_opener(request, open, NULL, 0);
	memory = steal_fd(&request->found_fd);
	if (request->failed == FILES_OK && memory >= 0)
		parse(request, memory);
}

static void run_java(struct job *job)
{
	request_run_by_memory(request_of(job), OPEN_MEMORY, parse_layout);
}

static void run_frames(struct job *job)
{
	request_run_by_memory(request_of(job), OPEN_MEMORY, parse_frames);
}

void request_finish_by_memory(struct job *job, bool given_up)
{
	struct files_request *request = request_of(job);
	enum files_state failed = request->failed;

	if (given_up || failed == FILES_TIMED_OUT || failed == FILES_CRASHED ||
	    failed == FILES_TOO_LONG)
		owner_failed(request->files, request->owner);
	request->files->tables.nr_changes++;
}

const struct job_type java_job = {
	.prepare = request_prepare,
	.run = run_java,
	.finish = request_finish_by_memory,
	.release = request_release,
	.keeps = true,
};

const struct job_type frames_job = {
	.prepare = request_prepare,
	.run = run_frames,
	.finish = request_finish_by_memory,
	.release = request_release,
	.keeps = true,
};
