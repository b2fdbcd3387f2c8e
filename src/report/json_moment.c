/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_moment.c: one moment of a thread, for scripts. docs/why.md has the schema. */
#include <json-c/json.h>

#include "json.h"
#include "why_text.h"

static const char *const doings[NR_WHY_DOINGS] = {
	[WHY_WAITED] = "waited", [WHY_WAITED_OFTEN] = "waited often", [WHY_HAD_NO_CPU] = "no cpu",
	[WHY_WAS_BUSY] = "busy", [WHY_WAS_NOT_THERE] = "not there",
};

static void put_text(struct json_object *to, const char *name, const char *text)
{
	json_object_object_add(to, name, json_object_new_string(text));
}

static void put_thread(struct json_object *to, const struct profile *p, u32 leg)
{
	json_put_string(to, "comm", strings_get(&p->names, p->legs.at[leg].comm));
	json_put_number(to, "pid", p->legs.at[leg].pid);
	json_put_number(to, "tid", p->legs.at[leg].tid);
}

static u64 after_begin(const struct profile *p, u64 time)
{
	return time - min(time, p->begin);
}

/* A thread that was blocked in the moment. */
static struct json_object *step_object(const struct profile *p, struct why *why, u32 leg, u32 ref)
{
	struct json_object *object = json_object_new_object();
	const struct block *block = &p->blocks.at[ref];
	const struct hop *hop = why_hop(p, block);
	struct why_label at = why_label_of_block(why, leg, ref, WHY_NR);

	put_thread(object, p, leg);
	json_put_string(object, "function",
			strings_get(&p->names, p->functions.at[at.function].shown.name));
	put_text(object, "class", why_class_names[at.class]);
	json_put_number(object, "begin_ns", after_begin(p, block->begin));
	json_put_number(object, "ns", block_ns(block));
	if (hop && why_by_interrupt(why, block))
		put_text(object, "ended_by", hop_interrupt(p, hop));
	return object;
}

static struct json_object *steps_of(const struct profile *p, struct why *why,
				    const struct why_moment *m)
{
	_cleanup_(why_pieces_release) struct why_pieces pieces = {};
	struct json_object *list = json_object_new_array();
	_cleanup_strbuf_ struct strbuf text = {};
	u32 steps[WHY_MOST_STEPS];
	const struct why_piece *last;
	struct why_label label;
	size_t nr;

	why_explain_block(why, m->block, &pieces);
	nr = why_steps_at(&pieces, m->at, steps, &last);
	json_object_array_add(list, step_object(p, why, m->leg, m->block));
	for (size_t i = 0; i < nr; i++) {
		u32 waits = i + 1 < nr ? pieces.steps.at[steps[i + 1]].block : last->block;
		u32 leg = pieces.steps.at[steps[i]].leg;

		if (waits != WHY_NO_BLOCK && (i + 1 < nr || last->what != WHY_NO_CPU))
			json_object_array_add(list, step_object(p, why, leg, waits));
	}
	if (!last || last->what == WHY_INTERRUPT)
		return list;
	label = why_label_of_piece(why, &pieces, last, m->leg);
	why_add_label(&text, p, &label);
	json_object_array_add(list, json_object_new_string(text.s));
	return list;
}

int report_moment_json(FILE *to, struct profile *p, struct why *why, const struct why_moment *m)
{
	struct json_object *all = json_object_new_object();

	json_put_number(all, "version", 1);
	put_thread(all, p, m->leg);
	json_put_number(all, "at_ns", after_begin(p, m->at));
	put_text(all, "doing", doings[m->doing]);
	json_put_number(all, "begin_ns", after_begin(p, m->begin));
	json_put_number(all, "end_ns", after_begin(p, m->end));
	if (m->doing == WHY_WAS_BUSY)
		json_put_number(all, "ran_ns", m->ran);
	if (m->doing == WHY_WAITED_OFTEN) {
		json_put_number(all, "count", block_nr(&p->blocks.at[m->block]));
		json_put_number(all, "ns", block_ns(&p->blocks.at[m->block]));
	}
	if (m->doing == WHY_WAITED) {
		struct why_delay delay;

		why_delay_of_block(why, m->block, &delay);
		json_object_object_add(all, "steps", steps_of(p, why, m));
		json_object_object_add(all, "tree", why_tree_object(p, &delay, WHY_NO_STEP));
		why_delay_release(&delay);
	}
	fprintf(to, "%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
	return ferror(to) ? -EIO : 0;
}
