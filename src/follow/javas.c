/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "javas.h"

enum {
	LIMIT_MS = 2000,
	MAX_TRIES = 8,
	PAUSE_NS = 50 * 1000 * 1000, /* before the second one; doubled for each one after that */
};

struct java {
	u32 pid;
	file_ref code;
	struct files_request *request; /* NULL: none is under way */
	bool is_told;
	unsigned int nr_tries;
	u64 next_ns; /* not before then */
};

struct javas {
	VEC_FIELDS(struct java);
	const struct profile *profile;
	struct files *files;
	struct java_sink sink;
};

struct javas *javas_new(const struct profile *profile, struct files *files, struct java_sink sink)
{
	struct javas *j = xcalloc(1, sizeof(*j));

	j->profile = profile;
	j->files = files;
	j->sink = sink;
	return j;
}

static void give_up(struct javas *j, struct java *java)
{
	if (java->request)
		files_abandon(j->files, steal(&java->request));
}

void javas_free(struct javas *j)
{
	if (!j)
		return;
	vec_for_each (j, java)
		give_up(j, java);
	vec_release(j);
	free(j);
}

static bool is_libjvm(const struct javas *j, const struct mapping *mapping)
{
	static const char name[] = "/libjvm.so";
	const size_t size = sizeof(name) - 1;
	struct string path;

	if (mapping->kind != MAPPING_FILE || !mapping->file)
		return false;
	path = strings_get(&j->profile->names, j->profile->files.at[mapping->file].path);
	return path.size >= size && !memcmp(path.s + path.size - size, name, size);
}

bool javas_is_mapped(const struct javas *j, const struct mappings *mappings)
{
	for (size_t i = 0; mappings && i < mappings->nr; i++)
		if (is_libjvm(j, &mappings->at[i]))
			return true;
	return false;
}

static struct java *find(struct javas *j, u32 pid)
{
	vec_for_each (j, java)
		if (java->pid == pid)
			return java;
	return NULL;
}

void javas_ask(struct javas *j, u32 pid, file_ref code)
{
	struct java *java;

	if (!j->sink.tell || !code || j->nr == WICK_JAVAS || find(j, pid))
		return;
	java = vec_add(j);
	java->pid = pid;
	java->code = code;
	java->request = files_ask_java(j->files, code, LIMIT_MS);
	java->nr_tries = 1;
}

bool javas_are_asked(const struct javas *j)
{
	vec_for_each (j, java)
		if (java->request)
			return true;
	return false;
}

static void take_answer(struct javas *j, struct java *java)
{
	struct wick_java layout;

	java->is_told = files_answer_java(j->files, steal(&java->request), &layout);
	if (java->is_told)
		j->sink.tell(j->sink.ctx, java->pid, &layout);
	java->next_ns = monotonic_ns() + ((u64)PAUSE_NS << java->nr_tries);
}

void javas_wait(struct javas *j, u64 until_ns)
{
	vec_for_each (j, java)
		if (java->request && files_is_answered(j->files, java->request, until_ns))
			take_answer(j, java);
}

void javas_retry(struct javas *j)
{
	vec_for_each (j, java) {
		if (java->request && files_is_answered(j->files, java->request, 0))
			take_answer(j, java);
		if (java->request || java->is_told || java->nr_tries == MAX_TRIES ||
		    monotonic_ns() < java->next_ns)
			continue;
		java->nr_tries++;
		java->request = files_ask_java(j->files, java->code, LIMIT_MS);
	}
}

void javas_forget(struct javas *j, u32 pid)
{
	struct java *java = find(j, pid);

	if (!java)
		return;
	give_up(j, java);
	if (java->is_told)
		j->sink.tell(j->sink.ctx, pid, NULL);
	*java = j->at[--j->nr];
}
