/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_names.c: a record of names, to be appended to a recording that was read: strings,
 * functions and lines of source that are new, and the function and line of each frame. Their
 * numbers are the file's, which go on where it has ended; those of strings are not the profile's.
 */
#include "recording.h"

#include "recording_bytes.h"
#include "recording_tables.h"

/* Columns. */
enum {
	NAME = 1,
	MODULE,
	KIND,
	NAMED,
	FUNCTION = 4, /* of a frame, and its line */
	SOURCE,
	STATE = 4, /* of a file */
	LINE_FUNCTION = 1,
	LINE_PATH,
	LINE,
	LINE_OUTER,
};

struct appended {
	const struct profile *p;
	size_t first_string, first_function, first_source;
	VEC(u32) strings; /* of the profile, in the order of their numbers in the file */
	u32 *places;	  /* of each of the profile's, in `strings`, + 1; 0: not there */
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

static void put_difference(struct appended *a, u64 value, u64 before)
{
	put_number(&a->column, zigzag((s64)(value - before)));
}

/* The file's number of a string, which may be there twice then. */
static u64 string_number(struct appended *a, u32 ref)
{
	if (!ref)
		return 0;
	if (!a->places[ref]) {
		*vec_add(&a->strings) = ref;
		a->places[ref] = (u32)a->strings.nr;
	}
	return a->first_string + a->places[ref] - 1;
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
		put_difference(a, names[i], i ? names[i - 1] : 0);
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

static void put_sources(struct appended *a, const u64 *paths)
{
	const struct source_line *sources = a->p->sources.at + a->first_source;
	size_t nr = a->p->sources.nr - a->first_source;

	if (!nr)
		return;
	put_section(a, TABLE_SOURCES, false, a->first_source, nr);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, sources[i].function);
	put_column(a, LINE_FUNCTION);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, paths[i]);
	put_column(a, LINE_PATH);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, sources[i].line);
	put_column(a, LINE);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, a->first_source + i - 1 - sources[i].outer);
	put_column(a, LINE_OUTER);
	put_number(&a->payload, 0);
}

static void put_frames(struct appended *a)
{
	const struct frame *frames = a->p->frames.at;
	size_t nr = a->p->frames.nr;

	put_section(a, TABLE_FRAMES, true, 0, nr);
	for (size_t i = 0; i < nr; i++)
		put_difference(a, frames[i].function, i ? frames[i - 1].function : 0);
	put_column(a, FUNCTION);
	for (size_t i = 0; i < nr; i++)
		put_difference(a, frames[i].source, i ? frames[i - 1].source : 0);
	put_column(a, SOURCE);
	put_number(&a->payload, 0);
}

static void put_states(struct appended *a)
{
	const struct recorded_column *state = &recorded_tables[TABLE_FILES].columns[STATE - 1];

	put_section(a, TABLE_FILES, true, 0, a->p->files.nr);
	vec_for_each (&a->p->files, file)
		put_number(&a->column, to_recorded(state->values, file->state));
	put_column(a, STATE);
	put_number(&a->payload, 0);
}

static void put_result(struct appended *a, u64 kernel)
{
	const struct naming_result *naming = &a->p->naming;
	const struct recorded_field fields[] = {
		{FIELD_RESOLVED, naming->resolved},
		{FIELD_UNRESOLVED, naming->unresolved},
		{FIELD_KERNEL_ERROR, (u32)naming->kernel_error},
		{FIELD_KERNEL_SOURCE, kernel},
	};
	size_t nr = ARRAY_SIZE(fields) - !kernel;

	put_section(a, TABLE_FIELDS, false, 0, nr);
	for (size_t i = 0; i < nr; i++)
		put_difference(a, fields[i].number, i ? fields[i - 1].number : 0);
	put_column(a, 1);
	for (size_t i = 0; i < nr; i++)
		put_number(&a->column, fields[i].value);
	put_column(a, 2);
	put_number(&a->payload, 0);
}

void recording_append_names(struct profile *p, const struct recording *r, struct strbuf *to)
{
	u32 kernel_name = p->naming.kernel ? strings_adds(&p->names, p->naming.kernel) : 0;
	_cleanup_free_ u32 *places = xcalloc(p->names.nr, sizeof(*places));
	struct appended a = {
		.p = p,
		.first_string = r->nr_strings,
		.first_function = r->nr_functions,
		.first_source = r->nr_sources,
		.places = places,
	};
	size_t nr = p->functions.nr - r->nr_functions, nr_sources = p->sources.nr - r->nr_sources;
	_cleanup_free_ u64 *names = xcalloc(nr + 1, sizeof(*names));
	_cleanup_free_ u64 *modules = xcalloc(nr + 1, sizeof(*modules));
	_cleanup_free_ u64 *paths = xcalloc(nr_sources + 1, sizeof(*paths));
	u64 kernel = string_number(&a, kernel_name);

	for (size_t i = 0; i < nr; i++) {
		const struct tree_frame *shown = &p->functions.at[r->nr_functions + i].shown;

		modules[i] = string_number(&a, shown->module);
		names[i] = string_number(&a, shown->name);
	}
	for (size_t i = 0; i < nr_sources; i++)
		paths[i] = string_number(&a, p->sources.at[r->nr_sources + i].path);
	put_strings(&a);
	put_functions(&a, names, modules);
	put_sources(&a, paths);
	put_frames(&a);
	put_states(&a);
	put_result(&a, kernel);
	put_record(to, RECORD_NAMES, &a.payload, NULL);
	if (r->chapters.nr)
		put_index(to, r->chapters.at, r->chapters.nr);
	vec_release(&a.strings);
	strbuf_release(&a.payload);
	strbuf_release(&a.column);
}
