/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_rows.c: sections of a record become rows of tables. A section says which rows it has,
 * then column by column what is in them. Columns and tables that are not known are passed over, and
 * those that are not there are 0: so older and newer files can be read. Columns that older files
 * have in place of others are read as well.
 */
#include "recording_reader.h"

static u64 nr_rows(const struct recording_reader *r, enum table_number number)
{
	if (number == TABLE_STRINGS)
		return r->strings.nr;
	return recorded_vec(&recorded_tables[number], r->p, &r->rows).nr;
}

static bool fits(const struct recorded_column *column, u64 value)
{
	return column->size == sizeof(u64) || value <= UINT32_MAX;
}

/* The value of a column in row `row`, as a profile has it. */
static int check_value(struct recording_reader *r, enum table_number number,
		       const struct recorded_column *column, size_t row, u64 *value)
{
	u64 limit;

	if (column->values)
		*value = from_recorded(column->values, *value);
	if (!fits(column, *value))
		return is_damaged(r, "a number is too large for its column");
	if (!column->refers)
		return 0;
	limit = column->refers == number ? row : nr_rows(r, column->refers);
	if (*value >= limit)
		return is_damaged(r, "a reference is to a row that is not there");
	if (column->refers == TABLE_STRINGS)
		*value = r->strings.at[*value];
	return 0;
}

static int read_column(struct recording_reader *r, enum table_number number,
		       const struct recorded_column *column, struct cursor bytes, size_t first,
		       size_t nr)
{
	const struct recorded_table *table = &recorded_tables[number];
	char *rows = recorded_vec(table, r->p, &r->rows).at + first * table->row_size;
	const struct expecting expecting = {.p = r->p, .logged = &r->logged, .waits = &r->waits};
	struct column_place at = {.first = first, .expecting = &expecting};

	for (size_t i = 0; i < nr; i++) {
		u64 value = get_number(&bytes);

		if (bytes.bad)
			return is_damaged(r, "a column has fewer numbers than rows");
		at.number = first + i;
		at.row = rows + i * table->row_size;
		value = decode_column(column, &at, value);
		at.before = value;
		if (check_value(r, number, column, first + i, &value))
			return -EINVAL;
		store_column(column, rows + i * table->row_size, value);
	}
	return bytes.at == bytes.end ? 0 : is_damaged(r, "a column has more numbers than rows");
}

static bool is_known(const struct recorded_table *table, bool late, u64 number)
{
	return number <= MAX_RECORDED_COLUMNS && table->columns[number - 1].size &&
	       (!late || table->columns[number - 1].late);
}

/* NULL: a table that is not known, whose columns are passed over. */
static int read_columns(struct recording_reader *r, const struct recorded_table *table, bool late,
			struct cursor *c, size_t first, size_t nr)
{
	u64 number;

	while ((number = get_number(c))) {
		struct cursor bytes = get_part(c, get_number(c));
		enum table_number at;

		if (c->bad)
			break;
		if (!table || !is_known(table, late, number))
			continue;
		at = (enum table_number)(table - recorded_tables);
		r->table_bytes[at] += (u64)(bytes.end - bytes.at);
		if (read_column(r, at, &table->columns[number - 1], bytes, first, nr))
			return -EINVAL;
	}
	return c->bad ? is_damaged(r, "a section ends too early") : 0;
}

/* Zeroed rows at the end of a table; those that are no dictionary's are soon gone again. */
static int add_rows(struct recording_reader *r, const struct recorded_table *table, u64 nr)
{
	struct any_vec vec = recorded_vec(table, r->p, &r->rows);
	u64 room = r->room;
	bool has_room = take_room(r, nr, 2 * (u64)table->row_size);

	if (!table->grows)
		r->room = room;
	if (!nr)
		return 0;
	if (nr > UINT32_MAX - vec.nr || !has_room)
		return is_damaged(r, "more rows than a file of this size has");
	vec.at = vec_grow(vec.at, vec.nr, &vec.room, nr, table->row_size);
	memset(vec.at + vec.nr * table->row_size, 0, nr * table->row_size);
	vec.nr += nr;
	set_recorded_vec(table, r->p, &r->rows, &vec);
	return 0;
}

static void cut_rows(struct recording_reader *r, enum table_number number, size_t nr)
{
	const struct recorded_table *table = &recorded_tables[number];
	struct any_vec vec = recorded_vec(table, r->p, &r->rows);

	vec.nr = nr;
	set_recorded_vec(table, r->p, &r->rows, &vec);
	forget_rows(r, number, nr);
}

static int add_string(struct recording_reader *r, const u8 *bytes, u64 size)
{
	if (!take_room(r, 1, size + 64))
		return is_damaged(r, "more strings than a file of this size has");
	*vec_add(&r->strings) = strings_add(&r->p->names, (const char *)bytes, size);
	return 0;
}

static int fill_strings(struct recording_reader *r, u64 first)
{
	while (r->strings.nr < first)
		if (add_string(r, (const u8 *)"", 0))
			return -EINVAL;
	return 0;
}

/* A column that is not there is 0, also where that is no row. */
static bool refers_to_nothing(const struct recording_reader *r, const struct recorded_table *table)
{
	for (size_t i = 0; i < MAX_RECORDED_COLUMNS; i++)
		if (table->columns[i].refers && !nr_rows(r, table->columns[i].refers))
			return true;
	return false;
}

int fill_gap(struct recording_reader *r, enum table_number number, u64 first)
{
	const struct recorded_table *table = &recorded_tables[number];
	u64 nr = nr_rows(r, number);

	if (first < nr)
		return is_damaged(r, "rows that are there already");
	if (number == TABLE_STRINGS)
		return fill_strings(r, first);
	if (first == nr)
		return 0;
	if (refers_to_nothing(r, table))
		return is_damaged(r, "a reference is to a row that is not there");
	if (add_rows(r, table, first - nr))
		return -EINVAL;
	mark_unknown(r, number, nr, first - nr);
	if (!apply_rows(r, number, nr, first - nr))
		return 0;
	cut_rows(r, number, nr);
	return -EINVAL;
}

static int read_new_rows(struct recording_reader *r, enum table_number number, struct cursor *c,
			 u64 first, u64 nr)
{
	const struct recorded_table *table = &recorded_tables[number];

	if (!table->grows && (first || nr_rows(r, number)))
		return is_damaged(r, "rows that do not begin with the first");
	if (nr && refers_to_nothing(r, table))
		return is_damaged(r, "a reference is to a row that is not there");
	if (fill_gap(r, number, first) || add_rows(r, table, nr))
		return -EINVAL;
	r->table_rows[number] += nr;
	if (number == TABLE_THREADS)
		counted_waits_set(&r->waits, r->p, r->rows.counts.at, r->rows.counts.nr);
	if (!read_columns(r, table, false, c, first, nr) && !apply_rows(r, number, first, nr))
		return 0;
	cut_rows(r, number, first);
	return -EINVAL;
}

static bool has_late_columns(const struct recorded_table *table)
{
	for (size_t i = 0; i < MAX_RECORDED_COLUMNS; i++)
		if (table->columns[i].late)
			return true;
	return false;
}

static int read_late(struct recording_reader *r, enum table_number number, struct cursor *c,
		     u64 first, u64 nr)
{
	u64 there = nr_rows(r, number);

	if (!has_late_columns(&recorded_tables[number]))
		return is_damaged(r, "late columns of a table that has none");
	if (first > there || nr > there - first)
		return is_damaged(r, "columns of rows that are not there");
	if (read_columns(r, &recorded_tables[number], true, c, first, nr))
		return -EINVAL;
	return apply_rows(r, number, first, nr);
}

/* ---- strings */

static int read_string_bytes(struct recording_reader *r, struct cursor sizes, u64 nr)
{
	struct cursor bytes = sizes;

	for (u64 i = 0; i < nr && !bytes.bad; i++)
		get_number(&bytes);
	for (u64 i = 0; i < nr && !bytes.bad; i++) {
		struct cursor one = get_part(&bytes, get_number(&sizes));

		if (!bytes.bad && add_string(r, one.at, (u64)(one.end - one.at)))
			return -EINVAL;
	}
	return bytes.bad ? is_damaged(r, "strings end too early") : 0;
}

static int read_strings(struct recording_reader *r, struct cursor *c, u64 first, u64 nr)
{
	u64 number;

	if (fill_gap(r, TABLE_STRINGS, first))
		return -EINVAL;
	r->table_rows[TABLE_STRINGS] += nr;
	while ((number = get_number(c))) {
		struct cursor bytes = get_part(c, get_number(c));

		r->table_bytes[TABLE_STRINGS] += (u64)(bytes.end - bytes.at);
		if (!c->bad && number == 1 && read_string_bytes(r, bytes, nr))
			return -EINVAL;
	}
	return c->bad ? is_damaged(r, "a section ends too early") : 0;
}

/* ---- sections */

static bool is_table(u64 number)
{
	return number < NR_TABLES && recorded_tables[number].name;
}

static int read_section(struct recording_reader *r, struct cursor *c)
{
	u64 kind = get_number(c), first = get_number(c), nr = get_number(c);
	enum table_number number = (enum table_number)(kind >> 1);

	if (c->bad)
		return is_damaged(r, "a section ends too early");
	if (!is_table(kind >> 1)) {
		r->facts->nr_unknown++;
		return read_columns(r, NULL, false, c, 0, 0);
	}
	if (r->only == READ_COUNTS && number != TABLE_FIELDS && number != TABLE_COUNTS &&
	    number != TABLE_BLOCKS)
		return read_columns(r, NULL, false, c, 0, 0);
	if (number == TABLE_STRINGS)
		return read_strings(r, c, first, nr);
	return kind & 1 ? read_late(r, number, c, first, nr)
			: read_new_rows(r, number, c, first, nr);
}

int read_sections(struct recording_reader *r, struct cursor payload)
{
	for (enum table_number i = 0; i < NR_TABLES; i++)
		if (is_table(i) && !recorded_tables[i].grows)
			cut_rows(r, i, 0);
	logged_times_release(&r->logged);
	while (payload.at < payload.end)
		if (read_section(r, &payload))
			return -EINVAL;
	return 0;
}
