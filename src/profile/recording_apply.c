/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_apply.c: what rows of a recording mean: checks that concern more than one column, sums,
 * and the tables that a profile has in another form.
 */
#include "base/numbers.h"
#include "recording_blocks.h"
#include "recording_reader.h"

enum {
	MAX_DEPTH = 4096, /* frames of a stack: user, kernel and inlined ones */
	MAX_HOPS = 1024,  /* of a chain */
	MAX_CPUS_OF_A_HOST = 1 << 16,
	MAX_HOSTS = 1 << 12,
};

/* ---- dictionaries */

static int apply_hosts(struct recording_reader *r, size_t first, size_t nr)
{
	return first + nr <= MAX_HOSTS ? 0 : is_damaged(r, "too many hosts");
}

static int apply_frames(struct recording_reader *r, size_t first, size_t nr)
{
	struct profile *p = r->p;

	for (size_t i = first; i < first + nr; i++) {
		struct frame *frame = &p->frames.at[i];

		if ((frame->space == SPACE_FILE && frame->origin >= p->files.nr) ||
		    (frame->space == SPACE_IMAGE && frame->origin >= p->images.nr) ||
		    (frame->space == SPACE_NOTE && frame->address >= p->functions.nr))
			return is_damaged(r, "a frame of a file or process that is not there");
		if (frame->space == SPACE_NOTE)
			frame->function = (u32)frame->address;
	}
	return 0;
}

static int apply_sources(struct recording_reader *r, size_t first, size_t nr)
{
	const struct source_line *sources = r->p->sources.at;

	for (size_t i = first; i < first + nr; i++) {
		u32 depth = 0;

		/* An outer line is a smaller row, so this ends. */
		for (u32 at = sources[i].outer; at && depth <= MAX_INLINED; depth++)
			at = sources[at].outer;
		if (depth > MAX_INLINED)
			return is_damaged(r, "too many functions inlined into each other");
	}
	return 0;
}

/* How many nodes lie between one and the empty one; max + 1 where there are more. */
static u32 depth_of(const struct recorded_node *nodes, u32 node, u32 max)
{
	u32 depth = 0;

	/* A parent comes before its children, so this ends. */
	for (; node && depth <= max; node = nodes[node].parent)
		depth++;
	return depth;
}

static int fill_stack(struct recording_reader *r, struct stack *stack, u32 node, u32 end)
{
	const struct recorded_node *nodes = r->rows.stack_nodes.at;
	struct profile *p = r->p;
	u32 depth = depth_of(nodes, node, MAX_DEPTH);

	if (depth > MAX_DEPTH)
		return is_damaged(r, "a stack of too many frames");
	if (!take_room(r, depth, 2 * sizeof(u32)) || depth > UINT32_MAX - p->stack_frames.nr)
		return is_damaged(r, "more stacks than a file of this size has");
	*stack = (struct stack){.first = (u32)p->stack_frames.nr, .nr = depth, .end = end};
	for (; node; node = nodes[node].parent)
		*vec_add(&p->stack_frames) = nodes[node].last;
	return 0;
}

static int apply_stacks(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_leaf *leaf = &r->rows.stacks.at[i];
		struct stack stack;

		if (!take_room(r, 2, sizeof(stack)))
			return is_damaged(r, "more stacks than a file of this size has");
		if (fill_stack(r, &stack, leaf->node, leaf->end))
			return -EINVAL;
		*vec_add(&r->p->stacks) = stack;
	}
	return 0;
}

static int apply_filled(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_fill *fill = &r->rows.filled.at[i];

		if (fill_stack(r, &r->p->stacks.at[fill->stack], fill->node, fill->end))
			return -EINVAL;
	}
	return 0;
}

static int apply_chains(struct recording_reader *r, size_t first, size_t nr)
{
	const struct recorded_node *nodes = r->rows.chain_nodes.at;
	struct profile *p = r->p;

	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_leaf *leaf = &r->rows.chains.at[i];
		u32 depth = depth_of(nodes, leaf->node, MAX_HOPS), at = depth;
		size_t begin = p->chain_hops.nr;

		if (depth > MAX_HOPS)
			return is_damaged(r, "a chain of too many hops");
		if (!take_room(r, depth + 8, 2 * sizeof(u32)) || depth > UINT32_MAX - begin)
			return is_damaged(r, "more chains than a file of this size has");
		for (u32 k = 0; k < depth; k++)
			vec_add(&p->chain_hops);
		for (u32 node = leaf->node; node; node = nodes[node].parent)
			p->chain_hops.at[begin + --at] = nodes[node].last;
		*vec_add(&p->chains) =
			(struct chain){.first = (u32)begin, .nr = depth, .end = leaf->end};
	}
	return 0;
}

/* Of a kind that is not known, or in a damaged record: nothing is counted for it. */
static int apply_samples(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		struct sample *sample = &r->p->samples.at[i];
		bool unknown = sample->kind == WICK_NR_KINDS;

		if (unknown)
			*sample = (struct sample){};
		if (!take_room(r, 2, sizeof(bool)))
			return is_damaged(r, "more samples than a file of this size has");
		*vec_add(&r->unknown_samples) = unknown;
		if (r->cut)
			profile_index_sample(r->p, (u32)i);
	}
	return 0;
}

static int apply_losses(struct recording_reader *r, size_t first, size_t nr)
{
	struct profile *p = r->p;

	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_loss *row = &r->rows.losses.at[i];
		struct string note = strings_get(&p->names, row->note);

		if (row->column >= MAX_COLUMNS || !take_room(r, 2, sizeof(struct loss)))
			return is_damaged(r, "a loss in a column that is not there");
		*vec_add(&p->losses) = (struct loss){
			.cause = strings_get(&p->names, row->cause).s,
			.note = note.size ? note.s : NULL,
			.kind = row->kind < WICK_NR_KINDS ? row->kind : WICK_CPU,
			.column = row->column,
		};
	}
	return 0;
}

static int apply_threads(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		if (r->p->threads.at[i].begin > r->p->threads.at[i].end)
			return is_damaged(r, "a thread that ends before it begins");
	return 0;
}

static int apply_sizes(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_value *size = &r->rows.sizes.at[i];

		if (size->row < NR_TABLES && recorded_tables[size->row].grows &&
		    fill_gap(r, size->row, size->value))
			return -EINVAL;
	}
	return 0;
}

/* ---- what is added */

static int apply_counts(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct slice_sample *count = &r->rows.counts.at[i];
		struct sample *sample = &r->p->samples.at[count->sample];

		if (r->unknown_samples.at[count->sample]) {
			r->facts->lost_counts++;
			continue;
		}
		if (!r->cut)
			merge_columns(sample->kind, sample->column, count->column);
		for (size_t k = 0; k < ARRAY_SIZE(r->part.sums[0]); k++)
			add_to_sum(&r->part.sums[sample->kind][k], count->column[k]);
	}
	return 0;
}

static int apply_held(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_value *held = &r->rows.held.at[i];

		if (!r->unknown_samples.at[held->row] && !r->cut)
			r->p->samples.at[held->row].column[HELD_COLUMN] = held->value;
	}
	return 0;
}

static int apply_lost(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_value *lost = &r->rows.lost.at[i];

		add_to_sum(&r->p->losses.at[lost->row].value, lost->value);
	}
	return 0;
}

static int apply_cpus(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_cpu *more = &r->rows.cpus.at[i];
		struct cpu_time *cpu;

		if (more->cpu >= MAX_CPUS_OF_A_HOST)
			return is_damaged(r, "a CPU of too large a number");
		cpu = profile_cpu(r->p, more->cpu);
		add_to_sum(&cpu->running, more->running);
		add_to_sum(&cpu->idle, more->idle);
	}
	return 0;
}

static int apply_blocks(struct recording_reader *r, size_t first, size_t nr)
{
	_cleanup_(blocks_before_release) struct blocks_before before = {};

	for (size_t i = first; i < first + nr; i++) {
		struct block block;

		if (!unpack_block(&before, &r->rows.blocks.at[i], &block))
			return is_damaged(r, "a block that ends after all time");
		if (!take_room(r, 2, sizeof(block)) || !take_room(r, block.more, sizeof(u64)))
			return is_damaged(r, "more blocks than a file of this size has");
		logged_times_add(&r->logged, &block);
		if (r->listener)
			*vec_add(&r->told) = block;
		if (r->cut)
			*vec_add(&r->cut->logged) = block;
		else
			profile_block(r->p, &block);
	}
	return 0;
}

static int apply_programs(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct recorded_program *row = &r->rows.programs.at[i];
		struct string name = strings_get(&r->p->names, row->name);
		struct program_cost cost = {
			.runs = row->runs,
			.timed_runs = row->timed_runs,
			.timed_ns = row->timed_ns,
			.walks = row->walks,
			.walk_ns = row->walk_ns,
		};

		if (!take_room(r, 2, sizeof(cost)))
			return is_damaged(r, "more programs than a file of this size has");
		memcpy(cost.name, name.s, min(name.size, sizeof(cost.name) - 1));
		*vec_add(&r->p->cost.programs) = cost;
	}
	return 0;
}

/* ---- fields */

/* Counted slice by slice; other sums are known at the end. */
static bool is_memory(const struct recorded_field_row *row)
{
	return row->offset >= offsetof(struct profile, memory) &&
	       row->offset <
		       offsetof(struct profile, memory) + sizeof(((struct profile *)0)->memory);
}

static int set_field(struct recording_reader *r, const struct recorded_field_row *row, u64 value)
{
	const struct recorded_column column = {.offset = row->offset, .size = row->size};
	char *p = (char *)r->p;
	u64 sum = load_column(&column, p);

	/* A slice has these, and a chapter the others. */
	if (r->only == READ_CHAPTERS ? is_memory(row) : r->only == READ_COUNTS && !is_memory(row))
		return 0;
	if (row->kind == FIELD_STRING && value >= r->strings.nr)
		return is_damaged(r, "a string that is not there");
	if (row->kind == FIELD_STRING)
		value = r->strings.at[value];
	if (row->kind == FIELD_SUM && r->cut && is_memory(row))
		value = cut_part(r->cut, &r->part, value);
	if (row->kind == FIELD_SUM) {
		add_to_sum(&sum, value);
		value = sum;
	}
	store_column(&column, p, value);
	return 0;
}

static int set_kernel_source(struct recording_reader *r, u64 value)
{
	if (value >= r->strings.nr)
		return is_damaged(r, "a string that is not there");
	r->p->naming.kernel = strings_get(&r->p->names, r->strings.at[value]).s;
	return 0;
}

static int apply_field(struct recording_reader *r, const struct recorded_field *field)
{
	switch (field->number) {
	case FIELD_SLICE_BEGIN:
		r->part.begin = field->value;
		return 0;
	case FIELD_SLICE_END:
		r->part.end = max(r->part.begin, field->value);
		return 0;
	case FIELD_KERNEL_SOURCE:
		return set_kernel_source(r, field->value);
	}
	for (size_t i = 0; i < nr_recorded_fields(); i++) {
		struct recorded_field_row row = recorded_field_at(i);

		if (row.number == field->number)
			return set_field(r, &row, field->value);
	}
	r->facts->nr_unknown++;
	return 0;
}

static int apply_fields(struct recording_reader *r, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		if (apply_field(r, &r->rows.fields.at[i]))
			return -EINVAL;
	return 0;
}

/* ---- all of them */

typedef int apply_function(struct recording_reader *r, size_t first, size_t nr);

static apply_function *const functions[NR_TABLES] = {
	[TABLE_SOURCES] = apply_sources, [TABLE_FRAMES] = apply_frames,
	[TABLE_STACKS] = apply_stacks,	 [TABLE_CHAINS] = apply_chains,
	[TABLE_SAMPLES] = apply_samples, [TABLE_LOSSES] = apply_losses,
	[TABLE_THREADS] = apply_threads, [TABLE_FIELDS] = apply_fields,
	[TABLE_COUNTS] = apply_counts,	 [TABLE_FILLED] = apply_filled,
	[TABLE_HELD] = apply_held,	 [TABLE_LOST] = apply_lost,
	[TABLE_CPUS] = apply_cpus,	 [TABLE_SIZES] = apply_sizes,
	[TABLE_BLOCKS] = apply_blocks,	 [TABLE_PROGRAMS] = apply_programs,
	[TABLE_HOSTS] = apply_hosts,
};

int apply_rows(struct recording_reader *r, enum table_number number, size_t first, size_t nr)
{
	return functions[number] ? functions[number](r, first, nr) : 0;
}

void forget_rows(struct recording_reader *r, enum table_number number, size_t first)
{
	if (number == TABLE_STACKS)
		r->p->stacks.nr = first;
	if (number == TABLE_CHAINS)
		r->p->chains.nr = first;
	if (number == TABLE_SAMPLES)
		r->unknown_samples.nr = first;
	if (number == TABLE_LOSSES)
		r->p->losses.nr = first;
}

void mark_unknown(struct recording_reader *r, enum table_number number, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++) {
		if (number == TABLE_SAMPLES)
			r->p->samples.at[i].kind = WICK_NR_KINDS;
		if (number == TABLE_STACKS)
			r->rows.stacks.at[i].end = WICK_LOST;
	}
}
