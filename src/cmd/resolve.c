/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.c: `wick resolve`: names for frames of a recording that had none. By its build id, each
 * file is looked for where it was, below --debug-dir and below /usr/lib/debug, and with
 * --debuginfod asked for elsewhere; helper processes read what is there. While the host has not
 * been booted since, its kernel is asked, and the perf maps of processes that still run. The names
 * become a record that is appended to the recording.
 */

#include "resolve.h"

#include <argp.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/boot_id.h"
#include "base/numbers.h"
#include "cmd.h"
#include "common_options.h"
#include "debuginfod.h"
#include "replay.h"

enum { TIMEOUT_MS = 20000, MAX_LISTED = 20 };

static const char system_debug[] = "/usr/lib/debug";

struct resolve_command {
	const char *path, *debug_dir;
	bool quiet, debuginfod;
};

/* A file with frames that have no name, and what came of it. */
struct nameless_file {
	u32 file;
	size_t nr, nr_named;
	bool found; /* a file of this build, or its debug file */
};

struct resolving {
	const struct resolve_command *c;
	struct profile *p;
	struct files *files;
	VEC(struct nameless_file) nameless;
	size_t nr_named;
	size_t nr_with_lines;				  /* files */
	enum { OTHER_BOOT, OTHER_OWNER, THIS_BOOT } boot; /* that the recording is of */
};

/* ---- where a file may be */

/* To look through only: a FIFO or a device stays untouched. */
static int look(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	return fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 : steal_fd(&fd);
}

/* DIR/.build-id/ab/cdef..., as gdb has it; NULL where the file has none. */
static char *by_build_id(const char *dir, const char *id, const char *end)
{
	return strlen(id) < 3 ? NULL : format("%s/.build-id/%.2s/%s%s", dir, id, id + 2, end);
}

static int look_and_free(char *path)
{
	int fd = path ? look(path) : -1;

	free(path);
	return fd;
}

/* What may be the debug file below --debug-dir; -1: nothing. */
static int look_for_debug(const char *dir, const char *id, const char *path, const char *name)
{
	int fd;

	if (!dir)
		return -1;
	fd = look_and_free(by_build_id(dir, id, ".debug"));
	if (fd < 0)
		fd = look_and_free(format("%s%s.debug", dir, path));
	return fd >= 0 ? fd : look_and_free(format("%s/%s.debug", dir, name));
}

enum { PLACES = 6 };

/* Candidate i for the file itself, or one that has its symbols; NULL: none. */
static char *place_of(size_t i, const char *dir, const char *id, const char *path, const char *name)
{
	switch (i) {
	case 0:
		return xstrdup(path);
	case 1:
		return dir ? by_build_id(dir, id, "") : NULL;
	case 2:
		return dir ? format("%s%s", dir, path) : NULL;
	case 3:
		return dir ? format("%s/%s", dir, name) : NULL;
	case 4:
		return dir ? by_build_id(dir, id, ".debug") : NULL;
	default:
		return by_build_id(system_debug, id, ".debug");
	}
}

/* ---- names */

static void try_file(struct resolving *r, struct nameless_file *n, file_ref token)
{
	size_t nr;

	if (resolve_file(r->p, r->files, n->file, token, TIMEOUT_MS, &nr) != RESOLVED_ANOTHER)
		n->found = true;
	n->nr_named += nr;
}

/* The file itself need not be here. */
static void try_download(struct resolving *r, struct nameless_file *n, const char *build_id)
{
	u8 id[FILES_MAX_BUILD_ID];
	unsigned int byte;
	size_t size = 0;
	file_ref token;

	while (size < sizeof(id) && sscanf(build_id + 2 * size, "%2x", &byte) == 1)
		id[size++] = (u8)byte;
	token = files_download(r->files, id, size);
	if (token)
		try_file(r, n, token);
}

static void try_place(struct resolving *r, struct nameless_file *n, const char *place,
		      const struct profile_file *file)
{
	const char *id = strings_get(&r->p->names, file->build_id).s;
	const char *path = strings_get(&r->p->names, file->path).s;
	int fd = look(place);
	if (fd >= 0)
		try_file(r, n,
			 files_take(r->files, fd,
				    look_for_debug(r->c->debug_dir, id, path,
						   strings_get(&r->p->names, file->name).s),
				    place));
}

static void name_one(struct resolving *r, struct nameless_file *n, bool *lineless)
{
	/* New names move the strings, and files stay. */
	const struct profile_file file = r->p->files.at[n->file];

	for (size_t i = 0; i < PLACES && (n->nr_named < n->nr || *lineless); i++) {
		_cleanup_free_ char *place =
			place_of(i, r->c->debug_dir, strings_get(&r->p->names, file.build_id).s,
				 strings_get(&r->p->names, file.path).s,
				 strings_get(&r->p->names, file.name).s);

		if (place)
			try_place(r, n, place, &file);
		*lineless = *lineless && resolve_lineless(r->p, n->file);
	}
	if (r->c->debuginfod && (n->nr_named < n->nr || *lineless)) {
		_cleanup_free_ char *id = xstrdup(strings_get(&r->p->names, file.build_id).s);

		try_download(r, n, id);
		*lineless = *lineless && resolve_lineless(r->p, n->file);
	}
	r->nr_named += n->nr_named;
}

static void name_files(struct resolving *r)
{
	for (u32 i = 1; i < r->p->files.nr; i++) {
		bool was_lineless = resolve_lineless(r->p, i), lineless = was_lineless;
		struct nameless_file n = {.file = i, .nr = resolve_nameless(r->p, SPACE_FILE, i)};

		if (!n.nr && !lineless)
			continue;
		if (strings_get(&r->p->names, r->p->files.at[i].build_id).size)
			name_one(r, &n, &lineless);
		r->nr_with_lines += was_lineless && !lineless;
		if (n.nr)
			*vec_add(&r->nameless) = n;
	}
}

/* Of this host, as it has run since. */
static void name_code(struct resolving *r)
{
	const struct kernel_namer kallsyms = kallsyms_namer("/proc/kallsyms");

	r->nr_named += resolve_kernel(r->p, &kallsyms, 1);
	r->nr_named +=
		resolve_code(r->p, r->files, SPACE_VDSO, 0, files_vdso(r->files), TIMEOUT_MS);
	for (u32 i = 1; i < r->p->images.nr; i++) {
		const struct image image = r->p->images.at[i];

		if (resolve_nameless(r->p, SPACE_IMAGE, i))
			r->nr_named +=
				resolve_code(r->p, r->files, SPACE_IMAGE, i,
					     files_open_perf_map(r->files, image.pid,
								 image.inner_pid, image.start_ns),
					     TIMEOUT_MS);
	}
}

static void name_all(struct resolving *r)
{
	r->files = files_new();
	if (r->c->debuginfod)
		debuginfod_use(r->files);
	name_files(r);
	if (r->c->debuginfod && !r->c->quiet)
		debuginfod_say(r->files);
	if (r->boot == THIS_BOOT)
		name_code(r);
	files_free(r->files);
	r->p->naming.resolved = r->p->naming.unresolved = 0;
	vec_for_each (&r->p->frames, frame) {
		bool named = r->p->functions.at[frame->function].named;

		r->p->naming.resolved += named && frame->space != SPACE_NOTE;
		r->p->naming.unresolved += !named && frame->space != SPACE_NOTE;
	}
}

/* ---- what is missing */

static int compare_missing(const void *a, const void *b)
{
	const struct nameless_file *x = a, *y = b;
	size_t p = x->nr - x->nr_named, q = y->nr - y->nr_named;

	return p < q ? 1 : p > q ? -1 : 0;
}

static void say_missing(const struct resolving *r, const struct nameless_file *n)
{
	const struct profile_file *file = &r->p->files.at[n->file];
	struct string path = strings_get(&r->p->names, file->path);
	struct string id = strings_get(&r->p->names, file->build_id);
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "  ");
	strbuf_add_number(&line, n->nr - n->nr_named);
	strbuf_adds(&line, " in ");
	strbuf_add_safe_utf8(&line, path.s, path.size);
	if (!id.size)
		strbuf_adds(&line, ": no build id was recorded, so no file can be known to be it");
	else if (n->found)
		strbuf_addf(&line,
			    ": there, without these symbols; its debug file is of build id %s",
			    id.s);
	else
		strbuf_addf(&line, ": not here, build id %s", id.s);
	fprintf(stderr, "%s\n", line.s);
}

static size_t nr_other(const struct profile *p, enum frame_space space)
{
	size_t nr = 0;

	vec_for_each (&p->frames, frame)
		nr += frame->space == space && !p->functions.at[frame->function].named;
	return nr;
}

static void say_others(const struct resolving *r)
{
	static const char *const kernel[] = {
		[OTHER_BOOT] = "in the kernel: only that kernel could name them, while it ran",
		[OTHER_OWNER] = "in the kernel: the recording is another user's, who is not told "
				"the names of this host's kernel",
		[THIS_BOOT] = "in the kernel: it has no names for them, or hides them from you",
	};
	const struct {
		enum frame_space space;
		const char *whose;
	} others[] = {
		{SPACE_IMAGE, "in code made at run time: only its process could name it"},
		{SPACE_KERNEL, kernel[r->boot]},
		{SPACE_VDSO, "in the kernel's vdso"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		size_t nr = nr_other(r->p, others[i].space);

		if (nr)
			fprintf(stderr, "  %zu %s\n", nr, others[i].whose);
	}
}

static void say_all(struct resolving *r)
{
	size_t nr_left = nr_other(r->p, SPACE_FILE), shown = 0;

	fprintf(stderr, "%s: %zu addresses have got names", r->c->path, r->nr_named);
	if (r->nr_with_lines)
		fprintf(stderr, ", those of %zu files lines of source", r->nr_with_lines);
	nr_left += nr_other(r->p, SPACE_IMAGE) + nr_other(r->p, SPACE_KERNEL) +
		   nr_other(r->p, SPACE_VDSO);
	fprintf(stderr, nr_left ? "; %zu have none:\n" : "; all have one now\n", nr_left);
	vec_sort(&r->nameless, compare_missing);
	vec_for_each (&r->nameless, n) {
		if (n->nr_named == n->nr || shown++ >= MAX_LISTED)
			break;
		say_missing(r, n);
	}
	if (shown > MAX_LISTED)
		fprintf(stderr, "  and more files\n");
	say_others(r);
	if (nr_left && r->nameless.nr)
		fprintf(stderr,
			"Install their debug packages, or name a directory with these files, or with "
			".build-id/ab/cdef.debug below it: --debug-dir DIR%s\n",
			r->c->debuginfod ? "" : "; or have them fetched: --debuginfod");
}

/* ---- the file */

/*
 * Where an address of this host's kernel lies is nothing that its users may know: they could ask by
 * a recording that they have made up.
 */
static bool is_own(const struct stat *st)
{
	return st->st_uid == geteuid();
}

static void find_boot(struct resolving *r)
{
	char id[BOOT_ID_SIZE + 1];
	struct stat st;

	if (!boot_id_read(id) || !string_is(strings_get(&r->p->names, r->p->boot_id), id))
		return;
	r->boot = !stat(r->c->path, &st) && is_own(&st) ? THIS_BOOT : OTHER_OWNER;
}

/* All of it or nothing; what was there stays as it is. */
static int append(const struct resolving *r, u64 size, const struct strbuf *bytes,
		  struct error *error)
{
	const char *path = r->c->path;
	_cleanup_close_ int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int err;

	if (fd < 0)
		return fail(error, -errno, "cannot append names to %s: %s", path, strerror(errno));
	if (fstat(fd, &st) || (u64)st.st_size != size)
		return fail(
			error, -EBUSY,
			"cannot append names to %s: it has grown meanwhile; wait for its run to end",
			path);
	if (r->boot == THIS_BOOT && !is_own(&st))
		return fail(error, -EPERM, "cannot append names to %s: it is another user's now",
			    path);
	err = write_whole(fd, bytes->s, bytes->size);
	if (err && ftruncate(fd, (off_t)size))
		return fail(error, err, "cannot append names to %s: %s; its end is damaged now",
			    path, strerror(-err));
	return err ? fail(error, err, "cannot append names to %s: %s", path, strerror(-err)) : 0;
}

static int resolve(const struct resolve_command *c, struct profile *p, struct error *error)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct resolving r = {.c = c, .p = p};
	struct recording facts = {};
	int err = replay_read(c->path, NULL, p, &facts, error);

	if (!err && facts.nr_parts > 1)
		err = fail(error, -ENOTSUP,
			   "cannot append names to %s: it is a long run's, of %zu parts, each of "
			   "which was named at its end",
			   c->path, facts.nr_parts);
	if (err) {
		recording_release(&facts);
		return err;
	}
	find_boot(&r);
	name_all(&r);
	if (r.nr_named || r.nr_with_lines) {
		recording_append_names(p, &facts, &bytes);
		err = append(&r, facts.size, &bytes, error);
	}
	if (!err && !c->quiet)
		say_all(&r);
	vec_release(&r.nameless);
	recording_release(&facts);
	return err;
}

/* ---- the command */

static const struct argp_option rows[] = {
	{.name = "debug-dir",
	 .key = 'D',
	 .arg = "DIR",
	 .doc = "look there, too: for .build-id/ab/cdef.debug, the files' paths and their names"},
	{.name = "debuginfod", .key = OPT_FETCH, .doc = DEBUGINFOD_DOC},
	{.name = "quiet", .key = 'q', .doc = "do not say what was found"},
	HELP_ROW,
	{},
};

void resolve_options(const char *name, struct argp_option *to)
{
	(void)name;
	memcpy(to, rows, sizeof(rows));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct resolve_command *c = state->input;

	if (key == OPT_FETCH) {
		c->debuginfod = debuginfod_asked(state);
		return 0;
	}
	if (key == 'D') {
		c->debug_dir = arg;
		return 0;
	}
	if (!one_recording_parse(key, arg, &c->path, state))
		return 0;
	return common_parse(key, &c->quiet, state);
}

int cmd_resolve(int argc, char **argv)
{
	struct argp argp = {.options = rows,
			    .parser = parse,
			    .args_doc = "FILE" RECORDING_SUFFIX,
			    .doc = "Gives names to frames that had none when it was recorded, and "
				   "appends these to the recording."};
	struct resolve_command c = {};
	struct error error;
	struct profile p;
	int err;

	parse_options(&argp, argc, argv, &c);
	profile_init(&p);
	err = resolve(&c, &p, &error);
	if (err)
		print_error(&error);
	profile_release(&p);
	return err != 0;
}
