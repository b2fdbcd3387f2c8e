/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain.h"

#include <json-c/json.h>

#include "format.h"

static bool is_time(const struct column *column)
{
	return !strcmp(column->unit, "ns");
}

/* "12 forks", "1.00 MiB mapped", "0.003 s" */
static void add_sum(struct strbuf *b, const struct column *column, u64 sum)
{
	if (is_time(column)) {
		add_seconds(b, sum);
	} else if (!strcmp(column->unit, "bytes")) {
		strbuf_add_bytes(b, sum);
		strbuf_addf(b, " %s", column->name);
	} else {
		strbuf_add_number(b, sum);
		strbuf_addf(b, " %s", column->unit);
	}
}

static void add_sums(enum wick_kind kind, struct strbuf *b, const struct facts *f)
{
	const struct column *columns = instruments[kind].columns;

	for (size_t i = 0; i < MAX_COLUMNS && columns[i].name; i++) {
		strbuf_adds(b, i ? ", " : "");
		add_sum(b, &columns[i], f->plain[kind][i]);
	}
}

void plain_sum(enum wick_kind kind, struct facts *f, const struct profile *p)
{
	for (u32 i = 0; i < MAX_COLUMNS; i++)
		f->plain[kind][i] = profile_sum(p, kind, i, 0, 0);
}

void plain_words(enum wick_kind kind, FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "%-9s ", instruments[kind].name);
	add_sums(kind, &line, f);
	add_losses(&line, f, kind, "; lost: ");
	print_line(to, &line);
}

void plain_subtitle(enum wick_kind kind, struct strbuf *b, const struct facts *f)
{
	strbuf_adds(b, ", ");
	add_sums(kind, b, f);
	add_losses(b, f, kind, ", lost: ");
}

void plain_json(enum wick_kind kind, struct json_object *to, const struct facts *f)
{
	const struct column *columns = instruments[kind].columns;
	struct json_object *object = json_object_new_object();

	json_object_object_add(to, instruments[kind].name, object);
	for (size_t i = 0; i < MAX_COLUMNS && columns[i].name; i++)
		json_object_object_add(object, columns[i].name,
				       is_time(&columns[i])
					       ? json_object_new_double(seconds(f->plain[kind][i]))
					       : json_object_new_uint64(f->plain[kind][i]));
}
