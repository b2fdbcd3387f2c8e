/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof_tables.h"

#include "stack_file.h"

void pprof_tables_release(struct pprof_tables *t)
{
	struct pprof_rows *all[] = {&t->mappings, &t->functions, &t->locations};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		vec_release(all[i]);
		table_release(&all[i]->table);
	}
	vec_release(&t->strings);
	vec_release(&t->types);
}

struct string pprof_string(const struct pprof_tables *t, u64 index)
{
	return index < t->strings.nr ? t->strings.at[index] : (struct string){"", 0};
}

/* A stranger chose the ids. */
static u64 hash_id(u64 id)
{
	return hash_bytes(&id, sizeof(id));
}

const struct pprof_row *pprof_row(const struct pprof_rows *rows, u64 id)
{
	struct table_probe probe = table_probe(&rows->table, hash_id(id));

	while (table_next(&probe))
		if (rows->at[probe.ref].id == id)
			return &rows->at[probe.ref];
	return NULL;
}

/* What is wrong with a profile, or NULL. */
static const char *add_row(struct pprof_rows *rows, const struct pprof_row *row)
{
	if (!row->id)
		return "an id is 0";
	if (pprof_row(rows, row->id))
		return "two rows have one id";
	if (rows->nr == STACK_FILE_MAX_ROWS)
		return "a table has more than 4194304 rows";
	table_insert(&rows->table, hash_id(row->id), (u32)rows->nr);
	*vec_add(rows) = *row;
	return NULL;
}

/* Which fields of a message are the members of a row. */
struct row_fields {
	u32 text, mapping, address;
};

static const char *read_row(struct pprof_rows *rows, struct string body,
			    const struct row_fields *fields)
{
	struct pb_message m = pb_message(body);
	struct pprof_row row = {.body = body};
	struct pb_field field;

	while (pb_next(&m, &field)) {
		if (field.type != PB_VARINT)
			continue;
		if (field.number == 1)
			row.id = field.value;
		if (field.number == fields->text)
			row.text = field.value;
		if (field.number == fields->mapping)
			row.mapping = field.value;
		if (field.number == fields->address)
			row.address = field.value;
	}
	return m.bad ? "a message in it is damaged" : add_row(rows, &row);
}

static const char *read_type(struct pprof_tables *t, struct string body)
{
	struct pb_message m = pb_message(body);
	struct pprof_type *type;
	struct pb_field field;

	if (t->types.nr == STACK_FILE_MAX_ROWS)
		return "it has more than 4194304 sample types";
	type = vec_add(&t->types);
	while (pb_next(&m, &field)) {
		if (field.number == 1)
			type->type = field.value;
		if (field.number == 2)
			type->unit = field.value;
	}
	return m.bad ? "a sample type is damaged" : NULL;
}

static const char *read_string(struct pprof_tables *t, struct string s)
{
	if (t->strings.nr == STACK_FILE_MAX_ROWS)
		return "it has more than 4194304 strings";
	*vec_add(&t->strings) = s;
	return NULL;
}

static const char *read_field(struct pprof_tables *t, const struct pb_field *field)
{
	if (field->number == PPROF_DEFAULT_SAMPLE_TYPE && field->type == PB_VARINT)
		t->default_type = field->value;
	if (field->type != PB_BYTES)
		return NULL;
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		return read_type(t, field->bytes);
	case PPROF_SAMPLE:
		t->nr_samples++;
		return NULL;
	case PPROF_MAPPING:
		return read_row(&t->mappings, field->bytes, &(struct row_fields){.text = 5});
	case PPROF_LOCATION:
		return read_row(&t->locations, field->bytes,
				&(struct row_fields){.mapping = 2, .address = 3});
	case PPROF_FUNCTION:
		return read_row(&t->functions, field->bytes, &(struct row_fields){.text = 2});
	case PPROF_STRING:
		return read_string(t, field->bytes);
	}
	return NULL;
}

int pprof_tables_read(struct pprof_tables *t, struct string profile, const char *name,
		      struct error *error)
{
	struct pb_message m = pb_message(profile);
	const char *problem = NULL;
	struct pb_field field;

	while (!problem && pb_next(&m, &field))
		problem = read_field(t, &field);
	if (!problem && m.bad)
		problem = "it is cut off, or damaged";
	if (!problem && !t->types.nr)
		problem = "it has no sample types";
	return problem ? fail(error, -EINVAL, "%s is no profile of pprof that can be read: %s",
			      name, problem)
		       : 0;
}
