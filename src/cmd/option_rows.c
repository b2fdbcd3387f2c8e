/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "option_rows.h"
#include "common_options.h"

#include "debuginfod.h"

const struct argp_option run_rows[] = {
	{.doc = "What to watch:", .group = 1},
	OPTION("duration", 'd', "SECONDS",
	       "how long, also as 5m or 24h (30; with -- program: until it ends)"),
	OPTION("frequency", 'F', "HZ", "CPU samples a second, on each CPU (99)"),
	OPTION("all", 'a', NULL, "the whole host also with -- program"),
	OPTION("pid", 'p', "PID,..", "only these processes, with all their threads"),
	OPTION("tid", 't', "TID,..", "only these threads"),
	OPTION("comm", 'c', "GLOB", "only threads whose own name matches: * ? [a-z]"),
	OPTION("process", OPT_PROCESS, "GLOB",
	       "only threads whose process's name matches, whatever their own is"),
	OPTION("cgroup", 'G', "CGROUP", "only this cgroup (v2) and all below it"),
	OPTION("cpu", 'C', "LIST", "only these CPUs: 0-3,8"),
	OPTION(NULL, 'u', NULL, "user threads only"),
	OPTION(NULL, 'k', NULL, "kernel threads only"),
	OPTION(NULL, 'U', NULL, "user frames only; samples and totals stay"),
	OPTION(NULL, 'K', NULL, "kernel frames only; samples and totals stay"),
	OPTION("idle-task", 'I', NULL, "CPU samples: include the idle task"),
	OPTION("self", OPT_SELF, NULL, "include wick itself"),
	OPTION("unwind", OPT_UNWIND, "auto|fp", "how to walk user stacks (auto)"),
	OPTION("no-python", OPT_NO_PYTHON, NULL,
	       "the interpreter's own functions instead of the Python ones that it runs"),
	OPTION("unwind-memory", OPT_UNWIND_MEMORY, "MB",
	       "limit for unwind tables, half of it in the kernel; the table that was not sampled for "
	       "longest is dropped, and made again when needed (256)"),
	OPTION("max-keys", OPT_MAX_KEYS, "N",
	       "room for distinct (thread, stacks, state) in a second; values that find none are kept as "
	       "[lost keys]"),
	OPTION(NULL, 'm', "USEC", "waiting: leave out shorter blocks (switch-out to wakeup)"),
	OPTION(NULL, 'M', "USEC", "waiting: leave out longer blocks"),
	OPTION("walk-above", OPT_WALK_ABOVE, "USEC",
	       "waiting: walk every block of at least this length, and of shorter ones a random part that "
	       "stands for all; 0: every one (1000)"),
	OPTION("budget", OPT_BUDGET, "PERCENT",
	       "waits, faults, brk, mmap: CPU time of the host that walking stacks may take; where it is "
	       "too little, fewer are walked, which stand for all (1)"),
	OPTION("depth", OPT_DEPTH, "N", "chain: follow at most this many wakers (8; up to 32)"),
	OPTION("switch-hook", OPT_SWITCH_HOOK, "NAME",
	       "waiting: where in the kernel threads are walked; `wick list` shows the choices (the best "
	       "that loads)"),
	OPTION("call-hook", OPT_CALL_HOOK, "NAME",
	       "brk, mmap: where in the kernel the calls are seen; `wick list` shows the choices (the best "
	       "that this kernel has)"),
	OPTION("resident", OPT_RESIDENT, "rss|faults",
	       "faults: count resident bytes as the kernel does, or one page for each fault (rss where the "
	       "kernel has it)"),
	OPTION("max-size", OPT_MAX_SIZE, "BYTES",
	       "end the run before its recording is larger, as in 500k, 200M, 2G (no limit)"),
	OPTION("max-memory", OPT_MAX_MEMORY, "BYTES",
	       "what wick itself may take, as in 500M, 2G: a recording alone goes on in a new part before "
	       "that, another run ends (a quarter of the host's, or half of what its cgroup may use)"),
	OPTION("input", 'i', "FILE.wick",
	       "draw this recording instead of collecting: of another time, host or architecture; or perf "
	       "script's text, a profile of pprof, folded text"),
	OPTION("from", OPT_FROM, "TIME",
	       "-i: only from there on: seconds after the recording's begin, or a time of day, 14:05:30"),
	OPTION("to", OPT_TO, "TIME", "-i: only until then"),
	OPTION("at", OPT_AT, "TIME",
	       "why: what the thread of -t TID was at in that moment: seconds after the window's begin, or a "
	       "time of day, 14:05:30.2"),
	OPTION("host", OPT_HOST, "GLOB", "-i: of a merged recording, only threads of these hosts"),
	{.key = 'g', .flags = OPTION_HIDDEN},
	/* To see parts of a recording soon. */
	{.name = "part", .key = OPT_PART, .arg = "SECONDS", .flags = OPTION_HIDDEN},
	/* To see that the account tells: every N-th switch is not looked at. */
	{.name = "drop-switches", .key = OPT_DROP_SWITCHES, .arg = "N", .flags = OPTION_HIDDEN},

	{.name = "group",
	 .key = OPT_GROUP,
	 .arg = "WHAT",
	 .group = 2,
	 .doc = "root frame: process, with the thread above it where its name is another; comm, pid, tid, "
		"cgroup or none (process)"},
	OPTION("no-inlines", OPT_NO_INLINES, NULL,
	       "leave out functions that the compiler inlined, and lines of source; names are there "
	       "sooner"),
	OPTION("debuginfod", OPT_DEBUGINFOD, NULL, DEBUGINFOD_DOC),
	OPTION("attach-java", OPT_ATTACH_JAVA, NULL,
	       "have Java VMs write /tmp/perf-PID.map at the end, each into its own /tmp, as jcmd does "
	       "(17 and later; where something has attached to the VM before)"),
	OPTION("metric", OPT_METRIC, "NAME", NULL), /* fit_row() says which */
	OPTION("state", OPT_STATE, "LETTERS",
	       "waiting: only these: S asleep, D uninterruptible, I idle kernel threads, T stopped, "
	       "R preempted, Q woken and waiting for a CPU"),
	OPTION("idle", OPT_IDLE, NULL,
	       "waiting: draw idle waits with their stacks, not as one box [idle] of each process"),
	OPTION("no-idle", OPT_NO_IDLE, NULL,
	       "waiting: leave out idle waits; the picture says how much that is"),
	OPTION("no-never-ran", OPT_NO_NEVER_RAN, NULL,
	       "waiting: leave out threads that did not run at all"),
	OPTION("no-still-blocked", OPT_NO_STILL_BLOCKED, NULL,
	       "waiting: leave out waits that had not ended when the run did"),
	OPTION("outstanding", OPT_OUTSTANDING, NULL,
	       "brk, mmap: only memory that was made in the run and is still held at its end"),
	OPTION("reserved", OPT_RESERVED, NULL,
	       "mmap: also mappings without access (PROT_NONE): addresses, not memory"),

	{.doc = "What to say:", .group = 4},
	OPTION("stats", OPT_STATS, NULL,
	       "all of the summary: accounts, losses, names and costs in full"),
	OPTION("json", OPT_JSON_SUMMARY, NULL,
	       "the summary as JSON on standard output, instead of in words"),
	OPTION("quiet", 'q', NULL, "no progress, no summary"),
	OPTION("verbose", 'v', NULL, "with the end of the BPF loader's log when it fails"),
	HELP_ROW,
	{},
};

/* What a command has to do for an option to mean something, as a message says it. */
enum trait {
	SAMPLES,
	WAITS,
	STATES,
	CHAINS,
	EVENTS,
	FAULTS,
	CALLS,
	MAPPINGS,
	CPUS,
	LASTS,
	ONE_VIEW,
	EXPLAINS,
	NR_TRAITS
};

static const char *const traits[NR_TRAITS] = {
	[SAMPLES] = "sample the CPUs",
	[WAITS] = "watch threads wait",
	[STATES] = "watch threads wait",
	[CHAINS] = "follow chains of wakers",
	[EVENTS] = "watch waits, faults or calls",
	[FAULTS] = "watch page faults",
	[CALLS] = "watch brk() or mmap()",
	[MAPPINGS] = "watch mmap()",
	[CPUS] = "count what happens on a CPU",
	[LASTS] = "watch for a while",
	[ONE_VIEW] = "draw just one view",
	[EXPLAINS] = "explain waits: wick why does",
};

static bool has_trait(const struct run_options *o, enum trait trait)
{
	const bool has[NR_TRAITS] = {
		[SAMPLES] = o->needs & NEED_CPU,
		[WAITS] = o->needs & NEED_SCHED,
		[STATES] = o->needs & (NEED_SCHED | NEED_THREADS),
		[CHAINS] = o->needs & NEED_CHAINS,
		[EVENTS] = o->needs & (NEED_SCHED | NEED_FAULT | NEED_BRK | NEED_MMAP),
		[FAULTS] = o->needs & NEED_FAULT,
		[CALLS] = o->needs & (NEED_BRK | NEED_MMAP),
		[MAPPINGS] = o->needs & NEED_MMAP,
		[CPUS] = o->needs & (NEED_CPU | NEED_FAULT) || o->needs & (NEED_BRK | NEED_MMAP),
		[LASTS] = !(o->needs & NEED_THREADS),
		[ONE_VIEW] = !o->drawing.directory,
		[EXPLAINS] = o->drawing.page && o->drawing.views[0] == &why_view,
	};

	return has[trait];
}

/* Options that not every command can use. */
static const struct {
	int key;
	const char *name;
	enum trait needs;
} uses[] = {
	{'F', "-F", SAMPLES},
	{'I', "-I", SAMPLES},
	{'m', "-m", WAITS},
	{'M', "-M", WAITS},
	{'d', "-d", LASTS},
	{'a', "-a", LASTS},
	{OPT_MAX_SIZE, "--max-size", LASTS},
	{OPT_MAX_MEMORY, "--max-memory", LASTS},
	{'C', "-C", CPUS},
	{'f', "-f", ONE_VIEW},
	{OPT_METRIC, "--metric", ONE_VIEW},
	{OPT_STATE, "--state", STATES},
	{OPT_WALK_ABOVE, "--walk-above", WAITS},
	{OPT_SWITCH_HOOK, "--switch-hook", WAITS},
	{OPT_BUDGET, "--budget", EVENTS},
	{OPT_IDLE, "--idle", WAITS},
	{OPT_NO_IDLE, "--no-idle", WAITS},
	{OPT_NO_NEVER_RAN, "--no-never-ran", WAITS},
	{OPT_NO_STILL_BLOCKED, "--no-still-blocked", WAITS},
	{OPT_DEPTH, "--depth", CHAINS},
	{OPT_RESIDENT, "--resident", FAULTS},
	{OPT_OUTSTANDING, "--outstanding", CALLS},
	{OPT_CALL_HOOK, "--call-hook", CALLS},
	{OPT_RESERVED, "--reserved", MAPPINGS},
	{OPT_AT, "--at", EXPLAINS},
};

void check_use(const struct run_options *o, int key, struct argp_state *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == key && !has_trait(o, uses[i].needs))
			argp_error(state, "%s means nothing here: this command does not %s",
				   uses[i].name, traits[uses[i].needs]);
}

/* Options that are about collecting, and mean nothing where that is over. */
static const struct {
	int key;
	const char *name;
} of_collecting[] = {
	{'d', "-d"},
	{'F', "-F"},
	{'a', "-a"},
	{'C', "-C"},
	{'I', "-I"},
	{'m', "-m"},
	{'M', "-M"},
	{OPT_SELF, "--self"},
	{OPT_UNWIND, "--unwind"},
	{OPT_NO_PYTHON, "--no-python"},
	{OPT_UNWIND_MEMORY, "--unwind-memory"},
	{OPT_MAX_KEYS, "--max-keys"},
	{OPT_WALK_ABOVE, "--walk-above"},
	{OPT_BUDGET, "--budget"},
	{OPT_SWITCH_HOOK, "--switch-hook"},
	{OPT_RESIDENT, "--resident"},
	{OPT_DROP_SWITCHES, "--drop-switches"},
	{OPT_MAX_SIZE, "--max-size"},
	{OPT_MAX_MEMORY, "--max-memory"},
	{OPT_PART, "--part"},
	{OPT_ATTACH_JAVA, "--attach-java"},
	{OPT_DEBUGINFOD, "--debuginfod"},
};

const char *option_of_collecting(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_collecting); i++)
		if (of_collecting[i].key == key)
			return of_collecting[i].name;
	return NULL;
}

void check_program(const struct run_options *o, struct argp_state *state)
{
	if (!has_trait(o, LASTS))
		argp_error(state, "a program means nothing here: this command does not %s",
			   traits[LASTS]);
}

const char *program_usage(const struct run_options *o)
{
	return has_trait(o, LASTS) ? "[-- PROGRAM [ARGS...]]" : NULL;
}

/* "what width means: us (the default), ns, count" */
static char *metrics_help(const struct view *view)
{
	struct strbuf help = {};

	strbuf_adds(&help, "what width means:");
	for (size_t i = 0; i < MAX_METRICS && view->metrics[i].unit.name; i++)
		strbuf_addf(&help, "%s %s%s", i ? "," : "", view->metrics[i].unit.name,
			    i ? "" : " (the default)");
	return strbuf_detach(&help);
}

void fit_row(struct run_options *o, struct argp_option *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == row->key && !has_trait(o, uses[i].needs))
			row->flags |= OPTION_HIDDEN;
	if (row->key == 'o')
		row->doc = o->drawing.output_help;
	if (row->key == OPT_METRIC)
		row->doc = o->metric_help = metrics_help(o->drawing.views[0]);
}
