/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor_programs.h"

#include <json-c/json.h>

#include "base/numbers.h"

/* ---- the trials */

static const struct collect_options defaults = {
	.frequency = 99,
	.depth = 8,
	.walk_above_ns = NSEC_PER_MSEC,
	.copies = 800,
};

/* Does what includes this part work? */
static bool is_settled(const struct trials *t, size_t part)
{
	for (size_t i = 0; i < part; i++)
		if (t->at[i].works && part_includes(i, part))
			return true;
	return false;
}

static void judge(struct trial_row *row)
{
	row->tried = true;
	row->works = !row->trial.err;
	if (!row->works)
		strbuf_adds(&row->why, row->trial.reason.s);
}

static void try_part(struct trials *t, size_t i)
{
	struct trial_row *row = &t->at[i];
	const struct collect_options options = part_options(&defaults, i);

	row->name = part_at(i).name;
	row->works = is_settled(t, i);
	if (row->works || part_is_missing(i, &row->why))
		return;
	try_programs(&options, true, &row->trial);
	judge(row);
}

void trials_run(struct trials *t)
{
	static char name[] = "program", *const program[] = {name, NULL};
	struct collect_options family = family_options(&defaults);

	*t = (struct trials){};
	for (size_t i = 0; i < NR_PARTS; i++)
		try_part(t, i);
	family.program = program;
	t->at[FAMILY].name = "family";
	try_programs(&family, true, &t->at[FAMILY].trial);
	judge(&t->at[FAMILY]);
	t->at[KERNEL_NAMES].name = "kernel names";
	try_kernel_names(&t->at[KERNEL_NAMES].trial);
	judge(&t->at[KERNEL_NAMES]);
}

void trials_release(struct trials *t)
{
	for (size_t i = 0; i < NR_TRIALS; i++) {
		trial_release(&t->at[i].trial);
		strbuf_release(&t->at[i].why);
	}
}

/* ---- the row */

const char *trials_why_not(const struct trials *t, const struct view *view)
{
	for (size_t i = 0; i < NR_PARTS; i++)
		if (!t->at[i].works && view_needs_part(view, i))
			return t->at[i].why.s ? t->at[i].why.s : "";
	return NULL;
}

const struct view *doctor_view(size_t i)
{
	return i < NR_VIEWS ? views[i] : i == NR_VIEWS ? &threads_view : NULL;
}

static bool is_refused(const struct trial_row *row)
{
	return row->tried && !row->works;
}

/* The views that fail for this reason. */
static void add_victims(const struct trials *t, struct strbuf *to, const char *why)
{
	const struct view *view;
	bool first = true;

	for (size_t i = 0; (view = doctor_view(i)); i++) {
		const char *this = trials_why_not(t, view);

		if (!this || strcmp(this, why))
			continue;
		strbuf_addf(to, "%s%s", first ? "" : ", ", view->name);
		first = false;
	}
}

static void add_working(const struct trials *t, struct strbuf *to)
{
	const struct view *view;
	size_t nr = 0;

	for (size_t i = 0; (view = doctor_view(i)); i++)
		if (!trials_why_not(t, view))
			strbuf_addf(to, "%s%s", nr++ ? ", " : ". What works: ", view->name);
	if (!nr)
		strbuf_adds(to, ". No view works");
}

static bool is_said_before(const struct trials *t, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (is_refused(&t->at[i]) && !strcmp(t->at[i].why.s, t->at[row].why.s))
			return true;
	return false;
}

static void add_refusal(const struct trials *t, struct strbuf *to, size_t row)
{
	_cleanup_strbuf_ struct strbuf victims = {};

	if (row == FAMILY)
		strbuf_adds(&victims, "-- program");
	else if (row == KERNEL_NAMES)
		strbuf_adds(&victims, "names of kernel functions are those of /proc/kallsyms");
	else
		add_victims(t, &victims, t->at[row].why.s);
	/* What includes parts that work has no victims of its own. */
	if (!victims.size)
		return;
	strbuf_addf(to, "%s%s%s: %s", to->size ? "; " : "", row == KERNEL_NAMES ? "" : "without ",
		    victims.s, t->at[row].why.s);
}

enum probe_result trials_judge(const struct trials *t, struct strbuf *seen, struct strbuf *fix)
{
	enum probe_result result = PROBE_OK;
	bool to_report = false;
	size_t nr = 0;
	u64 ns = 0;

	for (size_t i = 0; i < NR_TRIALS; i++) {
		enum probe_result costs = i == KERNEL_NAMES ? PROBE_LESS : PROBE_MISSING;

		nr += t->at[i].trial.programs.nr;
		ns += t->at[i].trial.load_ns;
		if (!is_refused(&t->at[i]))
			continue;
		to_report |= t->at[i].trial.err == -ENOEXEC;
		result = max(result, costs);
		if (!is_said_before(t, i))
			add_refusal(t, seen, i);
	}
	if (result == PROBE_OK) {
		strbuf_addf(seen, "this kernel takes them: %zu, loaded in %.0f ms", nr,
			    (double)ns / 1e6);
		return result;
	}
	add_working(t, seen);
	strbuf_adds(fix, to_report ? "please report this with the output of `wick doctor`"
				   : "see the rows above");
	return result;
}

/* ---- the figures */

void trials_print(const struct trials *t, FILE *to)
{
	fprintf(to, "\n%-20s %-18s %12s %8s %6s %7s %6s\n", "program", "of", "instructions",
		"states", "stack", "frames", "ms");
	for (size_t i = 0; i < NR_TRIALS; i++) {
		vec_for_each (&t->at[i].trial.programs, p) {
			_cleanup_strbuf_ struct strbuf number = {};

			strbuf_add_number(&number, p->processed);
			fprintf(to, "%-20s %-18s %12s %8u %6u %7u %6.1f\n", p->name, t->at[i].name,
				number.s, p->states, p->stack_bytes, p->stack_frames,
				(double)p->verification_ns / 1e6);
		}
	}
}

static void put_text(struct json_object *to, const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, text, strlen(text));
	json_object_object_add(to, name, json_object_new_string(safe.s ? safe.s : ""));
}

static void put_number(struct json_object *to, const char *name, u64 value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

static struct json_object *verdict(const char *name, bool works, const char *why)
{
	struct json_object *to = json_object_new_object();

	put_text(to, "name", name);
	json_object_object_add(to, "works", json_object_new_boolean(works));
	put_text(to, "reason", works ? "" : why);
	return to;
}

static struct json_object *instruments_of(const struct trials *t)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < NR_TRIALS; i++) {
		const struct trial_row *row = &t->at[i];
		struct json_object *json =
			verdict(row->name, row->works, row->why.s ? row->why.s : "");

		if (row->tried)
			json_object_object_add(
				json, "load_ms",
				json_object_new_double((double)row->trial.load_ns / 1e6));
		json_object_array_add(to, json);
	}
	return to;
}

static struct json_object *views_of(const struct trials *t)
{
	struct json_object *to = json_object_new_array();
	const struct view *view;

	for (size_t i = 0; (view = doctor_view(i)); i++) {
		const char *why = trials_why_not(t, view);

		json_object_array_add(to, verdict(view->name, !why, why ? why : ""));
	}
	return to;
}

static void add_programs(struct json_object *to, const struct trial_row *row)
{
	vec_for_each (&row->trial.programs, p) {
		struct json_object *json = json_object_new_object();

		put_text(json, "name", p->name);
		put_text(json, "of", row->name);
		put_number(json, "instructions", p->processed);
		put_number(json, "instructions_limit", p->processed_limit);
		put_number(json, "states", p->states);
		put_number(json, "peak_states", p->peak_states);
		put_number(json, "stack_bytes", p->stack_bytes);
		put_number(json, "frames", p->stack_frames);
		json_object_object_add(json, "ms",
				       json_object_new_double((double)p->verification_ns / 1e6));
		json_object_array_add(to, json);
	}
}

void trials_add_json(const struct trials *t, struct json_object *to)
{
	struct json_object *programs = json_object_new_array();

	for (size_t i = 0; i < NR_TRIALS; i++)
		add_programs(programs, &t->at[i]);
	json_object_object_add(to, "instruments", instruments_of(t));
	json_object_object_add(to, "views", views_of(t));
	json_object_object_add(to, "programs", programs);
}
