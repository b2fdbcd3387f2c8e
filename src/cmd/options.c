/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <argp.h>

#include "wick_glob.h"

enum long_option {
	OPT_FORMAT = 256,
	OPT_GROUP,
	OPT_ANNOTATE,
	OPT_UNWIND,
	OPT_TITLE,
	OPT_SUBTITLE,
	OPT_COLORS,
	OPT_WIDTH,
	OPT_MINWIDTH,
	OPT_REVERSE,
	OPT_INVERTED,
	OPT_STATS,
	OPT_SELF,
	OPT_MAX_KEYS,
	OPT_UNWIND_MEMORY,
	OPT_STATE,
	OPT_WALK_ABOVE,
	OPT_DEPTH,
	OPT_SWITCH_HOOK,
	OPT_NO_NEVER_RAN,
	OPT_NO_STILL_BLOCKED,
	OPT_METRIC,
};

#define OPTION(long_name, short_name, argument, text)                                              \
	{                                                                                          \
		.name = long_name, .key = short_name, .arg = argument, .doc = text                 \
	}

static const struct argp_option table[] = {
	{.doc = "What to watch:", .group = 1},
	OPTION("duration", 'd', "SECONDS", "how long (30; with -- program: until it ends)"),
	OPTION("frequency", 'F', "HZ", "CPU samples a second, on each CPU (99)"),
	OPTION("all", 'a', NULL, "the whole host also with -- program"),
	OPTION("pid", 'p', "PID,..", "only these processes, with all their threads"),
	OPTION("tid", 't', "TID,..", "only these threads"),
	OPTION("comm", 'c', "GLOB", "only threads whose name matches: * ? [a-z]"),
	OPTION("cgroup", 'G', "CGROUP", "only this cgroup (v2) and all below it"),
	OPTION("cpu", 'C', "LIST", "only these CPUs: 0-3,8"),
	OPTION(NULL, 'u', NULL, "user threads only"),
	OPTION(NULL, 'k', NULL, "kernel threads only"),
	OPTION(NULL, 'U', NULL, "user frames only; samples and totals stay"),
	OPTION(NULL, 'K', NULL, "kernel frames only; samples and totals stay"),
	OPTION("idle", 'I', NULL, "include the idle task"),
	OPTION("self", OPT_SELF, NULL, "include wick itself"),
	OPTION("unwind", OPT_UNWIND, "auto|fp", "how to walk user stacks (auto)"),
	OPTION("unwind-memory", OPT_UNWIND_MEMORY, "MB",
	       "for unwind tables, at most, half of it in the kernel; what was not sampled for longest is "
	       "dropped, and made again (256)"),
	OPTION("max-keys", OPT_MAX_KEYS, "N",
	       "room for distinct (thread, stack) pairs a second that the kernel counts, which are those with "
	       "--unwind fp and those without a user stack; what finds none is kept as [lost keys]"),
	OPTION(NULL, 'm', "USEC", "waiting: leave out shorter blocks (switch-out to wakeup)"),
	OPTION(NULL, 'M', "USEC", "waiting: leave out longer blocks"),
	OPTION("walk-above", OPT_WALK_ABOVE, "USEC",
	       "waiting: blocks are walked from here on, of shorter ones a part that stands for all; 0: "
	       "every one (1000)"),
	OPTION("depth", OPT_DEPTH, "N", "chain: wakers of wakers, at most (8; to 32)"),
	OPTION("switch-hook", OPT_SWITCH_HOOK, "NAME",
	       "waiting: where threads are walked; `wick list` shows them (the best that loads)"),
	{.key = 'g', .flags = OPTION_HIDDEN},

	{.doc = "What to write:", .group = 2},
	OPTION("output", 'o', "FILE",
	       "may be repeated; the suffix says the format; - is standard output "
	       "(VIEW-HOST-YYYYMMDD-HHMMSS.svg); of record: a directory"),
	OPTION("format", OPT_FORMAT, "NAME", "where no suffix says it: see `wick list`"),
	OPTION("folded", 'f', NULL, "short for -o - --format folded"),
	OPTION("group", OPT_GROUP, "WHAT", "root frame: comm, pid, tid, cgroup or none (comm)"),
	OPTION("metric", OPT_METRIC, "NAME",
	       "what width means: samples, us, ns or count (the view's own)"),
	OPTION("state", OPT_STATE, "LETTERS",
	       "waiting: only these: S asleep, D uninterruptible, I idle kernel threads, T stopped, "
	       "R preempted, Q woken and waiting for a CPU"),
	OPTION("no-never-ran", OPT_NO_NEVER_RAN, NULL,
	       "waiting: without threads that did not run at all"),
	OPTION("no-still-blocked", OPT_NO_STILL_BLOCKED, NULL,
	       "waiting: without what had not ended when the run did"),
	OPTION("annotate", OPT_ANNOTATE, NULL,
	       "frame suffixes: _[k] kernel, _[i] inlined, _[j] JIT, _[w] waker"),
	OPTION("title", OPT_TITLE, "TEXT", "title of the picture"),
	OPTION("subtitle", OPT_SUBTITLE, "TEXT", "instead of what the run says of itself"),
	OPTION("colors", OPT_COLORS, "NAME",
	       "palette, as in flamegraph.pl: hot, mem, io, java, ..."),
	OPTION("width", OPT_WIDTH, "PIXELS", "of the picture (1200)"),
	OPTION("minwidth", OPT_MINWIDTH, "PIXELS", "narrower boxes are not drawn (0.1)"),
	OPTION("reverse", OPT_REVERSE, NULL, "stacks from leaf to root"),
	OPTION("inverted", OPT_INVERTED, NULL, "roots at the top (icicle)"),

	{.doc = "What to say:", .group = 3},
	OPTION("stats", OPT_STATS, NULL, "costs, losses and names in full"),
	OPTION("quiet", 'q', NULL, "no progress, no summary"),
	OPTION("verbose", 'v', NULL, "with the BPF loader's log when it fails"),
	OPTION("help", 'h', NULL, "this text"),
	{},
};

static double number(const char *text, double low, double high, const char *what,
		     struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high))
		argp_error(state, "bad %s: '%s'; it takes a number from %g to %g", what, text, low,
			   high);
	return value;
}

static u64 whole_number(const char *text, u64 low, u64 high, const char *what,
			struct argp_state *state)
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

/* In nanoseconds. */
static u64 microseconds(const char *text, u64 low, const char *what, struct argp_state *state)
{
	return whole_number(text, low, 1000000000000ull, what, state) * NSEC_PER_USEC;
}

/* "1,2,3"; `ids` is a vec of u32. */
#define add_ids(ids, text, what, state)                                                            \
	do {                                                                                       \
		_cleanup_free_ char *copy = xstrdup(text);                                         \
		char *rest = copy, *id;                                                            \
		while ((id = strsep(&rest, ",")))                                                  \
			*vec_add(ids) = (u32)whole_number(id, 1, 4194304, what, state);            \
	} while (0)

static void add_output(struct run_options *o, const char *path, const struct format *format)
{
	*vec_add(&o->outputs) = (struct output_option){.path = path, .format = format};
}

static const struct format *named_format(const char *name, struct argp_state *state)
{
	const struct format *format = format_by_name(name);

	if (!format)
		argp_error(state, "no such format: '%s'; `wick list` shows them", name);
	return format;
}

static void set_unwind(struct run_options *o, const char *name, struct argp_state *state)
{
	if (strcmp(name, "auto") && strcmp(name, "fp"))
		argp_error(state, "bad --unwind: '%s'; it takes auto or fp", name);
	o->collect.walk_fp = !strcmp(name, "fp");
}

static void check_glob(const char *pattern, struct argp_state *state)
{
	struct wick_glob glob;
	struct error error;

	if (wick_glob_compile(&glob, pattern, &error))
		argp_error(state, "%s", error.text);
}

static void check_cpus(const char *list, struct argp_state *state)
{
	_cleanup_free_ u32 *cpus = NULL;
	size_t nr;

	if (parse_cpu_list(list, &cpus, &nr))
		argp_error(state, "bad list of CPUs: '%s'; it looks like 0-3,8", list);
}

/* Options of an instrument that not every command uses. */
static const struct {
	int key;
	const char *name;
	struct view_needs needs;
} uses[] = {
	{'F', "-F", {.cpu = true}},
	{'I', "-I", {.cpu = true}},
	{'m', "-m", {.sched = true}},
	{'M', "-M", {.sched = true}},
	{OPT_STATE, "--state", {.sched = true}},
	{OPT_WALK_ABOVE, "--walk-above", {.sched = true}},
	{OPT_SWITCH_HOOK, "--switch-hook", {.sched = true}},
	{OPT_NO_NEVER_RAN, "--no-never-ran", {.sched = true}},
	{OPT_NO_STILL_BLOCKED, "--no-still-blocked", {.sched = true}},
	{OPT_DEPTH, "--depth", {.chains = true}},
};

/* What the command would have to do for the option to mean something; NULL: it does. */
static const char *lacking(const struct run_options *o, size_t use)
{
	const struct view_needs *needs = &uses[use].needs;

	if (needs->cpu && !o->needs.cpu)
		return "sample the CPUs";
	if (needs->sched && !o->needs.sched)
		return "watch threads wait";
	if (needs->chains && !o->needs.chains)
		return "follow chains of wakers";
	return NULL;
}

/* An option that could do nothing would be believed to have done something. */
static void check_use(const struct run_options *o, int key, struct argp_state *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == key && lacking(o, i))
			argp_error(state, "%s means nothing here: this command does not %s",
				   uses[i].name, lacking(o, i));
}

/* Help shows what the command takes. */
static void hide_unused(const struct run_options *o, struct argp_option *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == option->key && lacking(o, i))
			option->flags |= OPTION_HIDDEN;
}

static const char *named_switch_hook(const char *name, struct argp_state *state)
{
	_cleanup_strbuf_ struct strbuf names = {};

	for (size_t i = 0; i < nr_switch_hooks; i++) {
		if (!strcmp(switch_hooks[i].name, name))
			return switch_hooks[i].name;
		strbuf_addf(&names, "%s%s", i ? ", " : "", switch_hooks[i].name);
	}
	argp_error(state, "no such switch hook: '%s'; there are %s", name, names.s);
	return NULL;
}

static void set_states(struct run_options *o, const char *letters, struct argp_state *state)
{
	if (states_by_letters(letters, &o->view.states))
		argp_error(
			state,
			"bad --state: '%s'; it takes letters: S asleep, D uninterruptible, I idle "
			"kernel threads, T stopped, R preempted, Q woken and waiting for a CPU",
			letters);
}

/* --metric has to be known to all views: half a record with another width would mislead. */
static void check_metric(const struct run_options *o, struct argp_state *state)
{
	for (size_t i = 0; i < o->drawing.nr_views; i++) {
		const struct view *view = &o->drawing.views[i];
		_cleanup_strbuf_ struct strbuf names = {};

		if (metric_by_name(view, o->metric))
			continue;
		for (size_t k = 0; k < MAX_METRICS && view->metrics[k].unit.name; k++)
			strbuf_addf(&names, "%s%s", k ? ", " : "", view->metrics[k].unit.name);
		argp_error(state, "bad --metric: '%s'; the %s view has %s", o->metric, view->name,
			   names.s);
	}
}

static int parse_draw(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case OPT_TITLE:
		o->caption.title = arg;
		return 0;
	case OPT_SUBTITLE:
		o->caption.subtitle = arg;
		return 0;
	case OPT_COLORS:
		if (!palette_exists(arg))
			argp_error(state, "no such palette: '%s'; `wick list` shows them", arg);
		o->caption.colors = arg;
		return 0;
	case OPT_WIDTH:
		o->caption.width = (unsigned int)whole_number(arg, 200, 20000, "width", state);
		return 0;
	case OPT_MINWIDTH:
		o->caption.min_width = number(arg, 0, 1000, "minimum width", state);
		return 0;
	case OPT_REVERSE:
		o->view.reverse = o->caption.reverse = true;
		return 0;
	case OPT_INVERTED:
		o->caption.inverted = true;
		return 0;
	case OPT_ANNOTATE:
		o->caption.annotate = true;
		return 0;
	case OPT_GROUP:
		if (grouping_by_name(arg, &o->view.group))
			argp_error(state,
				   "bad --group: '%s'; it takes comm, pid, tid, cgroup or none",
				   arg);
		return 0;
	case OPT_METRIC:
		o->metric = arg;
		return 0;
	case 'o':
		add_output(o, arg, strcmp(arg, "-") ? format_by_path(arg) : NULL);
		return 0;
	case 'f':
		add_output(o, "-", format_by_name("folded"));
		return 0;
	case OPT_FORMAT:
		o->format = named_format(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int parse_filter(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'p':
		add_ids(&o->pids, arg, "process id", state);
		break;
	case 't':
		add_ids(&o->tids, arg, "thread id", state);
		break;
	case 'c':
		check_glob(arg, state);
		o->collect.comm = arg;
		break;
	case 'G':
		o->collect.cgroup = arg;
		break;
	case 'C':
		check_cpus(arg, state);
		o->collect.cpus = arg;
		break;
	case 'u':
		o->collect.user_threads = true;
		break;
	case 'k':
		o->collect.kernel_threads = true;
		break;
	case 'U':
		o->collect.user_frames = true;
		break;
	case 'K':
		o->collect.kernel_frames = true;
		break;
	case 'I':
		o->collect.idle = true;
		break;
	case 'm':
		o->collect.min_block_ns = microseconds(arg, 1, "shortest block", state);
		break;
	case 'M':
		o->collect.max_block_ns = microseconds(arg, 1, "longest block", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	strbuf_addf(&o->filters, "%s-%c%s%s", o->filters.size ? " " : "", key, arg ? " " : "",
		    arg ? arg : "");
	return 0;
}

/* Of threads that wait. */
static int parse_waits(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case OPT_STATE:
		set_states(o, arg, state);
		return 0;
	case OPT_NO_NEVER_RAN:
		o->view.no_never_ran = true;
		return 0;
	case OPT_NO_STILL_BLOCKED:
		o->view.no_still_blocked = true;
		return 0;
	case OPT_WALK_ABOVE:
		o->collect.walk_above_ns = microseconds(arg, 0, "--walk-above", state);
		return 0;
	case OPT_DEPTH:
		o->collect.depth = (u32)whole_number(arg, 1, 32, "--depth", state);
		return 0;
	case OPT_SWITCH_HOOK:
		o->collect.switch_hook = named_switch_hook(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int parse_run(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'd':
		o->collect.duration_ns =
			(u64)(number(arg, 0.01, 1e7, "duration", state) * (double)NSEC_PER_SEC);
		return 0;
	case 'F':
		o->collect.frequency = (u32)whole_number(arg, 1, 100000, "frequency", state);
		return 0;
	case 'a':
		o->collect.all = true;
		return 0;
	case OPT_SELF:
		o->collect.self = true;
		return 0;
	case OPT_UNWIND:
		set_unwind(o, arg, state);
		return 0;
	case OPT_UNWIND_MEMORY:
		o->collect.unwind_bytes =
			whole_number(arg, 2, 2048, "memory for unwind tables", state) << 20;
		return 0;
	case OPT_MAX_KEYS:
		o->collect.max_keys = (u32)whole_number(arg, 1, 1 << 24, "number of keys", state);
		return 0;
	case OPT_STATS:
		o->stats = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->collect.verbose = true;
		return 0;
	case 'g':
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void choose_formats(struct run_options *o, struct argp_state *state)
{
	if (!o->outputs.nr && o->drawing.text && !o->format)
		add_output(o, "-", format_by_name("text"));
	if (!o->outputs.nr)
		add_output(o, NULL, o->format ? o->format : format_by_name("svg"));
	vec_for_each (&o->outputs, output) {
		if (!output->format)
			output->format = o->format;
		if (!output->format && output->path && strcmp(output->path, "-"))
			argp_error(
				state,
				"no format has the suffix of '%s'; name one with --format, or use "
				".svg, .folded or .txt",
				output->path);
		if (!output->format)
			output->format = format_by_name("text");
	}
}

/* One directory, in which each view is a file of each format. */
static void check_directory(struct run_options *o, struct argp_state *state)
{
	if (o->outputs.nr > 1)
		argp_error(state, "one -o is enough: it names the directory for all files");
	if (!o->outputs.nr)
		add_output(o, NULL, NULL);
	else if (!strcmp(o->outputs.at[0].path, "-"))
		argp_error(state, "there is more than one file to write: -o names a directory, and "
				  "standard output is none");
}

/* What can be judged only when all options are known. */
static void check(struct run_options *o, struct argp_state *state)
{
	struct collect_options *c = &o->collect;

	if (c->user_threads && c->kernel_threads)
		argp_error(state, "-u and -k leave no threads: give one of them");
	if (c->user_frames && c->kernel_frames)
		argp_error(state, "-U and -K leave no frames: give one of them");
	if (c->max_block_ns && c->min_block_ns > c->max_block_ns)
		argp_error(state, "-m is more than -M: that leaves no blocks");
	if (o->drawing.nr_views == 1 && o->drawing.views->only_woken && o->view.states &&
	    !(o->view.states & ~(u32)STATES_RUNNABLE))
		argp_error(state,
			   "--state leaves nothing: threads that are preempted or wait for a CPU "
			   "have no waker; S, D, I and T have one");
	check_metric(o, state);
	if (o->drawing.directory)
		check_directory(o, state);
	else
		choose_formats(o, state);
	if (!c->duration_ns && !c->program)
		c->duration_ns = 30 * NSEC_PER_SEC;
	if (!c->unwind_bytes)
		c->unwind_bytes = 256 << 20;
	/* A walk in user space for every sample, as long as that is no flood. */
	c->copies = max(400u, min(c->frequency + c->frequency / 4, 1250u));
	c->pids = o->pids.at;
	c->nr_pids = o->pids.nr;
	c->tids = o->tids.at;
	c->nr_tids = o->tids.nr;
}

/* The program's name only: arguments may hold secrets, and pictures are shared. */
static void note_program(struct run_options *o)
{
	const char *path = o->collect.program[0], *slash = strrchr(path, '/');

	if (!o->collect.all)
		strbuf_addf(&o->filters, "%s-- %s", o->filters.size ? " " : "",
			    slash ? slash + 1 : path);
}

static int parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	if (key == ARGP_KEY_ARGS) {
		/* Options end at the program's name: `wick cpu sleep 1` and `wick cpu -- sleep 1`. */
		o->collect.program = state->argv + state->next;
		note_program(o);
		return 0;
	}
	if (key == ARGP_KEY_END) {
		check(o, state);
		return 0;
	}
	check_use(o, key, state);
	if (!parse_filter(key, arg, state) || !parse_draw(key, arg, state) ||
	    !parse_waits(key, arg, state))
		return 0;
	return parse_run(key, arg, state);
}

/* What the views need together, the run has to observe. */
static void set_needs(struct run_options *o)
{
	for (size_t i = 0; i < o->drawing.nr_views; i++) {
		const struct view_needs *needs = &o->drawing.views[i].needs;

		o->needs.cpu |= needs->cpu;
		o->needs.sched |= needs->sched;
		o->needs.wakers |= needs->wakers;
		o->needs.chains |= needs->chains;
		o->needs.threads |= needs->threads;
	}
	o->collect.cpu = o->needs.cpu;
	o->collect.sched = o->needs.sched;
	o->collect.wakers = o->needs.wakers;
	o->collect.chains = o->needs.chains;
	o->collect.threads = o->needs.threads;
}

void run_options_parse(struct run_options *o, const struct drawing *drawing, int argc, char **argv,
		       const char *doc)
{
	struct argp_option options[ARRAY_SIZE(table)];
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[-- PROGRAM [ARGS...]]",
		.doc = doc,
	};

	*o = (struct run_options){
		.drawing = *drawing,
		.collect = {.frequency = 99, .depth = 8, .walk_above_ns = NSEC_PER_MSEC},
		.caption = {.width = 1200, .min_width = 0.1},
	};
	set_needs(o);
	memcpy(options, table, sizeof(table));
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		hide_unused(o, &options[i]);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, o);
}

void run_options_release(struct run_options *o)
{
	vec_release(&o->pids);
	vec_release(&o->tids);
	vec_release(&o->outputs);
	strbuf_release(&o->filters);
}
