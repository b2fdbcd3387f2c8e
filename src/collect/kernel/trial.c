/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial.c: programs are loaded as for a run, attached to nothing, and thrown away: there is no
 * other way to know what a kernel takes than to ask its verifier.
 */
#include <bpf/libbpf.h>

#include "collect.h"
#include "collect/events/cpus.h"
#include "load.h"
#include "load_log.h"
#include "kernel_names.h"
#include "names.skel.h"
#include "object_functions.h"
#include "wick.skel.h"

static void measure(struct trial *trial, const struct bpf_program *program,
		    const struct object_functions *functions, const struct btf *types)
{
	const char *name = bpf_program__name(program), *log = load_log_of(name);
	struct program_figures *figures = vec_add(&trial->programs);
	struct verifier_stats stats;
	struct stack_use use = {};

	snprintf(figures->name, sizeof(figures->name), "%s", name);
	if (!log || verifier_stats_parse(&stats, log))
		return;
	object_stack_use(functions, program, types, stats.depths.at, stats.depths.nr, &use);
	figures->processed = stats.processed;
	figures->processed_limit = stats.limit;
	figures->states = stats.states;
	figures->peak_states = stats.peak_states;
	figures->verification_ns = stats.verification_ns;
	figures->stack_bytes = use.bytes;
	figures->stack_frames = use.frames;
	verifier_stats_release(&stats);
}

/* All that were loaded. */
static void measure_object(struct trial *trial, const struct bpf_object *object, const void *elf,
			   size_t elf_size)
{
	struct object_functions functions;
	struct bpf_program *program;

	object_functions_read(&functions, elf, elf_size);
	bpf_object__for_each_program(program, object) if (bpf_program__fd(program) >= 0)
		measure(trial, program, &functions, bpf_object__btf(object));
	object_functions_release(&functions);
}

static void note_refusal(struct trial *trial, int err, const struct error *error)
{
	trial->err = err;
	if (err == -ENOEXEC) {
		strbuf_adds(&trial->reason, "this kernel refuses ");
		load_log_reason(&trial->reason);
	} else {
		size_t size = strcspn(error->text, "\n");

		size -= size && error->text[size - 1] == '.';
		strbuf_add(&trial->reason, error->text, size);
	}
}

void try_programs(const struct collect_options *options, bool figures, struct trial *trial)
{
	const struct cpu_list all_cpus = {};
	struct wick_bpf *skeleton = NULL;
	u64 begin = monotonic_ns();
	struct error error = {};
	size_t size;
	struct sizes sizes = sizes_for(options, memory_limit());
	int err;

	sizes.keys = 1; /* nothing is counted */
	err = load_open(&skeleton, options, &sizes, &all_cpus, figures ? VERIFIER_STATS : 0,
			&error);

	*trial = (struct trial){.load_ns = monotonic_ns() - begin};
	if (err) {
		note_refusal(trial, err, &error);
		return;
	}
	if (figures) {
		const void *elf = load_elf(&size);

		measure_object(trial, skeleton->obj, elf, size);
	}
	wick_bpf__destroy(skeleton);
}

void try_kernel_names(struct trial *trial)
{
	struct names_bpf *skeleton = NULL;
	u64 begin = monotonic_ns();
	struct error error = {};
	size_t size;
	int err = names_load(&skeleton, VERIFIER_STATS, &error);

	*trial = (struct trial){.load_ns = monotonic_ns() - begin};
	if (err) {
		note_refusal(trial, err, &error);
	} else {
		const void *elf = names_elf(&size);

		measure_object(trial, skeleton->obj, elf, size);
	}
	names_bpf__destroy(skeleton);
}

void trial_release(struct trial *trial)
{
	strbuf_release(&trial->reason);
	vec_release(&trial->programs);
}

const char *libbpf_in_use(void)
{
	return libbpf_version_string();
}
