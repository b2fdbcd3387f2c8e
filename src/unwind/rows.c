/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packing: functions by their start, their rows one after the other, a row only where the rule
 * changes. Most functions end as the next begins, with CFA = rsp + 8, so a boundary costs no row.
 */
#include "rows.h"

#include "ramps.h"

#define NONE wick_rule(WICK_RULE_NONE, 0)

void rows_init(struct rows *rows, const struct cfa_machine *machine)
{
	*rows = (struct rows){.machine = machine};
}

void rows_release(struct rows *rows)
{
	vec_release(&rows->rows);
	vec_release(&rows->functions);
	vec_release(&rows->specials);
	table_release(&rows->known);
}

bool rows_begin(struct rows *rows, u64 start, u64 end)
{
	if (start >= end)
		return false;
	if (end > UINT32_MAX || rows->functions.nr == ROWS_MAX_FUNCTIONS) {
		rows->full = true;
		return false;
	}
	*vec_add(&rows->functions) = (struct row_function){
		.start = (u32)start, .end = (u32)end, .first = (u32)rows->rows.nr};
	return true;
}

void rows_add(struct rows *rows, u64 offset, u32 rule)
{
	struct row_function *function = &rows->functions.at[rows->functions.nr - 1];
	struct row *last = function->nr ? &rows->rows.at[rows->rows.nr - 1] : NULL;

	if (offset < (last ? last->offset : function->start) || offset >= function->end ||
	    (last && last->rule == rule))
		return;
	if (rows->rows.nr == ROWS_MAX) {
		rows->full = true;
		return;
	}
	if (last && last->offset == offset) {
		last->rule = rule;
		return;
	}
	*vec_add(&rows->rows) = (struct row){.offset = (u32)offset, .rule = rule};
	function->nr++;
}

static int by_start(const void *a, const void *b)
{
	const struct row_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void rows_sort(struct rows *rows)
{
	bool sorted = true;

	for (size_t i = 1; i < rows->functions.nr && sorted; i++)
		sorted = rows->functions.at[i - 1].start <= rows->functions.at[i].start;
	if (!sorted)
		vec_sort(&rows->functions, by_start);
}

/* How many functions begin before `offset`. */
static size_t nr_before(const struct rows *rows, u64 offset)
{
	size_t low = 0, high = rows->functions.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->functions.at[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

u32 rows_next(const struct rows *rows, u32 offset)
{
	size_t i = nr_before(rows, offset);

	return i < rows->functions.nr ? rows->functions.at[i].start : UINT32_MAX;
}

bool rows_cover(const struct rows *rows, u32 offset)
{
	size_t i = nr_before(rows, (u64)offset + 1);

	return i && offset < rows->functions.at[i - 1].end;
}

struct packer {
	struct rows_packed *packed;
	struct {
		VEC_FIELDS(u32);
	} directory, rows;
	u32 rule;      /* in force */
	u32 rule_from; /* since this offset */
	u32 first;     /* block */
};

static void add_row(struct packer *p, u32 at, u32 rule)
{
	*vec_add(&p->rows) = at << WICK_RULE_BITS | rule;
}

/* No row will be added to the block at hand. */
static void close_block(struct packer *p)
{
	u32 first = p->directory.nr ? p->directory.at[p->directory.nr - 1] : 0;

	p->rows.nr = first + ramps_pack(p->rows.at + first, (u32)p->rows.nr - first);
}

/* Begins every block up to that of `offset`; those it passes get the rule in force as their first
 * row. */
static void open_blocks(struct packer *p, u32 offset)
{
	u32 wanted = (offset >> WICK_BLOCK_BITS) - p->first;

	while (p->directory.nr <= wanted) {
		close_block(p);
		*vec_add(&p->directory) = (u32)p->rows.nr;
		if (p->rule != NONE)
			add_row(p, 0, p->rule);
	}
}

/* The row that is already there for this very byte; NULL: none. */
static u32 *row_at(struct packer *p, u32 at)
{
	u32 *last = p->rows.nr ? &p->rows.at[p->rows.nr - 1] : NULL;

	if (!last || p->rows.nr == p->directory.at[p->directory.nr - 1] ||
	    *last >> WICK_RULE_BITS != at)
		return NULL;
	return last;
}

static void put(struct packer *p, u32 offset, u32 rule)
{
	u32 at = offset & ((1u << WICK_BLOCK_BITS) - 1);
	u32 *same;

	if (rule == p->rule)
		return;
	open_blocks(p, offset);
	same = row_at(p, at);
	if (same)
		*same = at << WICK_RULE_BITS | rule;
	else
		add_row(p, at, rule);
	if (p->rule != NONE)
		p->packed->covered += offset - p->rule_from;
	p->rule = rule;
	p->rule_from = offset;
}

/* A function's rows, as far as `end`. */
static void put_function(struct packer *p, const struct rows *rows,
			 const struct row_function *function, u32 end)
{
	for (u32 i = 0; i < function->nr; i++) {
		const struct row *row = &rows->rows.at[function->first + i];

		if (row->offset >= end)
			break;
		put(p, row->offset, row->rule);
	}
}

static void put_all(struct packer *p, const struct rows *rows)
{
	const struct row_function *functions = rows->functions.at;
	u32 covered = 0; /* up to here, by functions that began before */

	for (size_t i = 0; i < rows->functions.nr; i++) {
		bool last = i + 1 == rows->functions.nr;
		u32 next = last ? UINT32_MAX : functions[i + 1].start;

		if (next == functions[i].start) /* of two that begin here, the later record */
			continue;
		if (functions[i].start > covered && !rows_is_padding(covered, functions[i].start))
			put(p, covered, NONE);
		put_function(p, rows, &functions[i], next);
		covered = min(functions[i].end, next);
	}
	put(p, covered, NONE);
}

static void count(struct rows_packed *packed, u32 row)
{
	u32 rule = row & ((1u << WICK_RULE_BITS) - 1);

	if (wick_rule_kind(rule) == WICK_RULE_SPECIAL)
		packed->nr_special++;
	else if (wick_rule_kind(rule) == WICK_RULE_BAD)
		packed->nr_bad[wick_rule_argument(rule)]++;
}

/* One array: directory and its end, rows, specials. */
static void join(struct packer *p, const struct rows *rows)
{
	struct rows_packed *packed = p->packed;
	u32 nr_directory = (u32)p->directory.nr + 1, nr_rows = (u32)p->rows.nr;
	u32 nr_special_words = (u32)rows->specials.nr * WICK_SPECIAL_WORDS;

	*vec_add(&p->directory) = nr_rows;
	packed->shape = (struct wick_unwind_shape){
		.first_block = p->first,
		.nr_blocks = nr_directory - 1,
		.nr_rows = nr_rows,
		.nr_specials = (u32)rows->specials.nr,
	};
	packed->nr_words = nr_directory + nr_rows + nr_special_words;
	packed->words = xcalloc(packed->nr_words, sizeof(u32));
	memcpy(packed->words, p->directory.at, nr_directory * sizeof(u32));
	if (nr_rows)
		memcpy(packed->words + nr_directory, p->rows.at, nr_rows * sizeof(u32));
	if (nr_special_words)
		memcpy(packed->words + nr_directory + nr_rows, rows->specials.at,
		       nr_special_words * sizeof(u32));
}

void rows_pack(const struct rows *rows, struct rows_packed *packed)
{
	struct packer p = {.packed = packed, .rule = NONE};

	*packed = (struct rows_packed){};
	if (rows->functions.nr) {
		p.first = rows->functions.at[0].start >> WICK_BLOCK_BITS;
		put_all(&p, rows);
		close_block(&p);
	}
	join(&p, rows);
	vec_for_each (&p.rows, row)
		count(packed, *row);
	vec_release(&p.directory);
	vec_release(&p.rows);
}
