/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <json-c/json.h>

#include "words.h"

enum { COUNT = 0, SECOND = 1, THIRD = 2 }; /* columns of samples */

static void put_number(struct json_object *to, const char *name, u64 value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

static void put_seconds(struct json_object *to, const char *name, u64 ns)
{
	json_object_object_add(to, name, json_object_new_double(seconds(ns)));
}

/* A name of the profile. Control bytes are escaped, and so is what is not UTF-8. */
static void put_string(struct json_object *to, const char *name, const struct profile *p, u32 ref)
{
	_cleanup_strbuf_ struct strbuf text = {};

	add_string(&text, p, ref);
	json_object_object_add(to, name, json_object_new_string(text.s ? text.s : ""));
}

static u64 sum_of(const struct profile *p, enum wick_kind kind, u32 column, u32 flag)
{
	return profile_sum(p, kind, column, flag, flag);
}

static struct json_object *samples_of(const struct profile *p)
{
	struct json_object *to = json_object_new_object();

	put_number(to, "frequency", p->frequency);
	put_number(to, "counted", sum_of(p, WICK_CPU, COUNT, 0));
	put_number(to, "expected", p->expected);
	return to;
}

static struct json_object *off_cpu_of(const struct profile *p)
{
	struct json_object *to = json_object_new_object(), *states = json_object_new_object();

	put_seconds(to, "seconds", sched_ns(p));
	for (size_t i = 0; i < NR_LETTERS; i++) {
		char name[2] = {STATE_LETTERS[i], '\0'};
		u64 ns = 0;

		vec_for_each (&p->samples, sample)
			if (sample->kind == WICK_SCHED && letter_index(sample->state) == i)
				ns += sample->column[SECOND];
		put_seconds(states, name, ns);
	}
	json_object_object_add(to, "by_state", states);
	return to;
}

static struct json_object *account_of(const struct profile *p)
{
	struct json_object *to = json_object_new_object();
	struct thread_time sum = profile_threads_time(p);

	put_number(to, "threads", p->threads.nr);
	put_seconds(to, "running", sum.running);
	put_seconds(to, "run_queue", sum.queued);
	put_seconds(to, "preempted", sum.preempted);
	put_seconds(to, "blocked", sum.blocked);
	put_seconds(to, "expected", sum.end);
	return to;
}

static struct json_object *faults_of(const struct profile *p)
{
	struct json_object *to = json_object_new_object();

	put_number(to, "faults", sum_of(p, WICK_FAULT, COUNT, 0));
	put_number(to, "major", sum_of(p, WICK_FAULT, COUNT, WICK_MEMORY_MAJOR));
	put_number(to, "in_kernel", sum_of(p, WICK_FAULT, COUNT, WICK_MEMORY_IN_KERNEL));
	put_number(to, "not_done", p->failed_faults);
	put_number(to, "resident_bytes", sum_of(p, WICK_FAULT, SECOND, 0));
	put_seconds(to, "seconds", sum_of(p, WICK_FAULT, THIRD, 0));
	json_object_object_add(to, "resident_by_faults", json_object_new_boolean(p->by_faults));
	if (p->by_faults)
		json_object_object_add(to, "resident_warning",
				       json_object_new_string(resident_warning(p)));
	return to;
}

static struct json_object *memory_of(const struct profile *p, enum memory_accounts which, u64 calls,
				     u64 mapped)
{
	const struct memory_account *account = &p->memory[which];
	struct json_object *to = json_object_new_object();

	put_number(to, "calls", calls);
	put_number(to, "mapped_bytes", mapped);
	put_number(to, "unmapped_bytes",
		   which == MEMORY_BRK ? account->given_back : account->unmapped);
	put_number(to, "gone_bytes", account->gone);
	put_number(to, "outstanding_bytes", account->held);
	return to;
}

static void put_mmap(struct json_object *to, const struct profile *p)
{
	u64 calls = sum_of(p, WICK_MMAP, COUNT, WICK_MEMORY_RESERVED);
	u64 bytes = sum_of(p, WICK_MMAP, SECOND, WICK_MEMORY_RESERVED);

	json_object_object_add(to, "mmap",
			       memory_of(p, MEMORY_MMAP, sum_of(p, WICK_MMAP, COUNT, 0) - calls,
					 sum_of(p, WICK_MMAP, SECOND, 0) - bytes));
	json_object_object_add(to, "reserved", memory_of(p, MEMORY_RESERVED, calls, bytes));
	put_number(to, "processes_of_32_bits", p->processes_32_bit);
}

static struct json_object *losses_of(const struct profile *p)
{
	struct json_object *to = json_object_new_array();

	vec_for_each (&p->losses, loss) {
		struct json_object *row;

		if (!loss->value)
			continue;
		row = json_object_new_object();
		json_object_object_add(row, "instrument",
				       json_object_new_string(instruments[loss->kind].name));
		json_object_object_add(row, "cause", json_object_new_string(loss->cause));
		put_number(row, "value", loss->value);
		json_object_array_add(to, row);
	}
	return to;
}

static struct json_object *cost_of(const struct run_cost *cost)
{
	struct json_object *to = json_object_new_object();
	u64 bpf_ns = 0;

	for (size_t i = 0; i < cost->programs.nr; i++) {
		const struct program_cost *c = &cost->programs.at[i];

		bpf_ns += c->timed_runs ? c->runs * (c->timed_ns / c->timed_runs) : 0;
	}
	put_seconds(to, "cpu_seconds", cost->cpu_ns);
	put_seconds(to, "bpf_seconds", bpf_ns);
	put_number(to, "resident_bytes", cost->max_resident_bytes);
	put_number(to, "bpf_map_bytes", cost->map_bytes);
	return to;
}

static struct json_object *missing_of(const struct drawing *drawing)
{
	struct json_object *to = json_object_new_array();

	vec_for_each (&drawing->missing, view) {
		struct json_object *row = json_object_new_object();
		_cleanup_strbuf_ struct strbuf why = {};

		strbuf_add_safe_utf8(&why, view->why, strlen(view->why));
		json_object_object_add(row, "view", json_object_new_string(view->name));
		json_object_object_add(row, "reason", json_object_new_string(why.s ? why.s : ""));
		json_object_array_add(to, row);
	}
	return to;
}

static struct json_object *files_of(char *const *files, size_t nr)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < nr; i++) {
		_cleanup_strbuf_ struct strbuf name = {};

		strbuf_add_safe_utf8(&name, files[i], strlen(files[i]));
		json_object_array_add(to, json_object_new_string(name.s ? name.s : ""));
	}
	return to;
}

static struct json_object *summary_of(const struct run_options *o, const struct profile *p,
				      const struct run_cost *cost)
{
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "wick", json_object_new_string(WICK_VERSION));
	put_string(to, "host", p, p->host);
	put_string(to, "kernel", p, p->kernel_release);
	put_string(to, "filters", p, p->filters);
	put_seconds(to, "started", p->wall_start_ns);
	put_seconds(to, "seconds", p->end - p->begin);
	put_number(to, "cpus", p->nr_cpus);
	if (o->needs & NEED_CPU)
		json_object_object_add(to, "samples", samples_of(p));
	if (o->needs & (NEED_SCHED | NEED_THREADS))
		json_object_object_add(to, "off_cpu", off_cpu_of(p));
	if (o->needs & NEED_SCHED)
		json_object_object_add(to, "account", account_of(p));
	if (o->needs & NEED_FAULT)
		json_object_object_add(to, "faults", faults_of(p));
	if (o->needs & NEED_BRK)
		json_object_object_add(to, "brk",
				       memory_of(p, MEMORY_BRK, sum_of(p, WICK_BRK, COUNT, 0),
						 sum_of(p, WICK_BRK, SECOND, 0)));
	if (o->needs & NEED_MMAP)
		put_mmap(to, p);
	json_object_object_add(to, "missing", missing_of(&o->drawing));
	json_object_object_add(to, "lost", losses_of(p));
	json_object_object_add(to, "cost", cost_of(cost));
	return to;
}

int write_json(FILE *to, const struct run_options *o, const struct profile *p,
	       const struct run_cost *cost, char *const *files, size_t nr_files)
{
	struct json_object *summary = summary_of(o, p, cost);
	int err;

	json_object_object_add(summary, "files", files_of(files, nr_files));
	fprintf(to, "%s\n", json_object_to_json_string_ext(summary, JSON_C_TO_STRING_PRETTY));
	json_object_put(summary);
	err = fflush(to) || ferror(to) ? -errno : 0;
	return err;
}
