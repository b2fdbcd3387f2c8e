/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.c: `wick doctor`: what this host allows, what each thing is good for, and how to allow
 * more.
 */
#include <argp.h>
#include <ctype.h>
#include <dirent.h>
#include <json-c/json.h>
#include <sys/utsname.h>

#include "base/strbuf.h"
#include "cmd.h"
#include "common_options.h"
#include "collect.h"
#include "doctor_programs.h"
#include "files.h"
#include "report.h"

enum { OPT_JSON = 1000, OPT_STATS, WIDTH = 80, INDENT = 27, PERF_MAP_LIMIT_MS = 1000 };

/* ---- what belongs to programs, not to the kernel */

static bool has_debug_files(void)
{
	DIR *directory = opendir("/usr/lib/debug/.build-id");
	size_t nr = 0;

	while (directory && readdir(directory))
		nr++;
	if (directory)
		closedir(directory);
	return nr > 2;
}

static enum probe_result probe_debug_files(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_strbuf_ struct strbuf archive = {};
	bool has_files = has_debug_files();

	advise_archive(&archive);
	strbuf_adds(seen,
		    has_files ? "/usr/lib/debug/.build-id is there" : "none in /usr/lib/debug");
	if (has_files && !archive.size) {
		strbuf_adds(seen, "; wick names packages that are missing");
		return PROBE_OK;
	}
	if (archive.size) {
		strbuf_adds(seen, "; apt does not know the archive of other packages' ones");
		strbuf_addf(fix,
			    "printf '%%s\\n' %s > /etc/apt/sources.list.d/debug.list; "
			    "apt-get update; ",
			    archive.s);
	}
	strbuf_adds(fix, "apt-get install libc6-dbg; a run's summary names the other packages that "
			 "it would take");
	return PROBE_LESS;
}

/* Runtimes that compile code while they run. Their processes' names. */
static bool is_runtime(const char *comm)
{
	static const char *const names[] = {"java", "node", "dotnet", "beam.smp"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(comm, names[i]))
			return true;
	return false;
}

/*
 * A helper process looks: what a process has mounted at its /tmp may never answer. FILES_OK: its
 * map is there and can be trusted.
 */
static enum files_state perf_map_of(struct files *files, u32 pid)
{
	file_ref map = files_open_perf_map(files, pid, 0, 0);
	struct files_symbols *symbols = files_symbols(files, map, NULL, 0, PERF_MAP_LIMIT_MS);
	enum files_state state = symbols->state;

	files_symbols_free(symbols);
	return state;
}

static void comm_of(u32 pid, char comm[32])
{
	_cleanup_free_ char *path = format("/proc/%u/comm", pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	comm[0] = '\0';
	if (f && fgets(comm, 32, f))
		comm[strcspn(comm, "\n")] = '\0';
}

static enum probe_result probe_perf_maps(struct strbuf *seen, struct strbuf *fix)
{
	struct files *files = files_new();
	DIR *directory = opendir("/proc");
	const struct dirent *entry;
	size_t with = 0, without = 0;

	while (directory && (entry = readdir(directory))) {
		u32 pid = (u32)strtoul(entry->d_name, NULL, 10);
		enum files_state state;
		char comm[32];

		if (!pid)
			continue;
		comm_of(pid, comm);
		if (!is_runtime(comm))
			continue;
		state = perf_map_of(files, pid);
		if (state == FILES_OK) {
			with++;
		} else if (!without++) {
			strbuf_addf(fix, "%s %u: ", comm, pid);
			advise_process(fix, comm, pid, state);
		}
	}
	if (directory)
		closedir(directory);
	files_free(files);
	strbuf_addf(seen, "of the processes of runtimes that compile, %zu write one and %zu do not",
		    with, without);
	return without ? PROBE_LESS : PROBE_OK;
}

static const struct probe own_probes[] = {
	{.name = "debug files", .use = "names in stripped programs", .run = probe_debug_files},
	{.name = "perf maps", .use = "names of run-time code", .run = probe_perf_maps},
};

/* ---- what is said */

static const char *const verdicts[] = {
	[PROBE_OK] = "ok", [PROBE_LESS] = "less", [PROBE_MISSING] = "MISSING"};

/* Text from a column on, broken between words. */
static void print_wrapped(const char *text, int column)
{
	int at = column;

	text += strspn(text, " ");
	while (*text) {
		int size = (int)strcspn(text, " ");

		if (at > column && at + 1 + size > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", size, text);
		text += size;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_part(const char *word, const char *text)
{
	if (!*text)
		return;
	printf("%*s%s", INDENT, "", word);
	print_wrapped(text, INDENT + (int)strlen(word));
}

/* What a probe says of itself. */
struct finding {
	const char *name, *use, *seen, *fix;
};

/* The views that have any of these needs are those that the probe is good for. */
static u32 needs_of(const struct probe *probe)
{
	u32 needs = probe->needs;

	for (size_t i = 0; i < nr_instruments; i++)
		if (probe->traced && instruments[i].tracepoints[0])
			needs |= 1u << i;
	return needs;
}

static void add_use(struct strbuf *to, const struct probe *probe)
{
	const u32 needs = needs_of(probe);
	const struct view *view;

	for (size_t i = 0; (view = doctor_view(i)); i++)
		if (view->needs & needs)
			strbuf_addf(to, "%s%s", to->size ? ", " : "", view->name);
	strbuf_adds(to, probe->use);
}

static void print_probe(const struct finding *f, enum probe_result result)
{
	printf("%-8s%-*s", verdicts[result], INDENT - 8, f->name);
	print_wrapped(f->seen, INDENT);
	if (result == PROBE_OK)
		return;
	print_part("good for: ", f->use);
	print_part("to allow: ", f->fix);
}

static void add_json(struct json_object *rows, const struct finding *f, enum probe_result result)
{
	static const char *const words[] = {
		[PROBE_OK] = "ok", [PROBE_LESS] = "less", [PROBE_MISSING] = "missing"};
	struct json_object *row = json_object_new_object();

	json_object_object_add(row, "name", json_object_new_string(f->name));
	json_object_object_add(row, "result", json_object_new_string(words[result]));
	json_object_object_add(row, "seen", json_object_new_string(f->seen));
	json_object_object_add(row, "good_for", json_object_new_string(f->use));
	json_object_object_add(row, "fix", json_object_new_string(f->fix));
	json_object_array_add(rows, row);
}

/* What the command is to say, and how far it has come. */
struct examination {
	struct json_object *rows; /* NULL: in words */
	enum probe_result worst;
};

static void add_result(struct examination *e, const struct probe *probe, enum probe_result result,
		       const struct strbuf *seen, const struct strbuf *fix)
{
	_cleanup_strbuf_ struct strbuf use = {};
	struct finding f = {
		.name = probe->name,
		.seen = seen->s ? seen->s : "",
		.fix = fix->s ? fix->s : "",
	};

	add_use(&use, probe);
	f.use = use.s;
	if (e->rows)
		add_json(e->rows, &f, result);
	else
		print_probe(&f, result);
	e->worst = max(e->worst, result);
}

static void examine(struct examination *e, const struct probe *some, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		_cleanup_strbuf_ struct strbuf seen = {}, fix = {};
		enum probe_result result = some[i].run(&seen, &fix);

		add_result(e, &some[i], result, &seen, &fix);
	}
}

static void examine_programs(struct examination *e, const struct trials *trials)
{
	static const struct probe programs = {.name = "programs", .use = "each view has its own"};
	_cleanup_strbuf_ struct strbuf seen = {}, fix = {};
	enum probe_result result = trials_judge(trials, &seen, &fix);

	add_result(e, &programs, result, &seen, &fix);
}

/* ---- the command */

struct doctor_options {
	bool json, stats;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct doctor_options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_STATS:
		o->stats = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "takes no arguments: '%s'", arg);
		return 0;
	}
	return common_parse(key, NULL, state);
}

static const struct argp_option doctor_rows[] = {
	{.name = "json", .key = OPT_JSON, .doc = "as JSON"},
	{.name = "stats",
	 .key = OPT_STATS,
	 .doc = "each BPF program, as the kernel's verifier sees it"},
	HELP_ROW,
	{},
};

void doctor_options(const char *name, struct argp_option *rows)
{
	(void)name;
	memcpy(rows, doctor_rows, sizeof(doctor_rows));
}

enum { JSON_VERSION = 1 }; /* to be raised when something in it gets another meaning, or goes */

static void print_json(const struct examination *e, const struct trials *trials)
{
	struct json_object *to = json_object_new_object();
	struct utsname host = {};

	uname(&host);
	json_object_object_add(to, "version", json_object_new_int(JSON_VERSION));
	json_object_object_add(to, "wick", json_object_new_string(WICK_VERSION));
	json_object_object_add(to, "kernel", json_object_new_string(host.release));
	json_object_object_add(to, "machine", json_object_new_string(host.machine));
	json_object_object_add(to, "libbpf", json_object_new_string(libbpf_in_use()));
	json_object_object_add(to, "every_view_works",
			       json_object_new_boolean(e->worst != PROBE_MISSING));
	json_object_object_add(to, "rows", e->rows);
	trials_add_json(trials, to);
	printf("%s\n", json_object_to_json_string_ext(to, JSON_C_TO_STRING_PRETTY));
	json_object_put(to);
}

static void print_verdict(enum probe_result worst)
{
	printf("\n%s\n", worst == PROBE_MISSING ? "Not every view works here: see what is MISSING."
			 : worst == PROBE_LESS
				 ? "Every view works; what says 'less' would be better with more."
				 : "Every view works.");
}

int cmd_doctor(int argc, char **argv)
{
	struct argp argp = {
		.options = doctor_rows,
		.parser = parse,
		.doc = "What this host allows, what each thing is good for, and how to allow "
		       "more. Every BPF program is loaded, and thrown away: that takes part of a "
		       "second. Exit status 0 when every view works."};
	struct doctor_options o = {};
	struct examination e = {};
	struct trials trials;

	parse_options(&argp, argc, argv, &o);
	if (o.json)
		e.rows = json_object_new_array();
	trials_run(&trials);
	examine(&e, probes, nr_probes);
	examine_programs(&e, &trials);
	examine(&e, own_probes, ARRAY_SIZE(own_probes));
	if (o.json)
		print_json(&e, &trials);
	else if (o.stats)
		trials_print(&trials, stdout);
	if (!o.json)
		print_verdict(e.worst);
	trials_release(&trials);
	return finish_standard_output(argv[0]) || e.worst == PROBE_MISSING;
}
