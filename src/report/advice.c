/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>

/*
 * Debian's lists of the files of each installed package, PACKAGE.list or PACKAGE:ARCH.list: one
 * path a line.
 */
static const char package_lists[] = "/var/lib/dpkg/info";
static const char suffix[] = ".list";

struct search {
	const struct string *paths;
	size_t nr, nr_left;
	char **packages; /* what was found */
	char text[64 << 10];
};

static bool is_list(const char *name)
{
	size_t size = strlen(name);

	return size >= sizeof(suffix) && !strcmp(name + size - strlen(suffix), suffix);
}

/* "libc6" of "libc6:amd64.list". */
static char *package_name(const char *list)
{
	size_t size = strlen(list) - strlen(suffix);

	return format("%.*s", (int)min(size, strcspn(list, ":")), list);
}

/* /lib is a link to /usr/lib since the merge; lists may have either. */
static bool is_path(const char *line, size_t size, struct string path)
{
	if (size + 4 == path.size && !memcmp(path.s, "/usr", 4))
		path.s += 4;
	else if (size != path.size)
		return false;
	return size && !memcmp(line, path.s, size);
}

/* Looks at the complete lines; returns the size of what is left after the last of them. */
static size_t search_lines(struct search *s, size_t size, const char *list)
{
	const char *line = s->text, *end = s->text + size, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		for (size_t i = 0; i < s->nr; i++) {
			if (s->packages[i] || !is_path(line, (size_t)(newline - line), s->paths[i]))
				continue;
			s->packages[i] = package_name(list);
			s->nr_left--;
		}
		line = newline + 1;
	}
	return (size_t)(end - line);
}

static void search_list(struct search *s, int fd, const char *list)
{
	size_t left = 0;
	ssize_t size;

	while ((size = read(fd, s->text + left, sizeof(s->text) - left)) > 0) {
		size += (ssize_t)left;
		left = search_lines(s, (size_t)size, list);
		/* A line as long as the block is no path: dropped. */
		if (left == sizeof(s->text))
			left = 0;
		memmove(s->text, s->text + size - left, left);
	}
}

static void search_lists(struct search *s)
{
	DIR *lists = opendir(package_lists);
	const struct dirent *entry;

	while (lists && s->nr_left && (entry = readdir(lists))) {
		_cleanup_close_ int fd = -1;

		if (!is_list(entry->d_name))
			continue;
		fd = openat(dirfd(lists), entry->d_name, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			search_list(s, fd, entry->d_name);
	}
	if (lists)
		closedir(lists);
}

char **packages_of(const struct string *paths, size_t nr)
{
	struct search s = {.paths = paths, .nr = nr, .packages = xcalloc(nr, sizeof(*s.packages))};

	for (size_t i = 0; i < nr; i++)
		s.nr_left += paths[i].size != 0;
	if (s.nr_left)
		search_lists(&s);
	return s.packages;
}

void packages_free(char **packages, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(packages[i]);
	free(packages);
}

/* ---- where the packages with symbols are */

/*
 * Debian keeps them in an archive of their own, which apt does not know until it is added. What apt
 * has of an archive lies in files that are named by its address.
 */
static bool apt_has_debug_archive(void)
{
	DIR *lists = opendir("/var/lib/apt/lists");
	const struct dirent *entry;
	bool found = false;

	while (lists && !found && (entry = readdir(lists)))
		found = strstr(entry->d_name, "-debug_dists_") ||
			strstr(entry->d_name, "-debug_main_binary") ||
			strstr(entry->d_name, "ddebs.");
	if (lists)
		closedir(lists);
	return found;
}

/* VERSION_CODENAME of /etc/os-release, where ID is debian; else "". */
static void read_codename(char *name, size_t room)
{
	FILE *release = fopen("/etc/os-release", "re");
	char line[256], codename[64] = "";
	bool debian = false;

	while (release && fgets(line, sizeof(line), release)) {
		debian |= !strcmp(line, "ID=debian\n");
		sscanf(line, "VERSION_CODENAME=%63[a-z]", codename);
	}
	if (release)
		fclose(release);
	snprintf(name, room, "%s", debian ? codename : "");
}

void advise_archive(struct strbuf *out)
{
	char codename[64];

	if (apt_has_debug_archive())
		return;
	read_codename(codename, sizeof(codename));
	if (!*codename)
		return;
	strbuf_addf(out, "'deb http://deb.debian.org/debian-debug %s-debug main' ", codename);
	strbuf_addf(out, "'deb http://deb.debian.org/debian-debug %s-proposed-updates-debug main'",
		    codename);
}

/*
 * Packages whose debug files lie in the main archive, in a package that is called otherwise than
 * the package with "-dbgsym": in Debian 12 and 13.
 */
static const struct main_package {
	const char *pattern; /* of packages */
	const char *debug;   /* the package with their debug files, or: */
	u32 words;	     /* so many of the package's name, without "lib"; 0: all of it */
} main_packages[] = {
	{.pattern = "libc6", .debug = "libc6-dbg"},
	{.pattern = "python3.*", .words = 1},
	{.pattern = "libpython3.*", .words = 1},
	{.pattern = "openjdk-*-jre*", .words = 2},
	{.pattern = "binutils-*"},
	{.pattern = "libbinutils"},
	{.pattern = "libkrb5*", .debug = "libkrb5-dbg"},
	{.pattern = "libgssapi-krb5-*", .debug = "libkrb5-dbg"},
	{.pattern = "libk5crypto*", .debug = "libkrb5-dbg"},
};

/* The first words of a name, of those between hyphens. */
static char *first_words(const char *name, u32 words)
{
	size_t size = strcspn(name, "-");

	for (u32 i = 1; i < words && name[size]; i++)
		size += 1 + strcspn(name + size + 1, "-");
	return format("%.*s-dbg", (int)size, name);
}

static char *main_debug_package(const char *package)
{
	for (size_t i = 0; i < ARRAY_SIZE(main_packages); i++) {
		const struct main_package *m = &main_packages[i];

		if (fnmatch(m->pattern, package, 0))
			continue;
		if (m->debug)
			return xstrdup(m->debug);
		if (!m->words)
			return format("%s-dbg", package);
		return first_words(package + 3 * !strncmp(package, "lib", 3), m->words);
	}
	return NULL;
}

static void add_package(struct strbuf *out, const char *package)
{
	_cleanup_free_ char *debug = main_debug_package(package);
	_cleanup_strbuf_ struct strbuf archive = {};

	if (debug) {
		strbuf_addf(out, "apt install %s", debug);
		return;
	}
	advise_archive(&archive);
	strbuf_addf(out, "apt install %s-dbgsym", package);
	if (archive.size)
		strbuf_adds(out,
			    ", from the archive that `wick doctor` names, or try --debuginfod");
}

bool advice_needs_package(enum files_state state)
{
	return state == FILES_NO_SYMBOLS || state == FILES_OK;
}

void advise_file(struct strbuf *out, const char *package, enum files_state state)
{
	if (!advice_needs_package(state))
		strbuf_adds(out, files_why(state));
	else if (package)
		add_package(out, package);
	else
		strbuf_adds(
			out,
			"no symbols: build it without stripping, install its debug file, or try "
			"--debuginfod");
}

/* ---- run-time code */

/*
 * How a runtime is made to write a perf map. It is known by how the name of its program begins, or
 * of its library: "lib" before the program's name, or another one.
 */
static const struct runtime {
	const char *program, *library, *how;
} runtimes[] = {
	{.program = "node",
	 .how = "start it with --perf-basic-prof, and --interpreted-frames-native-stack for "
		"functions that are not compiled"},
	{.program = "java",
	 .library = "libjvm.so",
	 .how = "a HotSpot VM that lives at the run's end has names without; one that ends before "
		"(17 and later), with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"},
	{.program = "dotnet",
	 .library = "libcoreclr.so",
	 .how = "start it with DOTNET_PerfMapEnabled=1 in its environment, or COMPlus_PerfMapEnabled=1 "
		"before .NET 6"},
	{.program = "ruby", .how = "start it with --yjit-perf (Ruby 3.3 and later)"},
	{.program = "php",
	 .how = "start it with -dopcache.jit_debug=16, or have that in its php.ini"},
	{.program = "luajit",
	 .how = "a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS writes it"},
	{.program = "mono",
	 .how = "start it with --jitmap, which writes the last names when it ends"},
	{.program = "beam.smp", .how = "start it with +JPperf true"},
};

static bool begins(const char *name, const char *with)
{
	return with && !strncmp(name, with, strlen(with));
}

static bool is_runtime(const char *name, const struct runtime *runtime)
{
	return begins(name, runtime->program) || begins(name, runtime->library) ||
	       (begins(name, "lib") && begins(name + 3, runtime->program));
}

static const struct runtime *find_runtime(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		if (is_runtime(name, &runtimes[i]))
			return &runtimes[i];
	return NULL;
}

bool advice_knows_runtime(const char *name)
{
	return find_runtime(name);
}

void advise_process(struct strbuf *out, const char *name, u32 inner_pid, enum files_state state)
{
	const struct runtime *runtime = find_runtime(name);

	if (state == FILES_OK) {
		strbuf_addf(out,
			    "/tmp/perf-%u.map did not name it: its runtime may write names late",
			    inner_pid);
		return;
	}
	if (state != FILES_NO_MAP && state != FILES_PENDING) {
		strbuf_addf(out, "/tmp/perf-%u.map: %s", inner_pid, files_why(state));
		return;
	}
	strbuf_addf(out, "no /tmp/perf-%u.map: %s", inner_pid,
		    runtime ? runtime->how
			    : "its run-time code has no names unless its runtime writes that file");
}
