/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load_log.h"

#include <bpf/libbpf.h>

#include "base/strbuf.h"

/*
 * libbpf reports through a callback that has no argument, so its log can live nowhere else. It is
 * written while an object is loaded, and read when that failed.
 */
static struct strbuf loader_log;

enum { MAX_LOG = 4 << 20 };

static int keep_log(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[4096];
	int size;

	if (level == LIBBPF_DEBUG || loader_log.size > MAX_LOG)
		return 0;
	size = vsnprintf(line, sizeof(line), fmt, args);
	if (size > 0)
		strbuf_adds(&loader_log, line);
	return size;
}

void load_log_begin(void)
{
	strbuf_clear(&loader_log);
	libbpf_set_print(keep_log);
}

const char *load_log(void)
{
	return loader_log.s ? loader_log.s : "";
}

static bool verifier_spoke(void)
{
	return strstr(load_log(), "BEGIN PROG LOAD LOG") != NULL;
}

/* Lines that say that it failed, and not why. */
static bool tells_nothing(const char *line, size_t size)
{
	static const char *const beginnings[] = {
		"libbpf: failed to load ",
		"libbpf: prog '",
		"libbpf: Failed to bump RLIMIT_MEMLOCK",
		"-- ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(line, beginnings[i], strlen(beginnings[i])))
			return true;
	return !size;
}

/*
 * What the verifier said last before it gave up, else the last of libbpf's words that tells a
 * reason.
 */
static void last_words(char *to, size_t room)
{
	const char *line = load_log();

	snprintf(to, room, "no reason given");
	while (*line && strncmp(line, "processed ", strlen("processed "))) {
		size_t size = strcspn(line, "\n");

		if (!tells_nothing(line, size))
			snprintf(to, room, "%.*s", (int)size, line);
		line += size + (line[size] == '\n');
	}
}

static const char *lockdown(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (!f || !fgets(line, sizeof(line), f) || !strstr(line, "[confidentiality]"))
		return "";
	return " The kernel is locked down for confidentiality, which forbids it: boot without "
	       "lockdown=confidentiality.";
}

int load_refused(struct error *error, int code, const char *step)
{
	char words[256];

	/* The verifier says EACCES too, and then root is not what is missing. */
	if ((code == -EPERM || code == -EACCES) && !verifier_spoke())
		return fail(
			error, -EPERM,
			"cannot %s the BPF programs: %s.%s\n"
			"It takes root, or CAP_BPF and CAP_PERFMON, and in a container a seccomp "
			"profile that allows bpf().",
			step, strerror(-code), lockdown());
	last_words(words, sizeof(words));
	return fail(error, code,
		    "cannot %s the BPF programs: this kernel refused them (%s): %s\n"
		    "Run again with -v for the whole log, and report it together with `uname -a`.",
		    step, strerror(-code), words);
}
