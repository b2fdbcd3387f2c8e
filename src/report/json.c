/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c: the summary for scripts: `--json`. */
#include "json.h"

#include <json-c/json.h>

#include "format.h"
#include "operation_sums.h"
#include "topics.h"

enum { MOST_NAMELESS = 20 };

void json_put_number(struct json_object *to, const char *name, u64 value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

void json_put_seconds(struct json_object *to, const char *name, u64 ns)
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

void json_put_string(struct json_object *to, const char *name, struct string s)
{
	json_object_object_add(to, name, safe_string(s.s, s.size));
}

struct json_object *json_put_object(struct json_object *to, const char *name)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(to, name, object);
	return object;
}

/* ---- topics */

static struct json_object *functions_of(const struct cpu_facts *cpu)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < cpu->nr_top; i++) {
		struct json_object *row = json_object_new_object();

		json_put_string(row, "name", cpu->top[i].name);
		json_put_string(row, "module", cpu->top[i].module);
		json_put_number(row, "samples", cpu->top[i].self);
		json_object_array_add(to, row);
	}
	return to;
}

void cpu_json(struct json_object *to, const struct facts *f)
{
	struct json_object *samples = json_put_object(to, "samples");

	json_put_number(samples, "frequency", f->cpu.frequency);
	json_put_number(samples, "counted", f->cpu.samples);
	json_put_number(samples, "expected", f->cpu.expected);
	if (f->cpu.has_tree)
		json_object_object_add(to, "functions", functions_of(&f->cpu));
}

static void put_off_cpu(struct json_object *to, const struct wait_facts *waits)
{
	struct json_object *off_cpu = json_put_object(to, "off_cpu"), *states;

	json_put_seconds(off_cpu, "seconds", waits->all);
	json_put_number(off_cpu, "blocks", waits->blocks);
	json_put_number(off_cpu, "walked_blocks", waits->walked_blocks);
	json_put_number(off_cpu, "recorded_only", waits->recorded_only);
	states = json_put_object(off_cpu, "by_state");
	for (size_t i = 0; i < NR_LETTERS; i++) {
		char name[2] = {STATE_LETTERS[i], '\0'};

		json_put_seconds(states, name, waits->states.ns[i]);
	}
}

void waits_json(struct json_object *to, const struct facts *f)
{
	const struct time_account *a = &f->waits.account;
	const struct wait_facts *waits = &f->waits;
	struct json_object *account, *cpus;

	put_off_cpu(to, &f->waits);
	account = json_put_object(to, "account");
	json_put_number(account, "threads", f->waits.nr_threads);
	json_put_seconds(account, "running", a->running);
	json_put_seconds(account, "run_queue", a->queued);
	json_put_seconds(account, "preempted", a->preempted);
	json_put_seconds(account, "blocked", a->blocked);
	json_put_seconds(account, "unaccounted", a->unaccounted);
	json_put_seconds(account, "expected", a->expected);
	json_put_seconds(account, "ran_by_scheduler", a->ran);
	if (!waits->nr_cpus)
		return;
	cpus = json_put_object(account, "cpus");
	json_put_number(cpus, "cpus", waits->nr_cpus);
	json_put_seconds(cpus, "running", waits->cpus.running);
	json_put_seconds(cpus, "idle", waits->cpus.idle);
	json_put_seconds(cpus, "expected", waits->cpus.expected);
}

void standing_json(struct json_object *to, const struct facts *f)
{
	put_off_cpu(to, &f->waits);
}

void faults_json(struct json_object *to, const struct facts *f)
{
	struct json_object *faults = json_put_object(to, "faults");

	json_put_number(faults, "faults", f->faults.faults);
	json_put_number(faults, "major", f->faults.major);
	json_put_number(faults, "in_kernel", f->faults.in_kernel);
	json_put_number(faults, "not_done", f->faults.not_done);
	json_put_number(faults, "resident_bytes", f->faults.resident);
	json_put_seconds(faults, "seconds", f->faults.ns);
	json_object_object_add(faults, "resident_by_faults",
			       json_object_new_boolean(f->faults.warning != NULL));
	if (f->faults.warning)
		json_object_object_add(faults, "resident_warning",
				       json_object_new_string(f->faults.warning));
}

static void put_memory(struct json_object *to, const char *name, const struct memory_facts *memory)
{
	struct json_object *object = json_put_object(to, name);

	json_put_number(object, "calls", memory->calls);
	json_put_number(object, "mapped_bytes", memory->mapped);
	json_put_number(object, "unmapped_bytes", memory->unmapped);
	json_put_number(object, "gone_bytes", memory->gone);
	json_put_number(object, "outstanding_bytes", memory->held);
}

void brk_json(struct json_object *to, const struct facts *f)
{
	put_memory(to, "brk", &f->brk);
}

void mmap_json(struct json_object *to, const struct facts *f)
{
	put_memory(to, "mmap", &f->mmap);
	put_memory(to, "reserved", &f->reserved);
	json_put_number(to, "processes_of_32_bits", f->processes_32_bit);
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
		json_put_number(row, "value", loss->value);
		json_object_array_add(to, row);
	}
	return to;
}

static struct json_object *left_out_of(const struct report_options *options)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < options->nr_left_out; i++) {
		struct json_object *row = json_object_new_object();

		json_put_left_out(row, &options->left_out[i]);
		json_object_array_add(to, row);
	}
	return to;
}

static void put_names(struct json_object *to, const struct name_facts *names)
{
	struct json_object *object = json_put_object(to, "names"), *worst = json_object_new_array();

	json_put_number(object, "frames", names->all);
	json_put_number(object, "named", names->named);
	for (size_t i = 0; i < min(names->worst.nr, (size_t)MOST_NAMELESS); i++) {
		const struct nameless *nameless = &names->worst.at[i];
		struct json_object *row = json_object_new_object();

		json_put_string(row, "name", nameless->name);
		json_object_object_add(
			row, "share",
			json_object_new_double(percent(nameless->weight, names->all) / 100));
		json_object_array_add(worst, row);
	}
	json_object_object_add(object, "worst", worst);
}

static void put_cost(struct json_object *to, const struct cost_facts *cost)
{
	struct json_object *object = json_put_object(to, "cost");

	json_put_seconds(object, "cpu_seconds", cost->run->cpu_ns);
	json_put_seconds(object, "window_cpu_seconds", cost->run->window_cpu_ns);
	json_put_seconds(object, "turned_down_seconds", cost->run->own_over_ns);
	json_put_seconds(object, "bpf_seconds", cost->bpf_ns);
	json_put_number(object, "resident_bytes", cost->run->max_resident_bytes);
	json_put_number(object, "bpf_map_bytes", cost->run->map_bytes);
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
	json_put_number(to, "schema", JSON_SCHEMA);
	json_put_string(to, "host", f->run.host);
	json_put_string(to, "kernel", f->run.kernel);
	json_put_string(to, "filters", f->run.filters);
	json_put_seconds(to, "started", f->run.started_ns);
	json_put_seconds(to, "seconds", f->run.length_ns);
	json_put_number(to, "cpus", f->run.nr_cpus);
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, f->options.needs))
			topic_json(i, to, f);
	if (f->options.needs & (NEED_CPU | NEED_SCHED))
		processes_json(to, f);
	json_object_object_add(to, "missing", missing_of(&f->options));
	json_object_object_add(to, "lost", losses_of(f));
	if (f->options.nr_left_out)
		json_object_object_add(to, "left_out", left_out_of(&f->options));
	json_put_number(to, "sums_at_their_largest", f->nr_largest_sums);
	put_names(to, &f->names);
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
