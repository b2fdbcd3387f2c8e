/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_gather.h"

#include "recording_blocks.h"

enum {
	BITS_OF_LONGEST = 4,
};

/* ---- tries */

static u32 trie_child(struct trie *trie, struct recorded_node *nodes, u32 parent, u32 last)
{
	struct table_probe probe = table_probe(&trie->table, hash_u64((u64)parent << 32 | last));

	while (table_next(&probe))
		if (nodes[probe.ref].parent == parent && nodes[probe.ref].last == last)
			return probe.ref;
	return 0;
}

#define add_to_trie(trie, nodes, parent_, last_)                                                   \
	({                                                                                         \
		u32 node = trie_child((trie), (nodes)->at, (parent_), (last_));                    \
		if (!node) {                                                                       \
			node = (u32)(nodes)->nr;                                                   \
			table_insert(&(trie)->table, hash_u64((u64)(parent_) << 32 | (last_)),     \
				     node);                                                        \
			*vec_add(nodes) =                                                          \
				(struct recorded_node){.parent = (parent_), .last = (last_)};      \
		}                                                                                  \
		node;                                                                              \
	})

static struct recorded_leaf stack_leaf(struct recording_writer *w, const struct profile *p, u32 ref)
{
	const struct stack *stack = &p->stacks.at[ref];
	u32 parent = 0;

	for (u32 i = stack->nr; i-- > 0;)
		parent = add_to_trie(&w->stacks, &w->rows.stack_nodes, parent,
				     p->stack_frames.at[stack->first + i]);
	return (struct recorded_leaf){.node = parent, .end = stack->end};
}

static struct recorded_leaf chain_leaf(struct recording_writer *w, const struct profile *p, u32 ref)
{
	const struct chain *chain = &p->chains.at[ref];
	u32 parent = 0;

	for (u32 i = 0; i < chain->nr; i++)
		parent = add_to_trie(&w->chains, &w->rows.chain_nodes, parent,
				     p->chain_hops.at[chain->first + i]);
	return (struct recorded_leaf){.node = parent, .end = chain->end};
}

void gather_stacks(struct recording_writer *w, const struct profile *p)
{
	size_t nr_before = w->rows.stacks.nr;

	order_frames(&w->order, p);
	order_stacks(&w->order, p);
	while (w->rows.stacks.nr < p->stacks.nr)
		vec_add(&w->rows.stacks);
	for (size_t i = nr_before; i < p->stacks.nr; i++) {
		u32 row = row_of_number(&w->order, TABLE_STACKS, i);

		w->rows.stacks.at[row] = stack_leaf(w, p, row);
	}
	vec_for_each (&p->slice.filled, ref) {
		struct recorded_leaf leaf;

		/* The others are new rows, filled by now. */
		if (*ref >= nr_before)
			continue;
		leaf = stack_leaf(w, p, *ref);
		w->rows.stacks.at[*ref] = leaf;
		*vec_add(&w->chapter.filled) = *ref;
		*vec_add(&w->rows.filled) =
			(struct recorded_fill){.stack = *ref, .node = leaf.node, .end = leaf.end};
	}
	order_hops(&w->order, p);
	order_chains(&w->order, p);
	nr_before = w->rows.chains.nr;
	while (w->rows.chains.nr < p->chains.nr)
		vec_add(&w->rows.chains);
	for (size_t i = nr_before; i < p->chains.nr; i++) {
		u32 row = row_of_number(&w->order, TABLE_CHAINS, i);

		w->rows.chains.at[row] = chain_leaf(w, p, row);
	}
}

/* ---- what is in a profile only once */

void gather_field(struct recording_writer *w, u32 number, u64 value)
{
	*vec_add(&w->rows.fields) = (struct recorded_field){.number = number, .value = value};
}

void gather_fields(struct recording_writer *w, const struct profile *p)
{
	for (size_t i = 0; i < w->written.fields.nr; i++) {
		struct recorded_field_row row = recorded_field_at(i);
		const struct recorded_column column = {.offset = row.offset, .size = row.size};
		u64 value = load_column(&column, (const char *)p), before = w->written.fields.at[i];

		if (value == before)
			continue;
		gather_field(w, row.number, row.kind == FIELD_SUM ? value - before : value);
		w->written.fields.at[i] = value;
	}
}

void gather_kernel_source(struct recording_writer *w, struct profile *p)
{
	if (p->naming.kernel && !w->naming_written)
		gather_field(w, FIELD_KERNEL_SOURCE, strings_adds(&p->names, p->naming.kernel));
	w->naming_written |= p->naming.kernel != NULL;
}

void gather_losses(struct recording_writer *w, struct profile *p)
{
	for (size_t i = w->rows.losses.nr; i < p->losses.nr; i++) {
		const struct loss *loss = &p->losses.at[i];

		*vec_add(&w->rows.losses) = (struct recorded_loss){
			.cause = strings_adds(&p->names, loss->cause),
			.note = loss->note ? strings_adds(&p->names, loss->note) : 0,
			.kind = loss->kind,
			.column = loss->column,
		};
	}
	while (w->written.losses.nr < p->losses.nr)
		vec_add(&w->written.losses);
	for (size_t i = 0; i < p->losses.nr; i++) {
		u64 more = p->losses.at[i].value - w->written.losses.at[i];

		if (more)
			*vec_add(&w->rows.lost) =
				(struct recorded_value){.row = (u32)i, .value = more};
		w->written.losses.at[i] += more;
	}
}

void gather_cpus(struct recording_writer *w, const struct profile *p)
{
	while (w->cpus.nr < p->cpus.nr)
		vec_add(&w->cpus);
	for (size_t i = 0; i < p->cpus.nr; i++) {
		struct recorded_cpu more = {
			.cpu = (u32)i,
			.running = p->cpus.at[i].running - w->cpus.at[i].running,
			.idle = p->cpus.at[i].idle - w->cpus.at[i].idle,
		};

		if (more.running || more.idle)
			*vec_add(&w->rows.cpus) = more;
		w->cpus.at[i] = p->cpus.at[i];
	}
}

void gather_held(struct recording_writer *w, const struct profile *p)
{
	for (size_t i = 0; i < p->samples.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		if (instruments[sample->kind].columns[HELD_COLUMN].merge == MERGE_END &&
		    sample->column[HELD_COLUMN])
			*vec_add(&w->rows.held) = (struct recorded_value){
				.row = (u32)i, .value = sample->column[HELD_COLUMN]};
	}
}

void gather_programs(struct recording_writer *w, struct profile *p)
{
	vec_for_each (&p->cost.programs, cost)
		*vec_add(&w->rows.programs) = (struct recorded_program){
			.name = strings_add(&p->names, cost->name,
					    strnlen(cost->name, sizeof(cost->name))),
			.runs = cost->runs,
			.timed_runs = cost->timed_runs,
			.timed_ns = cost->timed_ns,
			.walks = cost->walks,
			.walk_ns = cost->walk_ns,
		};
}

void gather_blocks(struct recording_writer *w, const struct profile *p)
{
	_cleanup_(blocks_before_release) struct blocks_before before = {};

	logged_times_release(&w->logged);
	vec_for_each (&p->slice.blocks, block) {
		*vec_add(&w->rows.blocks) = pack_block(&before, block);
		logged_times_add(&w->logged, block);
	}
}

/*
 * A slice's longest block is of use if it is the run's, and is known if it is the only one; else
 * its first bits say enough.
 */
static u64 longest_to_write(u64 longest, u64 of_run, u64 nr)
{
	u32 bits = longest ? 64 - (u32)__builtin_clzll(longest) : 0;

	if (longest >= of_run || nr == 1)
		return longest;
	bits -= min(bits, (u32)BITS_OF_LONGEST);
	return longest >> bits << bits;
}

void gather_counts(struct recording_writer *w, struct profile *p)
{
	vec_for_each (&p->slice.samples, sample) {
		struct slice_sample *count = vec_add(&w->rows.counts);
		const struct sample *whole = &p->samples.at[sample->sample];
		const struct column *columns = instruments[whole->kind].columns;

		*count = *sample;
		for (size_t i = 0; i < MAX_COLUMNS; i++)
			if (columns[i].merge == MERGE_MAX)
				count->column[i] = longest_to_write(
					count->column[i], whole->column[i], count->column[0]);
	}
	order_samples(&w->order, p);
	order_counts(&w->order, w->rows.counts.at, w->rows.counts.nr);
}

void gather_sizes(struct recording_writer *w)
{
	for (u32 i = 0; i < NR_TABLES; i++)
		if (recorded_tables[i].grows && w->written.rows[i] > recorded_tables[i].fixed)
			*vec_add(&w->rows.sizes) =
				(struct recorded_value){.row = i, .value = w->written.rows[i]};
}

void gather_filled(struct recording_writer *w, size_t nr_known)
{
	vec_for_each (&w->chapter.filled, ref) {
		const struct recorded_leaf *leaf = &w->rows.stacks.at[*ref];

		if (*ref < nr_known)
			*vec_add(&w->rows.filled) = (struct recorded_fill){
				.stack = *ref, .node = leaf->node, .end = leaf->end};
	}
}

void gather_forget(struct recording_writer *w)
{
	for (size_t i = 0; i < NR_TABLES; i++) {
		const struct recorded_table *table = &recorded_tables[i];
		struct any_vec vec;

		if (!table->name || table->grows)
			continue;
		vec = recorded_vec(table, NULL, &w->rows);
		vec.nr = 0;
		set_recorded_vec(table, NULL, &w->rows, &vec);
	}
}
