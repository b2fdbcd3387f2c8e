/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_write.c: a recording as it grows. A dictionary only ever gets longer, so what a slice
 * has brought are the rows from where the last one ended. recording_gather.c makes rows of the
 * rest.
 */
#include "recording.h"

#include "recording_bytes.h"
#include "recording_gather.h"

enum { LARGE_COLUMN = 2000 }; /* bytes */

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
	counted_waits_release(&w->waits);
	table_release(&w->stacks.table);
	table_release(&w->chains.table);
	progress_release(&w->written);
	chapter_release(&w->chapter);
	vec_release(&w->chapters);
	vec_release(&w->cpus);
	strbuf_release(&w->payload);
	strbuf_release(&w->columns);
	vec_release(&w->borders);
	free(w);
}

/* ---- tables as bytes */

/* The column in w->columns. A large one is worth a code of its own: that takes 100 bytes. */
static void put_numbered_column(struct recording_writer *w, u64 number)
{
	bool is_large = w->columns.size >= LARGE_COLUMN;

	put_number(&w->payload, number);
	put_number(&w->payload, w->columns.size);
	if (is_large)
		*vec_add(&w->borders) = w->payload.size;
	strbuf_add(&w->payload, w->columns.s, w->columns.size);
	if (is_large)
		*vec_add(&w->borders) = w->payload.size;
}

/*
 * A column of rows; nothing where all of it is 0, and nothing else is expected. Returns whether
 * there was something.
 */
static bool put_column(struct recording_writer *w, enum table_number number,
		       const struct recorded_column *column, const char *rows, size_t first,
		       size_t nr)
{
	struct column_place at = {.first = first, .expecting = &w->expecting};
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
		if (!column->size || column->old || (late && !column->late) ||
		    !put_column(w, number, column, rows, first, nr))
			continue;
		put_numbered_column(w, i + 1);
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
	put_numbered_column(w, 1);
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
		u64 hash = late_hash(table, vec.at + i * table->row_size);

		if (!hashes_replace(written, i, hash) || i >= nr_old)
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
		if (i != TABLE_FIELDS && i != TABLE_SIZES && i != TABLE_COUNTS &&
		    i != TABLE_THREADS)
			put_rows(w, i, p);
	put_rows(w, TABLE_COUNTS, p); /* blocks tell what to expect of them */
	if (w->written.rows[TABLE_THREADS] < p->threads.nr)
		counted_waits_set(&w->waits, p, w->rows.counts.at, w->rows.counts.nr);
	put_rows(w, TABLE_THREADS, p); /* and they of these */
	put_news(w, p, TABLE_FILES, nr_files, &w->written.files);
	put_news(w, p, TABLE_IMAGES, nr_images, &w->written.images);
}

/* Everything that has changed. */
static void put_changes(struct recording_writer *w, struct profile *p)
{
	profile_end_slice(p);
	w->expecting = (struct expecting){
		.p = p, .logged = &w->logged, .waits = &w->waits, .order = &w->order};
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

	put_record(to, type, &w->payload, &w->borders);
	w->size += to->size - size;
	strbuf_clear(&w->payload);
	w->borders.nr = 0;
	gather_forget(w);
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

	gather_field(w, FIELD_SLICE_BEGIN, begin);
	gather_field(w, FIELD_SLICE_END, end);
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
	gather_field(w, FIELD_SLICE_END, p->end - p->begin);
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
