/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_why.c: all delays, for scripts: `wick why --json`. docs/why.md has the schema. */
#include <json-c/json.h>

#include "format.h"
#include "json.h"
#include "why_text.h"

static void put(struct json_object *to, const char *name, struct json_object *value)
{
	json_object_object_add(to, name, value);
}

static void put_name(struct json_object *to, const char *name, const struct profile *p, u32 string)
{
	json_put_string(to, name, strings_get(&p->names, string));
}

void why_put_place(struct json_object *to, const struct profile *p, const struct why_label *label)
{
	put_name(to, "comm", p, label->comm);
	put_name(to, "function", p, p->functions.at[label->function].shown.name);
	put(to, "class", json_object_new_string(why_class_names[label->class]));
}

static void put_objects(struct json_object *to, const struct profile *p, const why_objects *objects)
{
	struct json_object *list = json_object_new_array();

	vec_for_each (objects, o) {
		struct json_object *object = json_object_new_object();
		_cleanup_strbuf_ struct strbuf text = {};

		why_add_object(&text, p, o);
		put(object, "text", json_object_new_string(text.s ? text.s : ""));
		put_name(object, "name", p, p->objects.at[o->object].name);
		put_name(object, "disk", p, p->objects.at[o->object].device);
		json_put_number(object, "ns", o->ns);
		json_object_array_add(list, object);
	}
	put(to, "objects", list);
}

struct json_object *why_tree_object(const struct profile *p, const struct why_delay *delay,
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
		why_put_place(object, p, &node->label);
		why_add_node(&text, p, node);
		put(object, "text", json_object_new_string(text.s ? text.s : ""));
		json_put_number(object, "ns", node->ns);
		put_name(object, "had_cpu", p, node->label.other);
		put_objects(object, p, &node->objects);
		put(object, "tree", why_tree_object(p, delay, i));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *delay_object(const struct profile *p, const struct why_delay *delay)
{
	const struct block *worst = &p->blocks.at[delay->worst];
	struct json_object *object = json_object_new_object();
	size_t nr = delay->lengths.nr;

	why_put_place(object, p, &delay->waiter);
	json_put_number(object, "ns", delay->ns);
	json_put_number(object, "estimated_ns", delay->estimated);
	json_put_number(object, "count", nr);
	json_put_number(object, "median_ns", delay->lengths.at[nr / 2]);
	json_put_number(object, "p99_ns", delay->lengths.at[nr - 1 - nr / 100]);
	json_put_number(object, "longest_ns", delay->longest);
	json_put_number(object, "longest_at_ns", worst->begin - min(worst->begin, p->begin));
	json_put_number(object, "longest_tid", p->legs.at[worst->leg].tid);
	put_objects(object, p, &delay->objects);
	put(object, "tree", why_tree_object(p, delay, WHY_NO_STEP));
	return object;
}

int report_why_json(FILE *to, struct profile *p, struct why *why)
{
	struct json_object *all = json_object_new_object(), *classes = json_object_new_object();
	struct json_object *delays = json_object_new_array(), *idle = json_object_new_array();
	struct why_summary summary;

	why_summarize(why, &summary);
	json_put_number(all, "version", 1);
	json_put_number(all, "waited_ns", summary.ns);
	json_put_number(all, "estimated_ns", summary.estimated);
	json_put_number(all, "off_cpu_ns", profile_sum(p, WICK_SCHED, 1, 0, 0));
	for (size_t i = 0; i < NR_WHY_CLASSES; i++)
		json_put_number(classes, why_class_names[i], summary.class_ns[i]);
	put(all, "classes", classes);
	vec_for_each (&summary.delays, delay)
		json_object_array_add(delays, delay_object(p, delay));
	put(all, "delays", delays);
	vec_for_each (&summary.idle_places, place) {
		struct json_object *object = json_object_new_object();

		why_put_place(object, p, &place->at);
		json_put_number(object, "ns", place->ns);
		json_put_number(object, "count", place->nr);
		put_objects(object, p, &place->objects);
		json_object_array_add(idle, object);
	}
	put(all, "idle", idle);
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
	why_summary_release(&summary);
	return ferror(to) ? -EIO : 0;
}
