/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing.c: threads as they are, in a few lines. What hangs is looked for: so threads are grouped
 * by state, name and place, and the states that tell most come first. Listed one by one, idle
 * daemons would fill the screen.
 */
#include "summary.h"
#include "words.h"

enum {
	PLACES = 20,
	LONGEST_NS = 2, /* column of a sched sample */
};

static void print_kinds(FILE *to, const struct profile *p)
{
	static const char *const what[NR_LETTERS + 1] = {
		"asleep (S)",  "uninterruptible (D)", "idle kernel threads (I)",
		"stopped (T)", "preempted",	      "waiting for a CPU",
		"on a CPU",
	};
	_cleanup_strbuf_ struct strbuf line = {};
	u64 nr[NR_LETTERS + 1] = {}, all = 0;
	unsigned int kinds = 0;

	vec_for_each (&p->samples, sample) {
		nr[letter_index(sample->state)] += sample->column[0];
		all += sample->column[0];
	}
	strbuf_adds(&line, "threads   ");
	add_number(&line, all);
	for (size_t i = 0; i < ARRAY_SIZE(nr); i++)
		if (nr[i])
			strbuf_addf(&line, "%s %llu %s", kinds++ ? "," : ":",
				    (unsigned long long)nr[i], what[i]);
	print_line(to, &line);
}

/* Threads of one name, in one state, at one place. */
struct standing {
	u32 line; /* what is said of them */
	u32 state;
	u64 nr, longest;
};

struct standings {
	VEC_FIELDS(struct standing);
};

/* The state that tells most about a host that hangs comes first. */
static size_t gravity(u32 state)
{
	static const char order[] = "DTQRS";
	const char *at = strchr(order, (int)(state & WICK_STATE_LETTER));

	return at ? (size_t)(at - order) : sizeof(order);
}

static int compare_standing(const void *a, const void *b)
{
	const struct standing *x = a, *y = b;
	size_t gx = gravity(x->state), gy = gravity(y->state);

	if (gx != gy)
		return gx < gy ? -1 : 1;
	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	if (x->longest != y->longest)
		return x->longest > y->longest ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Idle kernel threads wait for nothing that could be late; who is on a CPU has no stack. */
static bool is_telling(const struct sample *sample)
{
	size_t letter = letter_index(sample->state);

	return letter < NR_LETTERS && STATE_LETTERS[letter] != 'I';
}

static void add_standing(struct standings *groups, struct strings *lines, struct profile *p,
			 const struct sample *sample)
{
	const struct block block = {.user = sample->user, .kernel = sample->kernel};
	_cleanup_strbuf_ struct strbuf line = {};
	struct standing *group;
	u32 ref;

	strbuf_addf(&line, "%c%s  ", (int)(sample->state & WICK_STATE_LETTER),
		    sample->state & WICK_STATE_IO ? " I/O" : "");
	add_string(&line, p, p->legs.at[sample->leg].comm);
	strbuf_adds(&line, "  ");
	block_where(p, &block, &line);
	ref = strings_add(lines, line.s, line.size);
	while (groups->nr <= ref)
		vec_add(groups);
	group = &groups->at[ref];
	group->line = ref;
	group->state = sample->state;
	group->nr += sample->column[0];
	group->longest = max(group->longest, sample->column[LONGEST_NS]);
}

static void print_groups(FILE *to, const struct standings *groups, const struct strings *lines)
{
	size_t shown = 0;
	u64 nr_left = 0;

	for (; shown < min(groups->nr, (size_t)PLACES) && groups->at[shown].nr; shown++) {
		const struct standing *group = &groups->at[shown];

		fprintf(to, "  %6llu %14.3f s  %s\n", (unsigned long long)group->nr,
			seconds(group->longest), strings_get(lines, group->line).s);
	}
	for (size_t i = shown; i < groups->nr; i++)
		nr_left += groups->at[i].nr;
	if (nr_left)
		fprintf(to, "  %6llu more, at other places\n", (unsigned long long)nr_left);
}

void print_standing(FILE *to, struct profile *p)
{
	struct standings groups = {};
	struct strings lines;

	strings_init(&lines);
	vec_for_each (&p->samples, sample)
		if (is_telling(sample))
			add_standing(&groups, &lines, p, sample);
	vec_sort(&groups, compare_standing);
	print_kinds(to, p);
	if (groups.nr)
		fprintf(to,
			"where     how many threads, the longest for how long, state, name, place\n");
	print_groups(to, &groups, &lines);
	vec_release(&groups);
	strings_release(&lines);
}
