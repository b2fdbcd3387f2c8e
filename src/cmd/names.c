/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c: `wick names` says of each file of a process, or of one file, where names and lines of
 * its code come from: each source in the order in which it is asked, what it has, and what would
 * help.
 */
#include <argp.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/numbers.h"
#include "cmd.h"
#include "common_options.h"
#include "debuginfod.h"
#include "follow/procmaps.h"
#include "replay.h"
#include "report/advice.h"
#include "sources.h"

enum { TIMEOUT_MS = 5000 };

struct asked_file {
	file_ref token;
	char *path; /* owned */
	struct files_request *request;
	struct files_sources sources;
};

struct naming {
	struct files *files;
	VEC(struct asked_file) asked;
	bool has_code; /* that no ELF file backs: memory, a memfd, /dev/zero */
};

static void naming_release(struct naming *n)
{
	files_free(n->files);
	vec_for_each (&n->asked, file)
		free(file->path);
	vec_release(&n->asked);
}

/* ---- what is there */

static void ask_file(struct naming *n, const struct files_mapping *mapping)
{
	file_ref token = files_open(n->files, mapping);
	struct asked_file *file;

	vec_for_each (&n->asked, other)
		if (other->token == token)
			return;
	if (!token)
		return;
	file = vec_add(&n->asked);
	file->token = token;
	file->path = xstrdup(mapping->path);
}

static void take_mapping(void *ctx, const struct files_mapping *mapping, u64 offset)
{
	struct naming *n = ctx;

	(void)offset;
	if (mapping->inode)
		ask_file(n, mapping);
	else
		n->has_code |= *mapping->path != '[';
}

static int ask_process(struct naming *n, u32 pid, struct error *error)
{
	_cleanup_free_ char *text = NULL;
	enum files_state state;

	text = files_answer_maps(n->files, files_ask_maps(n->files, pid, TIMEOUT_MS), &state);
	if (!text)
		return fail(error, -ESRCH, "cannot read what process %u has mapped: %s", pid,
			    state == FILES_GONE ? "there is none, or you may not"
						: files_why(state));
	procmaps_parse(pid, text, take_mapping, n);
	return 0;
}

static int ask_path(struct naming *n, const char *path, struct error *error)
{
	char absolute[PATH_MAX];
	struct files_mapping mapping = {.pid = (u32)getpid(), .path = absolute};
	struct stat st;

	if (!realpath(path, absolute) || stat(absolute, &st))
		return fail(error, -errno, "cannot read %s: %s", path, strerror(errno));
	mapping.major = major(st.st_dev);
	mapping.minor = minor(st.st_dev);
	mapping.inode = st.st_ino;
	ask_file(n, &mapping);
	return 0;
}

/* ---- what is said of it */

/* What it is called, and what there is of it. */
static const struct {
	const char *name, *unit;
} said[NR_NAME_SOURCES] = {
	[SOURCE_SYMBOLS] = {"symbols (.symtab)", "symbols"},
	[SOURCE_DEBUG_SYMBOLS] = {"debug file", "symbols"},
	[SOURCE_PACKED] = {"packed symbols (.gnu_debugdata)", "symbols"},
	[SOURCE_EXPORTED] = {"exported symbols (.dynsym)", "symbols"},
	[SOURCE_GO] = {"Go's table (.gopclntab), names and lines", "functions"},
	[SOURCE_DWARF] = {"lines (.debug_info)", "bytes"},
	[SOURCE_DEBUG_DWARF] = {"lines, debug file", "bytes"},
	[SOURCE_SHARED_DWARF] = {"lines, what debug files share", "bytes"},
};

static void print_head(const struct asked_file *file)
{
	const struct files_sources *s = &file->sources;
	_cleanup_strbuf_ struct strbuf b = {};

	strbuf_add_safe_utf8(&b, file->path, strlen(file->path));
	if (s->build_id_size)
		strbuf_adds(&b, "  build id ");
	for (u32 i = 0; i < s->build_id_size; i++)
		strbuf_addf(&b, "%02x", s->build_id[i]);
	printf("%s\n", b.s);
}

/* All names: more than those that others link to. */
static bool has_all_names(const struct files_sources *s)
{
	return s->found[SOURCE_SYMBOLS] || s->found[SOURCE_DEBUG_SYMBOLS] ||
	       s->found[SOURCE_PACKED] || s->found[SOURCE_GO];
}

static bool has_lines(const struct files_sources *s)
{
	return s->found[SOURCE_DWARF] || s->found[SOURCE_DEBUG_DWARF] || s->found[SOURCE_GO];
}

static void print_help(const struct asked_file *file, const char *package)
{
	_cleanup_strbuf_ struct strbuf b = {};
	bool names = has_all_names(&file->sources);

	if (file->sources.state != FILES_OK) {
		printf("  %s\n", files_why(file->sources.state));
		return;
	}
	if (names && has_lines(&file->sources))
		return;
	if (names && !package)
		strbuf_adds(&b, "compile it with -g");
	else
		advise_file(&b, package, FILES_NO_SYMBOLS);
	printf("  %-42s %s\n", names ? "for lines" : "for all names", b.s);
}

static void print_file(const struct asked_file *file, const char *package)
{
	print_head(file);
	for (enum name_source i = 0; i < NR_NAME_SOURCES && file->sources.state == FILES_OK; i++) {
		_cleanup_strbuf_ struct strbuf number = {};

		strbuf_add_number(&number, file->sources.found[i]);
		if (file->sources.found[i])
			printf("  %-42s %s %s\n", said[i].name, number.s, said[i].unit);
		else
			printf("  %-42s none\n", said[i].name);
	}
	print_help(file, package);
}

static void print_all(struct naming *n)
{
	_cleanup_free_ struct string *paths = xcalloc(n->asked.nr, sizeof(*paths));
	char **packages;

	vec_for_each (&n->asked, file)
		file->request = files_ask_sources(n->files, file->token, TIMEOUT_MS);
	for (size_t i = 0; i < n->asked.nr; i++) {
		struct asked_file *file = &n->asked.at[i];

		file->sources = files_answer_sources(n->files, file->request);
		n->has_code |= file->sources.state == FILES_BAD;
		paths[i] = (struct string){file->path, strlen(file->path)};
	}
	packages = packages_of(paths, n->asked.nr);
	for (size_t i = 0; i < n->asked.nr; i++)
		print_file(&n->asked.at[i], packages[i]);
	packages_free(packages, n->asked.nr);
}

/* What has made a process's code: the file of a runtime, else the process's name. */
static void name_runtime(const struct naming *n, u32 pid, char *name, size_t room)
{
	_cleanup_free_ char *path = format("/proc/%u/comm", pid);
	_cleanup_fclose_ FILE *from = fopen(path, "re");

	*name = '\0';
	if (from && fgets(name, (int)room, from))
		name[strcspn(name, "\n")] = '\0';
	vec_for_each (&n->asked, file) {
		const char *slash = strrchr(file->path, '/');

		if (slash && advice_knows_runtime(slash + 1)) {
			snprintf(name, room, "%s", slash + 1);
			return;
		}
	}
}

/* Of run-time code: what its VM or its perf map gives, or how to have one. */
static void print_code(struct naming *n, u32 pid)
{
	u32 inner_pid = files_inner_pid(pid);
	file_ref map = files_open_perf_map(n->files, pid, inner_pid, 0);
	struct files_symbols *reply = files_symbols(n->files, map, (u64[]){0}, 1, TIMEOUT_MS);
	_cleanup_strbuf_ struct strbuf b = {};
	char name[64];

	name_runtime(n, pid, name, sizeof(name));
	if (reply->state == FILES_OK && !reply->vm)
		strbuf_addf(&b, "/tmp/perf-%u.map, or a jit-%u.dump, is there", inner_pid,
			    inner_pid);
	else if (!reply->vm)
		advise_process(&b, name, inner_pid, reply->state);
	printf("[code that no ELF file backs]\n  %-42s %s\n", "Java VM, its own tables",
	       reply->vm ? "methods, stubs, and the size of their frames" : "none");
	if (!reply->vm)
		printf("  %-42s %s\n", "perf map", b.s);
	files_symbols_free(reply);
}

/* ---- a recording */

/* By file: how many of its addresses have a name, and how many have a line. */
static void print_recorded(const struct profile *p)
{
	for (u32 i = 1; i < p->files.nr; i++) {
		const struct profile_file *file = &p->files.at[i];
		struct string path = strings_get(&p->names, file->path);
		u32 nr = 0, named = 0, lines = 0;
		_cleanup_strbuf_ struct strbuf b = {};

		vec_for_each (&p->frames, frame) {
			if (frame->space != SPACE_FILE || frame->origin != i)
				continue;
			nr++;
			named += p->functions.at[frame->function].named;
			lines += frame->source != 0;
		}
		if (!nr)
			continue;
		strbuf_add_safe_utf8(&b, path.s, path.size);
		if (file->build_id)
			strbuf_addf(&b, "  build id %s", strings_get(&p->names, file->build_id).s);
		printf("%s\n  %u addresses, %u with a name, %u with a line\n", b.s, nr, named,
		       lines);
		if (file->state != FILES_OK)
			printf("  %s\n", files_why(file->state));
	}
}

static int names_of_recording(const char *path)
{
	struct recording r = {};
	struct error error;
	struct profile p;
	int err;

	profile_init(&p);
	err = replay_read(path, NULL, &p, &r, &error);
	if (err)
		print_error(&error);
	else
		print_recorded(&p);
	recording_release(&r);
	profile_release(&p);
	return err != 0;
}

/* ---- the command */

struct names_options {
	const char *what, *recording;
	bool debuginfod;
};

static const struct argp_option rows[] = {
	{.name = "input",
	 .key = 'i',
	 .arg = "FILE.wick",
	 .doc = "the files of this recording, and how much of each it has names for"},
	{.name = "debuginfod", .key = OPT_FETCH, .doc = DEBUGINFOD_DOC},
	HELP_ROW,
	{},
};

void names_options(const char *name, struct argp_option *to)
{
	(void)name;
	memcpy(to, rows, sizeof(rows));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct names_options *o = state->input;

	switch (key) {
	case OPT_FETCH:
		o->debuginfod = debuginfod_asked(state);
		return 0;
	case 'i':
		o->recording = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "one at a time: %s or %s", o->what, arg);
		o->what = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->what == !o->recording)
			argp_error(state, "which process, file, or recording (-i)?");
		return 0;
	}
	return common_parse(key, NULL, state);
}

/* A number is a process, unless there is a slash in it: ./1234. */
static int names_of(const char *what, bool debuginfod)
{
	_cleanup_(naming_release) struct naming n = {.files = files_new()};
	bool is_process = *what && strspn(what, "0123456789") == strlen(what);
	unsigned long number = is_process ? strtoul(what, NULL, 10) : 0;
	struct error error;
	int err;

	if (number > INT_MAX)
		err = fail(&error, -EINVAL, "%s is no process", what);
	else
		err = is_process ? ask_process(&n, (u32)number, &error)
				 : ask_path(&n, what, &error);
	if (err) {
		print_error(&error);
		return 1;
	}
	if (debuginfod)
		debuginfod_use(n.files);
	print_all(&n);
	if (debuginfod)
		debuginfod_say(n.files);
	if (is_process && n.has_code)
		print_code(&n, (u32)number);
	return 0;
}

int cmd_names(int argc, char **argv)
{
	struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "PID|FILE",
		.doc = "Where the names and lines of a process's code come from: for each file that "
		       "it runs, each source in the order in which it is asked, what it has, and "
		       "what would help."};
	struct names_options o = {};
	int status;

	parse_options(&argp, argc, argv, &o);
	status = o.recording ? names_of_recording(o.recording) : names_of(o.what, o.debuginfod);
	return finish_standard_output(argv[0]) || status;
}
