/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request_python.c: requests for Python's frames of blocked threads, which a parser answers. */
#include "python_stacks.h"
#include "request_steps.h"

static void parse_python(struct files_request *request, int memory)
{
	const struct parse_job job = {
		.request = {.task = PARSE_PYTHON, .nr_addresses = (u32)request->nr},
		.owner = request->owner,
		.file = memory,
		.addresses = request->addresses,
	};
	const struct python_question *question = (const void *)request->addresses;
	struct parser_reply reply;
	struct answer answer;

	request->failed =
		helpers_parse(request->helpers, &job, &reply, &answer, request->deadline_ns);
	if (request->failed == FILES_OK && answer.bytes) {
		request->python = python_stacks_check(answer.bytes, answer.size, question->nr);
		if (!request->python) {
			helpers_distrust(request->helpers, request->owner);
			request->failed = FILES_CRASHED;
		}
	}
	answer_unmap(&answer);
}

static void run_python(struct job *job)
{
	request_run_by_memory(request_of(job), OPEN_ANY_MEMORY, parse_python);
}

const struct job_type python_job = {
	.prepare = request_prepare,
	.run = run_python,
	.finish = request_finish_by_memory,
	.release = request_release,
	.keeps = true,
};
