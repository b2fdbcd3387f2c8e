/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_why.c: all delays, for scripts: `wick why --json`. docs/why.md has the schema. */
#include <json-c/json.h>

#include "format.h"
#include "why.h"
#include "why_text.h"

static void put(struct json_object *to, const char *name, struct json_object *value)
{
	json_object_object_add(to, name, value);
}

static void put_ns(struct json_object *to, const char *name, u64 ns)
{
	put(to, name, json_object_new_uint64(ns));
}

static void put_name(struct json_object *to, const char *name, const struct profile *p, u32 string)
{
	_cleanup_strbuf_ struct strbuf text = {};

	add_string(&text, strings_get(&p->names, string));
	put(to, name, json_object_new_string(text.s ? text.s : ""));
}

static void put_place(struct json_object *to, const struct profile *p,
		      const struct why_label *label)
{
	put_name(to, "comm", p, label->comm);
	put_name(to, "function", p, p->functions.at[label->function].shown.name);
	put(to, "class", json_object_new_string(why_class_names[label->class]));
}

static struct json_object *tree_below(const struct profile *p, const struct why_delay *delay,
				      u32 parent)
{
	struct json_object *list = json_object_new_array();

	for (u32 i = 0; i < delay->nodes.nr; i++) {
		const struct why_node *node = &delay->nodes.at[i];
		_cleanup_strbuf_ struct strbuf text = {};
		struct json_object *object;

		if (node->parent != parent)
			continue;
		object = json_object_new_object();
		put_place(object, p, &node->label);
		why_add_label(&text, p, &node->label);
		put(object, "text", json_object_new_string(text.s ? text.s : ""));
		put_ns(object, "ns", node->ns);
		put_name(object, "had_cpu", p, node->label.other);
		put(object, "tree", tree_below(p, delay, i));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *delay_object(const struct profile *p, const struct why_delay *delay)
{
	const struct block *worst = &p->blocks.at[delay->worst];
	struct json_object *object = json_object_new_object();
	size_t nr = delay->lengths.nr;

	put_place(object, p, &delay->waiter);
	put_ns(object, "ns", delay->ns);
	put_ns(object, "count", nr);
	put_ns(object, "median_ns", delay->lengths.at[nr / 2]);
	put_ns(object, "p99_ns", delay->lengths.at[nr - 1 - nr / 100]);
	put_ns(object, "longest_ns", delay->longest);
	put_ns(object, "longest_at_ns", worst->begin - min(worst->begin, p->begin));
	put_ns(object, "longest_tid", p->legs.at[worst->leg].tid);
	put(object, "tree", tree_below(p, delay, WHY_NO_STEP));
	return object;
}

int report_why_json(FILE *to, struct profile *p)
{
	struct json_object *all = json_object_new_object(), *classes = json_object_new_object();
	struct json_object *delays = json_object_new_array(), *idle = json_object_new_array();
	struct why *why = why_new(p);
	struct why_summary summary;

	why_classify(why);
	why_summarize(why, &summary);
	put_ns(all, "version", 1);
	put_ns(all, "waited_ns", summary.ns);
	put_ns(all, "off_cpu_ns", profile_sum(p, WICK_SCHED, 1, 0, 0));
	for (size_t i = 0; i < NR_WHY_CLASSES; i++)
		put_ns(classes, why_class_names[i], summary.class_ns[i]);
	put(all, "classes", classes);
	vec_for_each (&summary.delays, delay)
		json_object_array_add(delays, delay_object(p, delay));
	put(all, "delays", delays);
	vec_for_each (&summary.idle_places, place) {
		struct json_object *object = json_object_new_object();

		put_place(object, p, &place->at);
		put_ns(object, "ns", place->ns);
		put_ns(object, "count", place->nr);
		json_object_array_add(idle, object);
	}
	put(all, "idle", idle);
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
	why_summary_release(&summary);
	why_free(why);
	return ferror(to) ? -EIO : 0;
}
