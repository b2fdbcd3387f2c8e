/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_delay.c: what a delay was for is a tree with many small branches. The largest ones of all
 * levels are said, so that a root which has most of the time is, however deep it lies.
 */
#include "words_delay.h"

#include "format.h"
#include "why_text.h"

enum {
	LEAST_PERCENT = 3, /* of its delay: what is less is not said */
	MOST_BRANCHES = 64,
	MOST_INDENT = 12,
	STEPS = 8, /* of the worst case */
	WORST_INDENT = 11,
	OTHER_LINES = 5, /* than branches */
};

static double ms(u64 ns)
{
	return (double)ns / 1e6;
}

/* ---- branches */

/* Refs of nodes, those that are said, in the order of their delay's: after their parents. */
struct branches {
	u32 nodes[MOST_BRANCHES];
	u32 nr;
};

static bool has_node(const struct branches *b, u32 node)
{
	for (u32 i = 0; i < b->nr; i++)
		if (b->nodes[i] == node)
			return true;
	return false;
}

/* The largest that is not in `b`, and whose parent is; of equal ones, the first. */
static u32 next_branch(const struct why_delay *delay, const struct branches *b)
{
	u32 largest = WHY_NO_STEP;

	for (u32 i = 0; i < delay->nodes.nr; i++) {
		const struct why_node *node = &delay->nodes.at[i];

		if (node->ns * 100 < delay->ns * LEAST_PERCENT ||
		    (largest != WHY_NO_STEP && node->ns <= delay->nodes.at[largest].ns))
			continue;
		if (!has_node(b, i) && (node->parent == WHY_NO_STEP || has_node(b, node->parent)))
			largest = i;
	}
	return largest;
}

static struct branches largest_branches(const struct why_delay *delay, u32 most)
{
	struct branches b = {};

	while (b.nr < min(most, (u32)MOST_BRANCHES)) {
		u32 next = next_branch(delay, &b);

		if (next == WHY_NO_STEP)
			break;
		b.nodes[b.nr++] = next;
	}
	return b;
}

/* They were found in the order of their sizes. */
static void add_below(struct fitted *lines, const struct profile *p, const struct why_delay *delay,
		      const struct branches *b, u32 parent, u32 indent, u32 level)
{
	for (u32 i = 0; i < b->nr; i++) {
		const struct why_node *node = &delay->nodes.at[b->nodes[i]];
		_cleanup_strbuf_ struct strbuf line = {};

		if (node->parent != parent)
			continue;
		strbuf_addf(&line, "%*s%10.1f ms  ",
			    (int)(indent + min(2 * level, (u32)MOST_INDENT)), "", ms(node->ns));
		why_add_node(&line, p, node);
		fitted_add(lines, &line);
		add_below(lines, p, delay, b, b->nodes[i], indent, level + 1);
	}
}

void add_branches(struct fitted *lines, const struct profile *p, const struct why_delay *delay,
		  u32 indent, u32 most)
{
	struct branches b = largest_branches(delay, most);

	add_below(lines, p, delay, &b, WHY_NO_STEP, indent, 0);
}

/* One that says no more than the delay's first line. */
static bool is_own_wait(const struct why_delay *delay, const struct why_node *node)
{
	return node->parent == WHY_NO_STEP && !node->label.held &&
	       node->label.comm == delay->waiter.comm &&
	       node->label.function == delay->waiter.function &&
	       (node->label.what == WHY_INTERRUPT || node->label.what == WHY_UNKNOWN);
}

static void add_branches_that_tell(struct fitted *lines, const struct profile *p,
				   const struct why_delay *delay, u32 most)
{
	struct branches b = largest_branches(delay, most);

	if (b.nr != 1 || !is_own_wait(delay, &delay->nodes.at[b.nodes[0]]))
		add_below(lines, p, delay, &b, WHY_NO_STEP, 4, 0);
}

/* Is there more to say than that the thread waited? */
static bool has_steps(const struct why_delay *delay)
{
	return delay->nodes.nr > 1 ||
	       (delay->nodes.nr &&
		(delay->nodes.at[0].label.held || (delay->nodes.at[0].label.what != WHY_INTERRUPT &&
						   delay->nodes.at[0].label.what != WHY_UNKNOWN)));
}

/* ---- the worst case */

static u32 largest_below(const struct why_delay *delay, u32 parent)
{
	u32 largest = WHY_NO_STEP;

	for (u32 i = 0; i < delay->nodes.nr; i++)
		if (delay->nodes.at[i].parent == parent &&
		    (largest == WHY_NO_STEP || delay->nodes.at[i].ns > delay->nodes.at[largest].ns))
			largest = i;
	return largest;
}

/* From thread to thread, where most of its time went. */
static void add_worst_steps(struct strbuf *line, const struct profile *p,
			    const struct why_delay *worst)
{
	u32 node = largest_below(worst, WHY_NO_STEP);

	for (u32 i = 0; node != WHY_NO_STEP && i < STEPS; i++) {
		strbuf_addf(line, "%s%.1f ", i ? " < " : ": ", ms(worst->nodes.at[node].ns));
		why_add_label(line, p, &worst->nodes.at[node].label);
		node = largest_below(worst, node);
	}
}

static void add_worst_case(struct fitted *lines, struct why *why, const struct profile *p,
			   const struct why_delay *delay)
{
	const struct block *block = &p->blocks.at[delay->worst];
	_cleanup_(why_delay_release) struct why_delay worst = {};
	_cleanup_strbuf_ struct strbuf line = {};

	if (delay->waiter.class == WHY_CPU)
		why_delay_of_cpu_wait(why, delay->worst, &worst);
	else
		why_delay_of_block(why, delay->worst, &worst);
	strbuf_addf(&line, "    worst: %.1f ms at ", ms(delay->longest));
	add_seconds(&line, block->begin - min(block->begin, p->begin));
	strbuf_adds(&line, " in ");
	why_add_thread(&line, p, block->leg);
	if (has_steps(&worst))
		add_worst_steps(&line, p, &worst);
	fitted_add_advice(lines, &line, WORST_INDENT);
}

/* ---- what was waited for */

/* Things with one name. */
struct things {
	struct strbuf name;
	size_t nr;
	u64 ns;
};

struct named {
	struct things at[WHY_MOST_OBJECTS];
	size_t nr;
};

static void named_release(struct named *named)
{
	for (size_t i = 0; i < named->nr; i++)
		strbuf_release(&named->at[i].name);
}

static void add_thing(struct named *named, struct strbuf *name, u64 ns)
{
	size_t i = 0;

	while (i < named->nr && strcmp(named->at[i].name.s, name->s))
		i++;
	if (i == named->nr)
		strbuf_add(&named->at[named->nr++].name, name->s, name->size);
	named->at[i].nr++;
	named->at[i].ns += ns;
}

/* Of a sleep, there is no more to say than that. */
static void find_things(struct named *named, const struct profile *p, const why_objects *objects)
{
	vec_for_each (objects, object) {
		_cleanup_strbuf_ struct strbuf name = {};

		if (object->kind == WICK_OBJECT_TIMER)
			continue;
		if (objects->nr > 1)
			why_add_object_briefly(&name, p, object);
		else
			why_add_object(&name, p, object);
		if (name.size)
			add_thing(named, &name, object->ns);
	}
}

static const struct things *most_of(const struct named *named)
{
	const struct things *most = named->at;

	for (size_t i = 1; i < named->nr; i++)
		if (named->at[i].ns > most->ns)
			most = &named->at[i];
	return most;
}

/* "for signalfd, 8 of them", "for file /x, 40 %, and 3 others" */
static void add_objects(struct fitted *lines, const struct profile *p,
			const struct why_delay *delay)
{
	const char *more = delay->objects.nr == WHY_MOST_OBJECTS ? "at least " : "";
	_cleanup_(named_release) struct named named = {};
	_cleanup_strbuf_ struct strbuf line = {};
	const struct things *most;

	find_things(&named, p, &delay->objects);
	if (!named.nr)
		return;
	most = most_of(&named);
	strbuf_adds(&line, "    for ");
	strbuf_add(&line, most->name.s, most->name.size);
	if (most->nr > 1)
		strbuf_addf(&line, ", %s%zu of them", more, most->nr);
	if (named.nr > 1)
		strbuf_addf(&line, ", %.0f %%, and %s%zu other%s", percent(most->ns, delay->ns),
			    more, named.nr - 1, plural(named.nr - 1));
	fitted_add(lines, &line);
}

/* ---- all of it */

/* Are waits that were not looked at a part of the sum that can be seen? */
static bool is_estimate(const struct why_delay *delay)
{
	return delay->estimated * 100 >= delay->ns;
}

void add_delay_lines(struct fitted *lines, struct why *why, const struct profile *p,
		     const struct why_delay *delay, u32 most)
{
	size_t nr = delay->lengths.nr;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "%10.1f ms  %-9s ", ms(delay->ns), why_class_names[delay->waiter.class]);
	why_add_place(&line, p, &delay->waiter);
	fitted_add(lines, &line);
	strbuf_addf(&line, "    %zu time%s%s: median %.1f, p99 %.1f, longest %.1f ms", nr,
		    plural(nr), is_estimate(delay) ? ", and shorter ones" : "",
		    ms(delay->lengths.at[nr / 2]), ms(delay->lengths.at[nr - 1 - nr / 100]),
		    ms(delay->longest));
	fitted_add(lines, &line);
	add_objects(lines, p, delay);
	if (has_steps(delay))
		add_branches_that_tell(lines, p, delay, most - OTHER_LINES);
	add_worst_case(lines, why, p, delay);
}
