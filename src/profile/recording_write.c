/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_write.c: a recording as it grows. A dictionary only ever gets longer, so what a slice
 * has brought are the rows from where the last one ended. Sums are written as what was added to
 * them. Stacks and chains become tries: those with the same callers share all of them.
 */
#include "recording.h"

#include "base/table.h"
#include "recording_blocks.h"
#include "recording_bytes.h"
#include "recording_chapter.h"
#include "recording_order.h"

struct trie {
	struct table table;
	u32 nr; /* nodes, the empty one too */
};

enum {
	BITS_OF_LONGEST = 4,
	NEWEST_ROWS = 1 << 14, /* which are looked at each second; the end has all of them */
};

struct recording_writer {
	struct progress written;
	struct chapter chapter;
	VEC(u64) chapters; /* where they are in the file */
	u64 size;	   /* of the file */
	struct recorded rows;
	struct recording_order order;
	struct trie stacks, chains;
	VEC(struct cpu_time) cpus;
	VEC(u64) longest; /* by sample, of those that were written */
	u64 slice_begin;  /* after the window's */
	bool naming_written;
	struct logged_times logged; /* what the record's blocks say */
	struct expecting expecting;
	struct strbuf payload, columns;
};

struct recording_writer *recording_writer_new(void)
{
	struct recording_writer *w = xcalloc(1, sizeof(*w));

	progress_init(&w->written);
	chapter_init(&w->chapter);
	w->size = RECORDING_HEADER_SIZE;
	vec_add(&w->rows.stack_nodes);
	vec_add(&w->rows.chain_nodes);
	vec_add(&w->rows.stacks);
	vec_add(&w->rows.chains);
	return w;
}

void recording_writer_free(struct recording_writer *w)
{
	if (!w)
		return;
	recorded_release(&w->rows);
	recording_order_release(&w->order);
	logged_times_release(&w->logged);
	table_release(&w->stacks.table);
	table_release(&w->chains.table);
	progress_release(&w->written);
	chapter_release(&w->chapter);
	vec_release(&w->chapters);
	vec_release(&w->cpus);
	vec_release(&w->longest);
	strbuf_release(&w->payload);
	strbuf_release(&w->columns);
	free(w);
}

/* ---- tables as bytes */

/*
 * A column of rows; nothing where all of it is 0, and nothing else is expected. Returns whether
 * there was something.
 */
static bool put_column(struct recording_writer *w, enum table_number number,
		       const struct recorded_column *column, const char *rows, size_t first,
		       size_t nr)
{
	struct column_place at = {.expecting = &w->expecting};
	u64 any = column->values || column->expected;
	size_t size = w->columns.size;

	for (size_t i = first; i < first + nr; i++) {
		u32 row = row_of_number(&w->order, number, i);
		u64 value;

		at.number = i;
		at.row = rows + (size_t)row * recorded_tables[number].row_size;
		value = number_of_row(&w->order, column->refers, load_column(column, at.row));
		if (column->values)
			value = to_recorded(column->values, value);
		put_number(&w->columns, code_column(column, &at, value));
		at.before = value;
		any |= value;
	}
	if (!any)
		w->columns.size = size;
	return any;
}

/* A section: which table, which of its rows, the columns that are not all 0. */
static void put_section(struct recording_writer *w, enum table_number number, bool late,
			const char *rows, size_t first, size_t nr)
{
	const struct recorded_table *table = &recorded_tables[number];

	put_number(&w->payload, (u64)number << 1 | late);
	put_number(&w->payload, first);
	put_number(&w->payload, nr);
	for (size_t i = 0; i < MAX_RECORDED_COLUMNS; i++) {
		const struct recorded_column *column = &table->columns[i];

		strbuf_clear(&w->columns);
		if (!column->size || (late && !column->late) ||
		    !put_column(w, number, column, rows, first, nr))
			continue;
		put_number(&w->payload, i + 1);
		put_number(&w->payload, w->columns.size);
		strbuf_add(&w->payload, w->columns.s, w->columns.size);
	}
	put_number(&w->payload, 0);
}

/* Sizes, then bytes. */
static void put_strings(struct recording_writer *w, const struct strings *names)
{
	size_t first = w->written.rows[TABLE_STRINGS];

	if (first == names->nr)
		return;
	put_number(&w->payload, TABLE_STRINGS << 1);
	put_number(&w->payload, first);
	put_number(&w->payload, names->nr - first);
	strbuf_clear(&w->columns);
	for (size_t i = first; i < names->nr; i++)
		put_number(&w->columns, names->at[i].size);
	for (size_t i = first; i < names->nr; i++)
		strbuf_add(&w->columns, names->at[i].s, names->at[i].size);
	put_number(&w->payload, 1);
	put_number(&w->payload, w->columns.size);
	strbuf_add(&w->payload, w->columns.s, w->columns.size);
	put_number(&w->payload, 0);
	w->written.rows[TABLE_STRINGS] = names->nr;
}

/* The rows that are new in a dictionary; all rows of another table. */
static void put_rows(struct recording_writer *w, enum table_number number, const struct profile *p)
{
	const struct recorded_table *table = &recorded_tables[number];
	struct any_vec vec = recorded_vec(table, p, &w->rows);
	size_t first = table->grows ? w->written.rows[number] : 0;

	if (first < vec.nr)
		put_section(w, number, false, vec.at, first, vec.nr - first);
	if (table->grows)
		w->written.rows[number] = vec.nr;
}

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

static void gather_stacks(struct recording_writer *w, const struct profile *p)
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

static void add_field(struct recording_writer *w, u32 number, u64 value)
{
	*vec_add(&w->rows.fields) = (struct recorded_field){.number = number, .value = value};
}

static void gather_fields(struct recording_writer *w, const struct profile *p)
{
	for (size_t i = 0; i < w->written.fields.nr; i++) {
		struct recorded_field_row row = recorded_field_at(i);
		const struct recorded_column column = {.offset = row.offset, .size = row.size};
		u64 value = load_column(&column, (const char *)p), before = w->written.fields.at[i];

		if (value == before)
			continue;
		add_field(w, row.number, row.kind == FIELD_SUM ? value - before : value);
		w->written.fields.at[i] = value;
	}
}

static void gather_kernel_source(struct recording_writer *w, struct profile *p)
{
	if (p->naming.kernel && !w->naming_written)
		add_field(w, FIELD_KERNEL_SOURCE, strings_adds(&p->names, p->naming.kernel));
	w->naming_written |= p->naming.kernel != NULL;
}

static void gather_losses(struct recording_writer *w, struct profile *p)
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

static void gather_cpus(struct recording_writer *w, const struct profile *p)
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

static void gather_held(struct recording_writer *w, const struct profile *p)
{
	for (size_t i = 0; i < p->samples.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		if (instruments[sample->kind].columns[HELD_COLUMN].merge == MERGE_END &&
		    sample->column[HELD_COLUMN])
			*vec_add(&w->rows.held) = (struct recorded_value){
				.row = (u32)i, .value = sample->column[HELD_COLUMN]};
	}
}

static void gather_programs(struct recording_writer *w, struct profile *p)
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

static void gather_blocks(struct recording_writer *w, const struct profile *p)
{
	_cleanup_(blocks_before_release) struct blocks_before before = {};

	logged_times_release(&w->logged);
	vec_for_each (&p->slice.blocks, block) {
		*vec_add(&w->rows.blocks) = pack_block(&before, block);
		logged_times_add(&w->logged, block);
	}
}

/* ---- records */

/*
 * A slice's longest block is of use if it is the run's, and is known if it is the only one; else
 * its first bits say enough.
 */
static u64 longest_to_write(struct recording_writer *w, u32 sample, u64 nr, u64 longest)
{
	u32 bits = longest ? 64 - (u32)__builtin_clzll(longest) : 0;

	while (w->longest.nr <= sample)
		vec_add(&w->longest);
	if (longest > w->longest.at[sample])
		return w->longest.at[sample] = longest;
	if (nr == 1)
		return longest;
	bits -= min(bits, (u32)BITS_OF_LONGEST);
	return longest >> bits << bits;
}

static void gather_counts(struct recording_writer *w, struct profile *p)
{
	vec_for_each (&p->slice.samples, sample) {
		struct slice_sample *count = vec_add(&w->rows.counts);
		const struct column *columns =
			instruments[p->samples.at[sample->sample].kind].columns;

		*count = *sample;
		for (size_t i = 0; i < MAX_COLUMNS; i++)
			if (columns[i].merge == MERGE_MAX)
				count->column[i] = longest_to_write(
					w, sample->sample, count->column[0], count->column[i]);
	}
	order_samples(&w->order, p);
	order_counts(&w->order, w->rows.counts.at, w->rows.counts.nr);
}

static void forget_parts(struct recording_writer *w)
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

static void gather_sizes(struct recording_writer *w)
{
	for (u32 i = 0; i < NR_TABLES; i++)
		if (recorded_tables[i].grows && w->written.rows[i] > recorded_tables[i].fixed)
			*vec_add(&w->rows.sizes) =
				(struct recorded_value){.row = i, .value = w->written.rows[i]};
}

/* ---- what has become known of rows that are there */

static u64 late_hash(const struct recorded_table *table, const char *row)
{
	u64 hash = 0;

	for (size_t i = 0; i < MAX_RECORDED_COLUMNS; i++)
		if (table->columns[i].late)
			hash = hash_u64(hash ^ load_column(&table->columns[i], row));
	return hash;
}

/* Late columns of rows where these have changed, by runs of rows. */
static void put_news(struct recording_writer *w, const struct profile *p, enum table_number number,
		     size_t nr_old, struct hashes *written)
{
	const struct recorded_table *table = &recorded_tables[number];
	struct any_vec vec = recorded_vec(table, p, &w->rows);
	size_t first = 0, nr = 0;
	size_t begin = max((size_t)table->fixed, vec.nr - min(vec.nr, (size_t)NEWEST_ROWS));

	for (size_t i = begin; i < vec.nr; i++) {
		u64 hash = late_hash(table, vec.at + i * table->row_size), before;

		while (written->nr <= i)
			vec_add(written);
		before = written->at[i];
		written->at[i] = hash;
		if (i >= nr_old || hash == before)
			continue;
		if (nr && i != first + nr) {
			put_section(w, number, true, vec.at, first, nr);
			nr = 0;
		}
		first = nr ? first : i;
		nr++;
	}
	if (nr)
		put_section(w, number, true, vec.at, first, nr);
}

/* All tables but sizes, in the order in which one refers to another. */
static void put_tables(struct recording_writer *w, const struct profile *p)
{
	size_t nr_files = w->written.rows[TABLE_FILES], nr_images = w->written.rows[TABLE_IMAGES];

	put_strings(w, &p->names);
	put_rows(w, TABLE_FIELDS, p);
	put_rows(w, TABLE_FUNCTIONS, p);
	put_rows(w, TABLE_SOURCES, p); /* frames refer to them */
	put_rows(w, TABLE_HOSTS, p);
	put_rows(w, TABLE_OBJECTS, p); /* and blocks to these */
	for (enum table_number i = TABLE_FUNCTIONS; i < NR_TABLES; i++)
		if (i != TABLE_FIELDS && i != TABLE_SIZES && i != TABLE_COUNTS)
			put_rows(w, i, p);
	put_rows(w, TABLE_COUNTS, p); /* blocks tell what to expect of them */
	put_news(w, p, TABLE_FILES, nr_files, &w->written.files);
	put_news(w, p, TABLE_IMAGES, nr_images, &w->written.images);
}

/* Everything that has changed. */
static void put_changes(struct recording_writer *w, struct profile *p)
{
	profile_end_slice(p);
	w->expecting = (struct expecting){.p = p, .logged = &w->logged};
	gather_sizes(w);
	put_rows(w, TABLE_SIZES, p);
	gather_stacks(w, p);
	gather_losses(w, p);
	gather_cpus(w, p);
	gather_counts(w, p);
	gather_blocks(w, p);
	gather_kernel_source(w, p);
	gather_fields(w, p);
	put_tables(w, p);
}

static void put_late(struct recording_writer *w, const struct profile *p, enum table_number number)
{
	const struct recorded_table *table = &recorded_tables[number];
	struct any_vec vec = recorded_vec(table, p, &w->rows);

	if (vec.nr > table->fixed)
		put_section(w, number, true, vec.at, table->fixed, vec.nr - table->fixed);
}

/* ---- records, and chapters of them */

static void finish_record(struct recording_writer *w, enum record_type type, struct strbuf *to)
{
	size_t size = to->size;

	put_record(to, type, &w->payload);
	w->size += to->size - size;
	strbuf_clear(&w->payload);
	forget_parts(w);
}

void recording_set_chapters(struct recording_writer *w, size_t nr_slices, u64 size)
{
	w->chapter.nr_slices = nr_slices;
	w->chapter.size = size;
}

static void swap_progress(struct recording_writer *w)
{
	struct progress other = w->written;

	w->written = w->chapter.written;
	w->chapter.written = other;
}

static void gather_filled(struct recording_writer *w, size_t nr_known)
{
	vec_for_each (&w->chapter.filled, ref) {
		const struct recorded_leaf *leaf = &w->rows.stacks.at[*ref];

		if (*ref < nr_known)
			*vec_add(&w->rows.filled) = (struct recorded_fill){
				.stack = *ref, .node = leaf->node, .end = leaf->end};
	}
}

/* Right after a slice: what has come since the last chapter, but for what was counted. */
static void put_chapter(struct recording_writer *w, struct profile *p, struct strbuf *to)
{
	*vec_add(&w->chapters) = w->size;
	swap_progress(w);
	gather_filled(w, w->written.rows[TABLE_STACKS]);
	chapter_take(&w->chapter, &w->rows);
	gather_losses(w, p);
	gather_fields(w, p);
	put_tables(w, p);
	swap_progress(w);
	finish_record(w, RECORD_CHAPTER, to);
}

void recording_put_header(struct strbuf *to)
{
	put_recording_header(to);
}

void recording_put_piece(struct recording_writer *w, struct profile *p, u64 begin, u64 end,
			 struct strbuf *to)
{
	struct recorded_slice slice = {.offset = w->size, .begin = begin, .end = end};

	add_field(w, FIELD_SLICE_BEGIN, begin);
	add_field(w, FIELD_SLICE_END, end);
	put_changes(w, p);
	chapter_count(&w->chapter, p, &slice);
	profile_next_slice(p);
	finish_record(w, RECORD_SLICE, to);
	slice.size = w->size - slice.offset;
	chapter_add(&w->chapter, &slice);
	if (w->chapter.slices.nr >= w->chapter.nr_slices &&
	    w->size - w->chapter.slices.at[0].offset >= w->chapter.size)
		put_chapter(w, p, to);
}

void recording_put_slice(struct recording_writer *w, struct profile *p, u64 until,
			 struct strbuf *to)
{
	u64 end = until - min(until, p->begin);

	recording_put_piece(w, p, w->slice_begin, end, to);
	w->slice_begin = end;
}

void recording_put_names(struct recording_writer *w, struct profile *p, struct strbuf *to)
{
	put_changes(w, p);
	profile_next_slice(p);
	put_late(w, p, TABLE_FILES);
	put_late(w, p, TABLE_IMAGES);
	put_late(w, p, TABLE_FRAMES);
	finish_record(w, RECORD_NAMES, to);
}

/* Of what the run is: the record that says it may be the one that is damaged. */
static void repeat_fields(struct recording_writer *w)
{
	for (size_t i = 0; i < w->written.fields.nr; i++)
		if (recorded_field_at(i).kind != FIELD_SUM)
			w->written.fields.at[i] = 0;
}

void recording_put_end(struct recording_writer *w, struct profile *p, struct strbuf *to)
{
	repeat_fields(w);
	add_field(w, FIELD_SLICE_END, p->end - p->begin);
	gather_held(w, p);
	gather_programs(w, p);
	put_changes(w, p);
	profile_next_slice(p);
	finish_record(w, RECORD_END, to);
	if (w->chapters.nr)
		put_index(to, w->chapters.at, w->chapters.nr);
	/* What shares of a sum are rounded to may depend on the order. */
	profile_order_samples(p, w->order.tables[TABLE_SAMPLES].rows.at);
}
