/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference_json.c: the same for scripts. Values are in the unit, before as it was; "change" is
 * now's value less before's, multiplied by "factor". "more_than_noise" is null where that is not
 * known.
 */
#include <json-c/json.h>

#include "base/strbuf.h"
#include "difference_parts.h"
#include "json.h"

static void put(struct json_object *to, const char *name, double value)
{
	json_object_object_add(to, name, json_object_new_double(value));
}

static void put_text(struct json_object *to, const char *name, const char *s, size_t size)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s, size);
	json_object_object_add(to, name, json_object_new_string(safe.s ? safe.s : ""));
}

static struct json_object *profile_of(const struct difference_report *r, const char *name,
				      u64 total, const struct operation_sums *left_out)
{
	struct json_object *profile = json_object_new_object();

	put_text(profile, "name", name, strlen(name));
	put(profile, "total", (double)total / (double)r->unit.divisor);
	if (left_out->nr)
		json_put_left_out(json_put_object(profile, "left_out"), left_out);
	return profile;
}

static struct json_object *value_of(const struct difference_report *r,
				    const struct changed_value *changed)
{
	const struct difference *d = r->difference;
	double change = difference_change(d, changed), divisor = (double)r->unit.divisor;
	struct json_object *value = json_object_new_object(), *noise = NULL;
	enum noise kind = difference_noise(r, changed);

	put(value, "before", (double)changed->before / divisor);
	put(value, "now", (double)changed->now / divisor);
	put(value, "change", change / divisor);
	put(value, "change_percent", difference_percent(d, change));
	if (kind != NOISE_UNKNOWN)
		noise = json_object_new_boolean(kind == NOISE_EXCEEDED);
	json_object_object_add(value, "more_than_noise", noise);
	return value;
}

static struct json_object *function_of(const struct difference_report *r,
				       const struct changed_function *f)
{
	const struct strings *names = r->difference->tree.names;
	struct string name = strings_get(names, f->frame.name),
		      module = strings_get(names, f->frame.module);
	struct json_object *function = json_object_new_object();

	put_text(function, "name", name.s, name.size);
	if (module.size)
		put_text(function, "module", module.s, module.size);
	if (is_new(f) || is_gone(f))
		json_object_object_add(function, "state",
				       json_object_new_string(is_new(f) ? "new" : "gone"));
	json_object_object_add(function, "self", value_of(r, &f->self));
	json_object_object_add(function, "total", value_of(r, &f->total));
	return function;
}

static void put_failure(struct json_object *to, const struct difference_report *r)
{
	const struct changed_function *most;
	double percent;

	if (r->fail_above < 0)
		return;
	put(to, "fail_above", r->fail_above);
	json_object_object_add(to, "grown",
			       json_object_new_uint64(difference_grown(r, &most, &percent)));
}

int report_difference_json(FILE *to, const struct difference_report *r)
{
	const struct difference *d = r->difference;
	struct json_object *all = json_object_new_object(), *functions = json_object_new_array();

	json_object_object_add(all, "wick", json_object_new_string(WICK_VERSION));
	put_text(all, "unit", r->unit.name, strlen(r->unit.name));
	json_object_object_add(all, "before", profile_of(r, r->before, d->before, r->left_out[0]));
	json_object_object_add(all, "now", profile_of(r, r->now, d->now, r->left_out[1]));
	json_object_object_add(all, "normalised", json_object_new_boolean(d->normalised));
	put(all, "factor", d->factor);
	for (size_t i = 0; i < min(r->top, r->functions->nr); i++)
		json_object_array_add(functions, function_of(r, &r->functions->at[i]));
	json_object_object_add(all, "functions", functions);
	put_failure(all, r);
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
	return fflush(to) || ferror(to) ? -errno : 0;
}
