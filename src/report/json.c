/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c: the summary for scripts: `--json`. */
#include "json.h"

#include <json-c/json.h>

#include "format.h"
#include "topics.h"

static void put_number(struct json_object *to, const char *name, u64 value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

static void put_seconds(struct json_object *to, const char *name, u64 ns)
{
	json_object_object_add(to, name, json_object_new_double(seconds(ns)));
}

/* Control bytes are escaped, and so is what is not UTF-8. */
static struct json_object *safe_string(const char *s, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = {};

	strbuf_add_safe_utf8(&text, s, size);
	return json_object_new_string(text.s ? text.s : "");
}

static void put_string(struct json_object *to, const char *name, struct string s)
{
	json_object_object_add(to, name, safe_string(s.s, s.size));
}

static struct json_object *put_object(struct json_object *to, const char *name)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(to, name, object);
	return object;
}

/* ---- topics */

void cpu_json(struct json_object *to, const struct facts *f)
{
	struct json_object *samples = put_object(to, "samples");

	put_number(samples, "frequency", f->cpu.frequency);
	put_number(samples, "counted", f->cpu.samples);
	put_number(samples, "expected", f->cpu.expected);
}

static void put_off_cpu(struct json_object *to, const struct wait_facts *waits)
{
	struct json_object *off_cpu = put_object(to, "off_cpu"), *states;

	put_seconds(off_cpu, "seconds", waits->all);
	put_number(off_cpu, "blocks", waits->blocks);
	put_number(off_cpu, "walked_blocks", waits->walked_blocks);
	states = put_object(off_cpu, "by_state");
	for (size_t i = 0; i < NR_LETTERS; i++) {
		char name[2] = {STATE_LETTERS[i], '\0'};

		put_seconds(states, name, waits->states.ns[i]);
	}
}

void waits_json(struct json_object *to, const struct facts *f)
{
	const struct time_account *a = &f->waits.account;
	const struct wait_facts *waits = &f->waits;
	struct json_object *account, *cpus;

	put_off_cpu(to, &f->waits);
	account = put_object(to, "account");
	put_number(account, "threads", f->waits.nr_threads);
	put_seconds(account, "running", a->running);
	put_seconds(account, "run_queue", a->queued);
	put_seconds(account, "preempted", a->preempted);
	put_seconds(account, "blocked", a->blocked);
	put_seconds(account, "unaccounted", a->unaccounted);
	put_seconds(account, "expected", a->expected);
	put_seconds(account, "ran_by_scheduler", a->ran);
	if (!waits->nr_cpus)
		return;
	cpus = put_object(account, "cpus");
	put_number(cpus, "cpus", waits->nr_cpus);
	put_seconds(cpus, "running", waits->cpus.running);
	put_seconds(cpus, "idle", waits->cpus.idle);
	put_seconds(cpus, "expected", waits->cpus.expected);
}

void standing_json(struct json_object *to, const struct facts *f)
{
	put_off_cpu(to, &f->waits);
}

void faults_json(struct json_object *to, const struct facts *f)
{
	struct json_object *faults = put_object(to, "faults");

	put_number(faults, "faults", f->faults.faults);
	put_number(faults, "major", f->faults.major);
	put_number(faults, "in_kernel", f->faults.in_kernel);
	put_number(faults, "not_done", f->faults.not_done);
	put_number(faults, "resident_bytes", f->faults.resident);
	put_seconds(faults, "seconds", f->faults.ns);
	json_object_object_add(faults, "resident_by_faults",
			       json_object_new_boolean(f->faults.warning != NULL));
	if (f->faults.warning)
		json_object_object_add(faults, "resident_warning",
				       json_object_new_string(f->faults.warning));
}

static void put_memory(struct json_object *to, const char *name, const struct memory_facts *memory)
{
	struct json_object *object = put_object(to, name);

	put_number(object, "calls", memory->calls);
	put_number(object, "mapped_bytes", memory->mapped);
	put_number(object, "unmapped_bytes", memory->unmapped);
	put_number(object, "gone_bytes", memory->gone);
	put_number(object, "outstanding_bytes", memory->held);
}

void brk_json(struct json_object *to, const struct facts *f)
{
	put_memory(to, "brk", &f->brk);
}

void mmap_json(struct json_object *to, const struct facts *f)
{
	put_memory(to, "mmap", &f->mmap);
	put_memory(to, "reserved", &f->reserved);
	put_number(to, "processes_of_32_bits", f->processes_32_bit);
}

/* ---- all of it */

static struct json_object *missing_of(const struct report_options *options)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < options->nr_missing; i++) {
		struct json_object *row = json_object_new_object();
		const struct missing_fact *missing = &options->missing[i];

		json_object_object_add(row, "view", json_object_new_string(missing->view));
		json_object_object_add(row, "reason",
				       safe_string(missing->why, strlen(missing->why)));
		json_object_array_add(to, row);
	}
	return to;
}

static struct json_object *losses_of(const struct facts *f)
{
	struct json_object *to = json_object_new_array();

	vec_for_each (&f->losses, loss) {
		struct json_object *row = json_object_new_object();
		const char *instrument = instruments[loss->kind].name;

		json_object_object_add(row, "instrument", json_object_new_string(instrument));
		json_object_object_add(row, "cause", json_object_new_string(loss->cause));
		put_number(row, "value", loss->value);
		json_object_array_add(to, row);
	}
	return to;
}

static void put_cost(struct json_object *to, const struct cost_facts *cost)
{
	struct json_object *object = put_object(to, "cost");

	put_seconds(object, "cpu_seconds", cost->run->cpu_ns);
	put_seconds(object, "window_cpu_seconds", cost->run->window_cpu_ns);
	put_seconds(object, "turned_down_seconds", cost->run->own_over_ns);
	put_seconds(object, "bpf_seconds", cost->bpf_ns);
	put_number(object, "resident_bytes", cost->run->max_resident_bytes);
	put_number(object, "bpf_map_bytes", cost->run->map_bytes);
}

static struct json_object *files_of(char *const *files, size_t nr)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < nr; i++)
		json_object_array_add(to, safe_string(files[i], strlen(files[i])));
	return to;
}

static struct json_object *summary_of(const struct facts *f)
{
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "wick", json_object_new_string(WICK_VERSION));
	put_string(to, "host", f->run.host);
	put_string(to, "kernel", f->run.kernel);
	put_string(to, "filters", f->run.filters);
	put_seconds(to, "started", f->run.started_ns);
	put_seconds(to, "seconds", f->run.length_ns);
	put_number(to, "cpus", f->run.nr_cpus);
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, f->options.needs))
			topic_json(i, to, f);
	json_object_object_add(to, "missing", missing_of(&f->options));
	json_object_object_add(to, "lost", losses_of(f));
	put_number(to, "sums_at_their_largest", f->nr_largest_sums);
	put_cost(to, &f->cost);
	return to;
}

int report_json(FILE *to, const struct facts *f, char *const *files, size_t nr_files)
{
	struct json_object *summary = summary_of(f);

	json_object_object_add(summary, "files", files_of(files, nr_files));
	fprintf(to, "%s\n", json_object_to_json_string_ext(summary, JSON_C_TO_STRING_PRETTY));
	json_object_put(summary);
	return fflush(to) || ferror(to) ? -errno : 0;
}
