/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <ctype.h>

#include "base/strbuf.h"
#include "collect.h"
#include "view.h"
#include "wick_glob.h"

enum { MAX_PID = 1 << 22 };

double number(const char *text, double low, double high, const char *what, struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high))
		argp_error(state, "bad %s: '%s'; it takes a number from %g to %g", what, text, low,
			   high);
	return value;
}

u64 whole_number(const char *text, u64 low, u64 high, const char *what, struct argp_state *state)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < low || value > high)
		argp_error(state, "bad %s: '%s'; it takes a whole number from %llu to %llu", what,
			   text, (unsigned long long)low, (unsigned long long)high);
	return value;
}

struct unit_letter {
	char letter;
	double of;
};

/*
 * A number with one of these letters behind it, or with none: in the unit of the first one.
 */
static double number_of_units(const char *text, const struct unit_letter *units, size_t nr,
			      double low, double high, const char *what, struct argp_state *state)
{
	size_t size = strlen(text);
	_cleanup_free_ char *digits = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (!size || text[size - 1] != units[i].letter)
			continue;
		digits = format("%.*s", (int)size - 1, text);
		return units[i].of *
		       number(digits, low / units[i].of, high / units[i].of, what, state);
	}
	return number(text, low, high, what, state);
}

u64 duration(const char *text, struct argp_state *state)
{
	static const struct unit_letter units[] = {
		{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 24 * 3600}};

	return (u64)(number_of_units(text, units, ARRAY_SIZE(units), 0.0001, 1e7, "duration",
				     state) *
		     (double)NSEC_PER_SEC);
}

u64 byte_size(const char *text, const char *what, struct argp_state *state)
{
	static const struct unit_letter units[] = {
		{'k', 1 << 10}, {'K', 1 << 10}, {'M', 1 << 20}, {'G', 1 << 30}};

	return (u64)number_of_units(text, units, ARRAY_SIZE(units), 1 << 10, 1e15, what, state);
}

u64 microseconds(const char *text, u64 low, const char *what, struct argp_state *state)
{
	return whole_number(text, low, 1000000000000ull, what, state) * NSEC_PER_USEC;
}

void add_ids(struct id_list *list, const char *text, const char *what, struct argp_state *state)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *id;

	while ((id = strsep(&rest, ",")))
		*vec_add(&list->ids) = (u32)whole_number(id, 1, MAX_PID, what, state);
}

const struct format *named_format(const char *name, struct argp_state *state)
{
	const struct format *format = format_by_name(name);

	if (!format)
		argp_error(state, "no such format: '%s'; `wick list` shows them", name);
	return format;
}

const char *named_palette(const char *name, struct argp_state *state)
{
	if (!palette_exists(name))
		argp_error(state, "no such palette: '%s'; `wick list` shows them", name);
	return name;
}

const char *named_background(const char *name, struct argp_state *state)
{
	if (!background_exists(name))
		argp_error(state,
			   "no such background: '%s'; there are yellow, blue, green, grey, and "
			   "colors as #rrggbb",
			   name);
	return name;
}

const char *checked_font(const char *families, struct argp_state *state)
{
	for (const char *c = families; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" ,-_'\"", *c))
			argp_error(state,
				   "bad font: '%s'; it takes families, like Verdana, sans-serif",
				   families);
	if (!*families)
		argp_error(state, "bad font: it takes families, like Verdana, sans-serif");
	return families;
}

const char *checked_encoding(const char *name, struct argp_state *state)
{
	static const char *const supersets[] = {"us-ascii",    "ascii", "iso-8859-",
						"windows-125", "koi8-", "shift_jis",
						"euc-",	       "gb",	"big5"};

	if (!strcasecmp(name, "utf-8") || !strcasecmp(name, "utf8"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(supersets); i++)
		if (!strncasecmp(name, supersets[i], strlen(supersets[i])) &&
		    !name[strspn(
			    name,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
			return name;
	argp_error(state,
		   "bad encoding: '%s'; it takes UTF-8, or a superset of ASCII, like ISO-8859-1",
		   name);
	return NULL;
}

const char *named_hook(const char *name, const struct hook *hooks, size_t nr,
		       struct argp_state *state)
{
	_cleanup_strbuf_ struct strbuf names = {};

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(hooks[i].name, name))
			return hooks[i].name;
		strbuf_addf(&names, "%s%s", i ? ", " : "", hooks[i].name);
	}
	argp_error(state, "no such hook: '%s'; there are %s", name, names.s);
	return NULL;
}

u32 named_states(const char *letters, struct argp_state *state)
{
	u32 states = 0;

	if (states_by_letters(letters, &states))
		argp_error(
			state,
			"bad --state: '%s'; it takes letters: S asleep, D uninterruptible, I idle "
			"kernel threads, T stopped, R preempted, Q woken and waiting for a CPU",
			letters);
	return states;
}

const char *checked_glob(const char *pattern, struct argp_state *state)
{
	struct wick_glob glob;
	struct error error;

	if (wick_glob_compile(&glob, pattern, &error))
		argp_error(state, "%s", error.text);
	return pattern;
}

const char *checked_cpus(const char *list, struct argp_state *state)
{
	_cleanup_free_ u32 *cpus = NULL;
	size_t nr;

	if (parse_cpu_list(list, &cpus, &nr))
		argp_error(state, "bad list of CPUs: '%s'; it looks like 0-3,8", list);
	return list;
}
