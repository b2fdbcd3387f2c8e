/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice.h"

#include <glob.h>

/* Debian's lists of the files of each installed package: one path a line. */
static const char package_lists[] = "/var/lib/dpkg/info/*.list";

static bool has_line(const char *list, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(list, "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while (f && (size = getline(&line, &room, f)) > 0) {
		if (line[size - 1] == '\n')
			line[size - 1] = '\0';
		/* /lib is a link to /usr/lib since the merge; lists may have either. */
		if (!strcmp(line, path) || (!strncmp(path, "/usr/", 5) && !strcmp(line, path + 4)))
			return true;
	}
	return false;
}

/* "libc6" of "/var/lib/dpkg/info/libc6:amd64.list". */
static char *package_name(const char *list)
{
	const char *base = strrchr(list, '/') + 1;

	return format("%.*s", (int)strcspn(base, ":"), base);
}

static char *package_of(const char *path)
{
	glob_t lists;
	char *package = NULL;

	if (glob(package_lists, 0, NULL, &lists))
		return NULL;
	for (size_t i = 0; i < lists.gl_pathc && !package; i++)
		if (has_line(lists.gl_pathv[i], path))
			package = package_name(lists.gl_pathv[i]);
	globfree(&lists);
	if (package && strlen(package) > 5 && !strcmp(package + strlen(package) - 5, ".list"))
		package[strlen(package) - 5] = '\0';
	return package;
}

void advise_file(struct strbuf *out, const char *path, enum files_state state)
{
	_cleanup_free_ char *package = NULL;

	if (state != FILES_NO_SYMBOLS && state != FILES_OK) {
		strbuf_adds(out, files_why(state));
		return;
	}
	package = package_of(path);
	/* Debian ships those of its C library under a name of their own. */
	if (package && !strcmp(package, "libc6"))
		strbuf_adds(out, "install libc6-dbg");
	else if (package)
		strbuf_addf(out, "install %s-dbgsym", package);
	else
		strbuf_adds(out,
			    "no symbols: build it without stripping, or install its debug file");
}

void advise_process(struct strbuf *out, const char *comm, u32 pid, u32 inner_pid,
		    enum files_state state)
{
	static const struct {
		const char *comm; /* how the names of its threads begin */
		const char *how;
	} runtimes[] = {
		{"node", "start it with --perf-basic-prof"},
		{"java", "start it with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, or "
			 "run `jcmd PID Compiler.perfmap`"},
		{"C2 Compiler", "that is the JVM: run `jcmd PID Compiler.perfmap`"},
		{"dotnet", "start it with DOTNET_PerfMapEnabled=1"},
		{"python", "start it with -X perf (3.12 and later)"},
		{"ruby", "start it with --yjit-perf"},
		{"php", "start it with -dopcache.jit_debug=16"},
	};

	(void)pid;
	if (state != FILES_NO_MAP && state != FILES_PENDING) {
		strbuf_addf(out, "/tmp/perf-%u.map: %s", inner_pid, files_why(state));
		return;
	}
	strbuf_addf(out, "no /tmp/perf-%u.map: ", inner_pid);
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		if (!strncmp(comm, runtimes[i].comm, strlen(runtimes[i].comm))) {
			strbuf_adds(out, runtimes[i].how);
			return;
		}
	}
	strbuf_adds(out, "its run-time code has no names unless its runtime writes that file");
}
