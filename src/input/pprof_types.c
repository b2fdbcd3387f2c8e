/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof_types.h"

#include "of_view.h"
#include "view.h"

#include "base/strbuf.h"

static const struct {
	const char *name;
	u64 scale; /* to ns; 0: no time */
	bool bytes;
} units[] = {
	{"nanoseconds", 1, false},
	{"ns", 1, false},
	{"microseconds", NSEC_PER_USEC, false},
	{"us", NSEC_PER_USEC, false},
	{"milliseconds", NSEC_PER_MSEC, false},
	{"ms", NSEC_PER_MSEC, false},
	{"seconds", NSEC_PER_SEC, false},
	{"s", NSEC_PER_SEC, false},
	{"bytes", 0, true},
	{"byte", 0, true},
};

static const char *interned(struct strings *names, struct string s)
{
	return strings_get(names, strings_add(names, s.s, s.size)).s;
}

static struct string type_name(const struct pprof_tables *t, size_t type)
{
	return pprof_string(t, t->types.at[type].type);
}

/* A count is of what its type is; other units have their own names. */
static struct unit unit_of(const struct pprof_tables *t, size_t type, struct strings *names,
			   u64 *scale)
{
	struct string unit = pprof_string(t, t->types.at[type].unit), name = type_name(t, type);

	*scale = 1;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!string_is(unit, units[i].name))
			continue;
		if (units[i].bytes)
			return (struct unit){.name = "bytes", .divisor = 1, .bytes = true};
		*scale = units[i].scale;
		return (struct unit){.name = "us", .divisor = 1000, .time = true};
	}
	if (unit.size && !string_is(unit, "count"))
		name = unit;
	return (struct unit){.name = name.size ? interned(names, name) : "count", .divisor = 1};
}

static void list_types(const struct pprof_tables *t, struct strbuf *b, size_t but)
{
	for (size_t i = 0; i < min(t->types.nr, (size_t)16); i++) {
		struct string name = type_name(t, i);

		if (i == but)
			continue;
		strbuf_adds(b, b->size ? ", " : "");
		strbuf_add_safe_utf8(b, name.s, min(name.size, (size_t)64));
	}
}

/* By name; of two that have it, the last one. NR: there is none. */
static size_t type_by_name(const struct pprof_tables *t, struct string name)
{
	size_t i = t->types.nr;

	while (i-- > 0) {
		struct string type = type_name(t, i);

		if (type.size == name.size && !memcmp(type.s, name.s, name.size))
			return i;
	}
	return t->types.nr;
}

/* The best type that it has for the view. */
static int choose_of_view(const struct pprof_tables *t, struct input *in,
			  struct pprof_choice *choice)
{
	const struct view *view = in->options->view;
	_cleanup_strbuf_ struct strbuf all = {};
	const char *name;

	for (size_t i = 0; (name = view_type(view, in->options->metric, i)); i++) {
		choice->type = type_by_name(t, (struct string){name, strlen(name)});
		if (choice->type == t->types.nr)
			continue;
		choice->unit = unit_of(t, choice->type, in->names, &choice->scale);
		return 0;
	}
	list_types(t, &all, SIZE_MAX);
	return fail(in->error, -EINVAL,
		    "cannot draw %s: %s has no %s; it has %s. `wick flame` draws these.",
		    view->name, in->lines->name, in->options->metric, all.s);
}

/* As `go tool pprof` has it, the last type is the default where the profile does not name one. */
int pprof_choose(const struct pprof_tables *t, struct input *in, struct pprof_choice *choice)
{
	const char *metric = in->options->metric;
	struct string wanted = pprof_string(t, t->default_type);
	_cleanup_strbuf_ struct strbuf others = {};

	if (in->options->view)
		return choose_of_view(t, in, choice);
	if (metric)
		wanted = (struct string){metric, strlen(metric)};
	choice->type = type_by_name(t, wanted);
	if (choice->type == t->types.nr && metric) {
		list_types(t, &others, SIZE_MAX);
		return fail(in->error, -EINVAL, "%s has no %s; it has %s", in->lines->name, metric,
			    others.s);
	}
	choice->type = min(choice->type, t->types.nr - 1);
	choice->unit = unit_of(t, choice->type, in->names, &choice->scale);
	list_types(t, &others, choice->type);
	if (t->types.nr > 1 && !in->files->choice[0])
		snprintf(in->files->choice, sizeof(in->files->choice),
			 "%s: drawn is %s, and not %s; --metric NAME chooses", in->lines->name,
			 interned(in->names, type_name(t, choice->type)), others.s);
	return 0;
}
