/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verifier_stats.h"

/* ---- the log */

/* "240+56+0+88" */
static void parse_depths(struct verifier_stats *stats, const char *text)
{
	char *end;

	stats->depths.nr = 0;
	for (;; text = end + 1) {
		unsigned long depth = strtoul(text, &end, 10);

		if (end == text)
			return;
		*vec_add(&stats->depths) = (u32)depth;
		if (*end != '+')
			return;
	}
}

static bool parse_line(struct verifier_stats *stats, const char *line)
{
	static const char depths[] = "stack depth ";
	unsigned long long processed, limit, us;
	unsigned int states, peak;

	if (!strncmp(line, depths, strlen(depths)))
		parse_depths(stats, line + strlen(depths));
	else if (sscanf(line, "verification time %llu usec", &us) == 1)
		stats->verification_ns = us * NSEC_PER_USEC;
	if (sscanf(line,
		   "processed %llu insns (limit %llu) max_states_per_insn %*u total_states %u "
		   "peak_states %u",
		   &processed, &limit, &states, &peak) != 4)
		return false;
	stats->processed = processed;
	stats->limit = limit;
	stats->states = states;
	stats->peak_states = peak;
	return true;
}

int verifier_stats_parse(struct verifier_stats *stats, const char *log)
{
	*stats = (struct verifier_stats){};
	while (*log && strncmp(log, "-- END ", strlen("-- END "))) {
		size_t size = strcspn(log, "\n");

		if (parse_line(stats, log))
			return 0;
		log += size + (log[size] == '\n');
	}
	verifier_stats_release(stats);
	return -EINVAL;
}

void verifier_stats_release(struct verifier_stats *stats)
{
	vec_release(&stats->depths);
}

/* ---- the functions of a program */

/* A call, or the address of a function that a helper will call. */
static bool leads_to_function(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static u32 target_of(const struct bpf_insn *code, size_t i)
{
	return (u32)((s64)i + 1 + code[i].imm);
}

static int compare_starts(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void functions_find(struct functions *functions, const struct bpf_insn *code, size_t nr)
{
	size_t kept = 0;

	*vec_add(functions) = 0;
	for (size_t i = 0; i < nr; i++)
		if (leads_to_function(&code[i]))
			*vec_add(functions) = target_of(code, i);
	vec_sort(functions, compare_starts);
	vec_for_each (functions, start)
		if (!kept || functions->at[kept - 1] != *start)
			functions->at[kept++] = *start;
	functions->nr = kept;
}

static void functions_release(struct functions *functions)
{
	vec_release(functions);
}

static size_t end_of(const struct functions *functions, size_t i, size_t nr)
{
	return i + 1 < functions->nr ? functions->at[i + 1] : nr;
}

/* ---- chains of calls */

enum { GRANULE = 32 };

/* What is below a function, itself with it. */
struct chain_end {
	struct stack_use use;
	bool begun, done;
};

struct chains {
	const struct bpf_insn *code;
	size_t nr;
	const struct functions *functions;
	const u32 *depths;
	struct chain_end *ends; /* one a function */
};

static size_t function_at(const struct functions *functions, u32 start)
{
	const u32 *at =
		bsearch(&start, functions->at, functions->nr, sizeof(start), compare_starts);

	return (size_t)(at - functions->at);
}

static int follow_calls(struct chains *c, size_t function)
{
	struct chain_end *end = &c->ends[function];
	struct stack_use deepest = {};

	if (end->done)
		return 0;
	if (end->begun)
		return -EINVAL;
	end->begun = true;
	for (size_t i = c->functions->at[function]; i < end_of(c->functions, function, c->nr);
	     i++) {
		size_t callee;

		if (!leads_to_function(&c->code[i]))
			continue;
		callee = function_at(c->functions, target_of(c->code, i));
		if (follow_calls(c, callee))
			return -EINVAL;
		deepest.bytes = max(deepest.bytes, c->ends[callee].use.bytes);
		deepest.frames = max(deepest.frames, c->ends[callee].use.frames);
	}
	deepest.bytes += (max(c->depths[function], 1u) + GRANULE - 1) / GRANULE * GRANULE;
	deepest.frames++;
	*end = (struct chain_end){.use = deepest, .begun = true, .done = true};
	return 0;
}

int stack_use_of(const struct bpf_insn *code, size_t nr, const u32 *depths, size_t nr_depths,
		 struct stack_use *use)
{
	_cleanup_(functions_release) struct functions functions = {};
	_cleanup_free_ struct chain_end *ends = NULL;
	struct chains chains = {code, nr, &functions, depths, NULL};

	functions_find(&functions, code, nr);
	if (functions.nr != nr_depths || functions.at[functions.nr - 1] >= nr)
		return -EINVAL;
	chains.ends = ends = xcalloc(functions.nr, sizeof(*ends));
	if (follow_calls(&chains, 0))
		return -EINVAL;
	*use = ends[0].use;
	return 0;
}

/* ---- functions that were removed */

static const struct function_size *by_name(const struct function_size *known, size_t nr,
					   const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static bool is_size_of_one(const struct function_size *known, size_t nr, size_t insns)
{
	for (size_t i = 0; i < nr; i++)
		if (known[i].insns == insns)
			return true;
	return false;
}

int depths_of_all(const struct bpf_insn *code, size_t nr, const struct function_size *known,
		  size_t nr_known, const char *const *kept, const u32 *depths, size_t nr_kept,
		  u32 *all, size_t nr_all)
{
	_cleanup_(functions_release) struct functions functions = {};
	size_t at = 0;

	functions_find(&functions, code, nr);
	if (!nr_kept || functions.nr != nr_all)
		return -EINVAL;
	memset(all, 0, nr_all * sizeof(*all));
	all[at++] = depths[0];
	for (size_t i = 1; i < nr_kept; i++, at++) {
		const struct function_size *f = by_name(known, nr_known, kept[i]);

		for (; f && at < nr_all; at++) {
			size_t size = end_of(&functions, at, nr) - functions.at[at];

			if (f->insns ? f->insns == size : !is_size_of_one(known, nr_known, size))
				break;
		}
		if (!f || at == nr_all)
			return -EINVAL;
		all[at] = depths[i];
	}
	return 0;
}
