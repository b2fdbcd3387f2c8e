/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "older.h"

#include <ctype.h>

#include "javas.h"
#include "procmaps.h"

enum {
	MAX_ASKED = 8, /* processes that are asked about at a time, in advance */
	MAPS_LIMIT_MS = 2000,
	MAX_MISSES = 10, /* of waiting for one: then no more is waited */
	WAIT_NS = 100 * 1000 * 1000,
	WAIT_SHORTLY_NS = 1000 * 1000,
};

struct reading {
	struct processes *p;
	struct mappings *mappings;
};

static void add_read(void *ctx, const struct files_mapping *m, u64 offset)
{
	struct reading *reading = ctx;
	struct mapping mapping = process_mapping(reading->p, m, offset);

	reading->mappings = mappings_add(reading->mappings, &mapping);
}

struct asked *process_asked(struct processes *p, u32 pid)
{
	vec_for_each (&p->asked, asked)
		if (asked->pid == pid)
			return asked;
	return NULL;
}

static struct asked *ask(struct processes *p, u32 pid)
{
	struct asked *asked = process_asked(p, pid);

	if (asked)
		return asked;
	asked = vec_add(&p->asked);
	asked->pid = pid;
	asked->request = files_ask_maps(p->files, pid, MAPS_LIMIT_MS);
	return asked;
}

/* A Java VM's stacks are whole from here on, whether one has come or not. */
static void look_for_java(struct processes *p, struct process *process)
{
	if (javas_is_mapped(p->javas, process->mappings))
		javas_ask(p->javas, process->pid, process_code(p, process));
}

static struct mappings *parse_maps(struct processes *p, u32 pid, char *text)
{
	struct reading reading = {.p = p, .mappings = mappings_new()};

	procmaps_parse(pid, text, add_read, &reading);
	p->nr_read++;
	return reading.mappings;
}

/* Kernel threads have an empty text. */
static void take_answer(struct processes *p, struct asked asked)
{
	enum files_state state;
	_cleanup_free_ char *text = files_answer_maps(p->files, asked.request, &state);
	struct process *process = process_find(p, asked.pid);

	if (process && process->mappings)
		return;
	if (text && *text && asked.again) {
		ask(p, asked.pid);
		return;
	}
	if (text && *text) {
		struct mappings *mappings = parse_maps(p, asked.pid, text);

		process = process_get(p, asked.pid);
		process->mappings = mappings;
		look_for_java(p, process);
		return;
	}
	if (!text && state != FILES_GONE)
		p->nr_unread++;
	else if (!process)
		return;
	process_get(p, asked.pid)->gone = true;
}

/* Takes what is answered at `until_ns`; false: it is not. */
static bool take_if_answered(struct processes *p, struct asked *at, u64 until_ns)
{
	struct asked asked = *at;

	if (!files_is_answered(p->files, asked.request, until_ns))
		return false;
	*at = p->asked.at[--p->asked.nr];
	take_answer(p, asked);
	return true;
}

static void take_answers(struct processes *p)
{
	for (size_t i = 0; i < p->asked.nr;)
		if (!take_if_answered(p, &p->asked.at[i], 0))
			i++;
}

void process_read(struct processes *p, struct process *process)
{
	bool wait = p->nr_misses < MAX_MISSES;
	u32 pid = process->pid;

	if (!take_if_answered(p, ask(p, pid), wait ? monotonic_ns() + WAIT_NS : 0))
		p->nr_misses += wait;
}

void processes_read_first(struct processes *p, const u32 *pids, size_t nr, u64 until_ns)
{
	for (size_t i = 0; i < nr && monotonic_ns() < until_ns; i++) {
		const struct process *process = process_find(p, pids[i]);

		if (!process || (!process->mappings && !process->gone))
			take_if_answered(p, ask(p, pids[i]), until_ns);
	}
}

/* The next process in /proc that is not known yet; 0: there are no more. */
static u32 next_older(struct processes *p)
{
	struct dirent *entry;

	while ((entry = readdir(p->older))) {
		u32 pid = (u32)strtoul(entry->d_name, NULL, 10);
		const struct process *process;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		process = process_find(p, pid);
		if (!process || (!process->mappings && !process->gone))
			return pid;
	}
	closedir(p->older);
	p->older = NULL;
	return 0;
}

static void ask_older(struct processes *p)
{
	while (p->older && p->asked.nr < MAX_ASKED) {
		u32 pid = next_older(p);

		if (pid)
			ask(p, pid);
	}
}

bool processes_read_older(struct processes *p, u64 until_ns)
{
	for (size_t turn = 0;; turn++) {
		struct asked *asked;
		u64 now;

		take_answers(p);
		ask_older(p);
		now = monotonic_ns();
		if (!p->asked.nr || now >= until_ns)
			return p->asked.nr;
		/* One may never be answered: each is waited for in turn. */
		asked = &p->asked.at[turn % p->asked.nr];
		take_if_answered(p, asked, min(until_ns, now + WAIT_SHORTLY_NS));
	}
}

u64 processes_nr_read(const struct processes *p)
{
	return p->nr_read;
}

u64 processes_nr_unread(struct processes *p)
{
	u64 nr = p->nr_unread;

	/* One of which nothing was seen is asked about in advance: nothing is lost. */
	vec_for_each (&p->asked, asked)
		nr += process_find(p, asked->pid) != NULL;
	return nr;
}
