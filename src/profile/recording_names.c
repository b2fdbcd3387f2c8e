/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_names.c: a record of names, to be appended to a recording that was read: strings and
 * functions that are new, and the function of each frame. Their numbers are the file's, which go on
 * where it has ended; those of strings are not the profile's.
 */
#include "recording.h"

#include "recording_bytes.h"
#include "recording_tables.h"

enum { NAME = 1, MODULE, KIND, NAMED, FUNCTION = 4 };

struct appended {
	const struct profile *p;
	size_t first_string, first_function;
	VEC(u32) strings; /* of the profile, in the order of their numbers in the file */
	struct strbuf payload, column;
};

static void put_column(struct appended *a, u64 number)
{
	put_number(&a->payload, number);
	put_number(&a->payload, a->column.size);
	strbuf_add(&a->payload, a->column.s, a->column.size);
	strbuf_clear(&a->column);
}

static void put_section(struct appended *a, u64 table, bool late, size_t first, size_t nr)
{
	put_number(&a->payload, table << 1 | late);
	put_number(&a->payload, first);
	put_number(&a->payload, nr);
}

/* The file's number of a string, which may be there twice then. */
static u64 string_number(struct appended *a, u32 ref)
{
	if (!ref)
		return 0;
	/* Modules are the same for many in a row. */
	for (size_t i = a->strings.nr; i-- > 0 && a->strings.nr - i <= 4;)
		if (a->strings.at[i] == ref)
			return a->first_string + i;
	*vec_add(&a->strings) = ref;
	return a->first_string + a->strings.nr - 1;
}

static void put_strings(struct appended *a)
{
	put_section(a, TABLE_STRINGS, false, a->first_string, a->strings.nr);
	vec_for_each (&a->strings, ref)
		put_number(&a->column, strings_get(&a->p->names, *ref).size);
	vec_for_each (&a->strings, ref) {
		struct string s = strings_get(&a->p->names, *ref);

		strbuf_add(&a->column, s.s, s.size);
	}
	put_column(a, 1);
	put_number(&a->payload, 0);
}

/* Column by column, so the numbers of their strings have to be known. */
static void put_functions(struct appended *a, const u64 *names, const u64 *modules)
{
	const struct recorded_column *kind = &recorded_tables[TABLE_FUNCTIONS].columns[KIND - 1];
	size_t nr = a->p->functions.nr - a->first_function;
	const struct function *functions = a->p->functions.at + a->first_function;

	put_section(a, TABLE_FUNCTIONS, false, a->first_function, nr);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, names[i]);
	put_column(a, NAME);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, modules[i]);
	put_column(a, MODULE);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, to_recorded(kind->values, functions[i].shown.kind));
	put_column(a, KIND);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, functions[i].named);
	put_column(a, NAMED);
	put_number(&a->payload, 0);
}

static void put_frames(struct appended *a)
{
	put_section(a, TABLE_FRAMES, true, 0, a->p->frames.nr);
	vec_for_each (&a->p->frames, frame)
		put_number(&a->column, frame->function);
	put_column(a, FUNCTION);
	put_number(&a->payload, 0);
}

static void put_result(struct appended *a)
{
	static const u32 numbers[] = {FIELD_RESOLVED, FIELD_UNRESOLVED};
	const u64 values[] = {a->p->naming.resolved, a->p->naming.unresolved};

	put_section(a, TABLE_FIELDS, false, 0, ARRAY_SIZE(numbers));
	put_number(&a->column, zigzag(numbers[0]));
	put_number(&a->column, zigzag((s64)numbers[1] - numbers[0]));
	put_column(a, 1);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		put_number(&a->column, values[i]);
	put_column(a, 2);
	put_number(&a->payload, 0);
}

void recording_append_names(const struct profile *p, const struct recording *r, struct strbuf *to)
{
	struct appended a = {
		.p = p, .first_string = r->nr_strings, .first_function = r->nr_functions};
	size_t nr = p->functions.nr - r->nr_functions;
	_cleanup_free_ u64 *names = xcalloc(nr + 1, sizeof(*names));
	_cleanup_free_ u64 *modules = xcalloc(nr + 1, sizeof(*modules));

	for (size_t i = 0; i < nr; i++) {
		const struct tree_frame *shown = &p->functions.at[r->nr_functions + i].shown;

		modules[i] = string_number(&a, shown->module);
		names[i] = string_number(&a, shown->name);
	}
	put_strings(&a);
	put_functions(&a, names, modules);
	put_frames(&a);
	put_result(&a);
	put_record(to, RECORD_NAMES, &a.payload);
	vec_release(&a.strings);
	strbuf_release(&a.payload);
	strbuf_release(&a.column);
}
