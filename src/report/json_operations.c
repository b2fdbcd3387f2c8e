/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_left_out.c: what --hide-stacks and its like have left out, for scripts. Values are in the
 * unit; a share is a part of 1.
 */
#include <json-c/json.h>

#include "json.h"
#include "operation_sums.h"

static void put_text(struct json_object *to, const char *name, const char *text)
{
	json_put_string(to, name, (struct string){text, strlen(text)});
}

static void put_value(struct json_object *to, const char *name, const struct operation_sums *of,
		      u64 value)
{
	if (of->unit.divisor == 1)
		json_put_number(to, name, value);
	else
		json_object_object_add(
			to, name, json_object_new_double((double)value / (double)of->unit.divisor));
}

static void put_share(struct json_object *to, const struct operation_sums *of, u64 value)
{
	double share = of->total ? (double)value / (double)of->total : 0;

	json_object_object_add(to, "share", json_object_new_double(share));
}

static struct json_object *operation_of(const struct operation_sums *of,
					const struct operation_sum *op)
{
	struct json_object *row = json_object_new_object();

	put_text(row, "option", op->option);
	if (op->text)
		put_text(row, "argument", op->text);
	put_value(row, "removed", of, op->removed);
	put_share(row, of, op->removed);
	json_put_number(row, "stacks", op->stacks);
	json_put_number(row, "frames", op->frames);
	put_value(row, "joined", of, op->joined);
	return row;
}

void json_put_left_out(struct json_object *to, const struct operation_sums *of)
{
	struct json_object *operations = json_object_new_array();

	if (of->picture)
		put_text(to, "picture", of->picture);
	put_text(to, "unit", of->unit.name);
	put_value(to, "total", of, of->total);
	put_value(to, "kept", of, of->kept);
	put_share(to, of, of->kept);
	json_put_number(to, "stacks", of->stacks);
	json_put_number(to, "kept_stacks", of->kept_stacks);
	vec_for_each (of, op)
		json_object_array_add(operations, operation_of(of, op));
	json_object_object_add(to, "operations", operations);
}
