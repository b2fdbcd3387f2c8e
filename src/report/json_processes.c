/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_processes.c: processes and their delays in the JSON summary. */
#include <json-c/json.h>

#include "json.h"

static void put_waits(struct json_object *to, const u64 waits[NR_WHY_CLASSES])
{
	struct json_object *object = json_put_object(to, "waits");

	for (u32 class = 0; class < NR_WHY_CLASSES; class ++)
		json_put_seconds(object, why_class_names[class], waits[class]);
}

static struct json_object *put_array(struct json_object *to, const char *name)
{
	struct json_object *array = json_object_new_array();

	json_object_object_add(to, name, array);
	return array;
}

static struct json_object *add_row(struct json_object *array)
{
	struct json_object *row = json_object_new_object();

	json_object_array_add(array, row);
	return row;
}

static void put_text(struct json_object *to, const char *name, const char *text)
{
	json_put_string(to, name, (struct string){text, strlen(text)});
}

static void put_longest(struct json_object *to, const struct delay_fact *longest)
{
	struct json_object *object;

	if (!longest->ns)
		return;
	object = json_put_object(to, "longest");
	put_text(object, "kind", why_class_names[longest->class]);
	json_put_seconds(object, "seconds", longest->longest_ns);
	json_put_string(object, "place", longest->place);
}

/* What a process and several of one name have in common. */
static void put_sums(struct json_object *row, const struct process_fact *process)
{
	json_put_number(row, "threads", process->nr_threads);
	json_put_seconds(row, "running", process->running);
	put_waits(row, process->waits);
	put_longest(row, &process->longest);
}

static void put_process(struct json_object *row, const struct process_fact *process)
{
	json_put_string(row, "name", process->name);
	json_put_number(row, "pid", process->pid);
	put_sums(row, process);
}

static void put_row(struct json_object *to, const struct process_row *row)
{
	json_put_string(to, "name", row->fact.name);
	json_put_number(to, "processes", row->nr);
	if (row->fact.pid)
		json_put_number(to, "pid", row->fact.pid);
	put_sums(to, &row->fact);
}

static void put_delay(struct json_object *row, const struct facts *f,
		      const struct delay_fact *delay)
{
	const struct process_fact *process = &f->processes.all.at[delay->process];

	json_put_string(row, "process", process->name);
	json_put_number(row, "pid", process->pid);
	json_object_object_add(row, "others", json_object_new_boolean(delay->others));
	put_text(row, "kind", why_class_names[delay->class]);
	json_put_string(row, "place", delay->place);
	json_put_string(row, "cause", delay->cause);
	json_put_seconds(row, "seconds", delay->ns);
	json_put_number(row, "times", delay->nr);
	json_put_seconds(row, "longest", delay->longest_ns);
}

static void put_busy(struct json_object *row, const struct busy_fact *busy)
{
	json_put_string(row, "name", busy->thread.comm);
	json_put_number(row, "pid", busy->thread.pid);
	json_put_number(row, "tid", busy->thread.tid);
	json_put_seconds(row, "running", busy->running);
	json_put_seconds(row, "no_cpu", busy->no_cpu);
	json_put_seconds(row, "existed", busy->existed);
}

static void put_quota(struct json_object *to, const struct quota_fact *quota)
{
	struct json_object *object, *array, *row;

	if (!quota->cgroup.size)
		return;
	object = json_put_object(to, "quota");
	json_put_string(object, "cgroup", quota->cgroup);
	array = put_array(object, "users");
	for (size_t i = 0; i < MOST_QUOTA_USERS && quota->users[i].name.s; i++) {
		row = add_row(array);
		json_put_string(row, "name", quota->users[i].name);
		json_put_number(row, "pid", quota->users[i].pid);
		json_put_seconds(row, "running", quota->users[i].running);
	}
}

void processes_json(struct json_object *to, const struct facts *f)
{
	const struct process_facts *processes = &f->processes;
	struct json_object *array = put_array(to, "processes");

	for (size_t i = 0; i < min(processes->all.nr, (size_t)MOST_PROCESSES); i++)
		put_process(add_row(array), &processes->all.at[i]);
	json_put_number(to, "processes_seen", processes->all.nr);
	array = put_array(to, "process_rows");
	for (size_t i = 0; i < min(processes->rows.nr, (size_t)MOST_PROCESSES); i++)
		put_row(add_row(array), &processes->rows.at[i]);
	if (!(f->options.needs & NEED_SCHED))
		return;
	put_waits(to, processes->waits);
	json_put_seconds(to, "short_waits", processes->short_ns);
	put_quota(to, &processes->quota);
	array = put_array(to, "delays");
	vec_for_each (&processes->delays, delay)
		put_delay(add_row(array), f, delay);
	array = put_array(to, "full");
	for (size_t i = 0; i < min(processes->full.nr, (size_t)MOST_PROCESSES); i++)
		put_busy(add_row(array), &processes->full.at[i]);
	array = put_array(to, "starved");
	for (size_t i = 0; i < min(processes->starved.nr, (size_t)MOST_PROCESSES); i++)
		put_busy(add_row(array), &processes->starved.at[i]);
}
