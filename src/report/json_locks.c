/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_locks.c: all locks, for scripts: `wick locks --json`. docs/locks.md has the schema. */
#include <json-c/json.h>

#include "json.h"
#include "why_text.h"

static struct json_object *parts_of(const struct profile *p, const struct why_lock_parts *parts)
{
	struct json_object *list = json_object_new_array();

	vec_for_each (parts, part) {
		struct json_object *object = json_object_new_object();
		_cleanup_strbuf_ struct strbuf text = {};

		why_put_place(object, p, &part->label);
		why_add_label(&text, p, &part->label);
		json_put_string(object, "text", (struct string){text.s, text.size});
		json_put_number(object, "ns", part->ns);
		json_put_number(object, "count", part->nr);
		json_object_array_add(list, object);
	}
	return list;
}

static u64 address_of(const struct profile *p, const struct why_lock *lock)
{
	const struct object *object = &p->objects.at[lock->object];

	return object->kind == WICK_OBJECT_FUTEX ? object->id : 0;
}

static struct json_object *lock_object(const struct profile *p, const struct why_lock *lock)
{
	const struct block *worst = &p->blocks.at[lock->worst];
	struct json_object *object = json_object_new_object();
	_cleanup_strbuf_ struct strbuf name = {};

	why_lock_name(p, lock, &name);
	json_put_string(object, "lock", (struct string){name.s, name.size});
	json_object_object_add(object, "kind", json_object_new_string(why_lock_kind(lock)));
	json_put_number(object, "pid", lock->pid);
	json_put_number(object, "address", address_of(p, lock));
	json_put_number(object, "ns", lock->ns);
	json_put_number(object, "count", lock->nr);
	json_put_number(object, "longest_ns", lock->longest);
	json_put_number(object, "longest_at_ns", worst->begin - min(worst->begin, p->begin));
	json_put_number(object, "longest_tid", p->legs.at[worst->leg].tid);
	json_put_number(object, "at_once", lock->at_once);
	json_object_object_add(object, "waiters", parts_of(p, &lock->waiters));
	json_object_object_add(object, "holders", parts_of(p, &lock->holders));
	return object;
}

int report_locks_json(FILE *to, struct profile *p, struct why *why)
{
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();
	struct why_locks locks;

	why_locks_find(&locks, why);
	why_locks_sum(&locks, why);
	json_put_number(all, "version", 1);
	json_put_number(all, "ns", locks.ns);
	json_put_number(all, "count", locks.nr);
	vec_for_each (&locks.all, lock)
		json_object_array_add(list, lock_object(p, lock));
	json_object_object_add(all, "locks", list);
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
	why_locks_release(&locks);
	return ferror(to) ? -EIO : 0;
}
