/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "option_rows.h"

const struct argp_option run_rows[] = {
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

	{.name = "group",
	 .key = OPT_GROUP,
	 .arg = "WHAT",
	 .group = 2,
	 .doc = "root frame: comm, pid, tid, cgroup or none (comm)"},
	OPTION("metric", OPT_METRIC, "NAME",
	       "what width means: samples, us, ns or count (the view's own)"),
	OPTION("state", OPT_STATE, "LETTERS",
	       "waiting: only these: S asleep, D uninterruptible, I idle kernel threads, T stopped, "
	       "R preempted, Q woken and waiting for a CPU"),
	OPTION("no-never-ran", OPT_NO_NEVER_RAN, NULL,
	       "waiting: without threads that did not run at all"),
	OPTION("no-still-blocked", OPT_NO_STILL_BLOCKED, NULL,
	       "waiting: without what had not ended when the run did"),

	{.doc = "What to say:", .group = 3},
	OPTION("stats", OPT_STATS, NULL, "costs, losses and names in full"),
	OPTION("quiet", 'q', NULL, "no progress, no summary"),
	OPTION("verbose", 'v', NULL, "with the BPF loader's log when it fails"),
	OPTION("help", 'h', NULL, "this text"),
	{},
};

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

void check_use(const struct run_options *o, int key, struct argp_state *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == key && lacking(o, i))
			argp_error(state, "%s means nothing here: this command does not %s",
				   uses[i].name, lacking(o, i));
}

void hide_unused(const struct run_options *o, struct argp_option *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].key == option->key && lacking(o, i))
			option->flags |= OPTION_HIDDEN;
}
