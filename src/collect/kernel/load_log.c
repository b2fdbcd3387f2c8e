/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_log.c: what libbpf and the verifier say, kept, and searched for the reason of a refusal:
 *
 *	libbpf: prog 'wick_switch': BPF program load failed: Permission denied
 *	libbpf: prog 'wick_switch': -- BEGIN PROG LOAD LOG --
 *	...
 *	combined stack size of 3 calls is 528. Too large			<- the reason
 *	verification time 6641 usec
 *	stack depth 240+56+88
 *	processed 5558 insns (limit 1000000) ...
 *	-- END PROG LOAD LOG --
 *	libbpf: failed to load object 'wick_bpf'
 *
 * The verifier's log of a program is one message, and can have megabytes.
 */
#include "load_log.h"

#include <bpf/libbpf.h>

#include "base/strbuf.h"

/*
 * libbpf reports through a callback that has no argument, so its log can live nowhere else. It is
 * written while an object is loaded, and read when that failed.
 */
static struct strbuf loader_log;
static int loader_error;

enum { MAX_LOG = 4 << 20 }; /* of which the end is kept */

static const char log_begins[] = "-- BEGIN PROG LOAD LOG --";
static const char load_failed[] = "': BPF program load failed";

static void keep_end(void)
{
	const char *line = loader_log.s + loader_log.size - MAX_LOG;
	const char *rest = strchr(line, '\n') ?: line;

	loader_log.size = strlen(rest);
	memmove(loader_log.s, rest, loader_log.size + 1);
}

static int keep_log(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char *words;
	int size;

	/*
	 * The log of a program that was taken, where one was asked for, comes as a message for
	 * debugging.
	 */
	if (level == LIBBPF_DEBUG && !strstr(fmt, log_begins))
		return 0;
	size = vasprintf(&words, fmt, args);
	if (size < 0)
		return size;
	strbuf_add(&loader_log, words, (size_t)size);
	free(words);
	if (loader_log.size > MAX_LOG)
		keep_end();
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

const char *load_log_end(size_t lines)
{
	const char *log = load_log(), *at = log + strlen(log);

	if (at > log)
		at--; /* the last line's own end */
	while (at > log && (at[-1] != '\n' || --lines))
		at--;
	return at;
}

/* ---- the reason */

/* The program that was refused: its name, up to the next quote; NULL: none was. */
static const char *refused_program(void)
{
	const char *failed = strstr(load_log(), load_failed), *name = failed;

	while (name && name > load_log() && name[-1] != '\'')
		name--;
	return name;
}

/* What the verifier said of the program of this name; NULL: it said nothing. */
static const char *log_of(const char *name, size_t size)
{
	_cleanup_free_ char *head = format("prog '%.*s': %s\n", (int)size, name, log_begins);
	const char *log = strstr(load_log(), head);

	return log ? log + strlen(head) : NULL;
}

const char *load_log_of(const char *program)
{
	return log_of(program, strlen(program));
}

static bool begins_with_one_of(const char *line, const char *const *beginnings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(line, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* Where the verifier has said why, and goes on with figures. */
static bool ends_the_reason(const char *line)
{
	static const char *const ends[] = {"processed ", "verification time ", "stack depth ",
					   "-- END "};

	return begins_with_one_of(line, ends, ARRAY_SIZE(ends));
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

	return !size || begins_with_one_of(line, beginnings, ARRAY_SIZE(beginnings));
}

/*
 * The last line that tells something, from here to the figures; its size is 0 where there is none.
 */
static const char *last_words(const char *line, size_t *size)
{
	const char *last = line;

	*size = 0;
	while (*line && !ends_the_reason(line)) {
		size_t length = strcspn(line, "\n");

		if (!tells_nothing(line, length)) {
			last = line;
			*size = length;
		}
		line += length + (line[length] == '\n');
	}
	return last;
}

enum { MAX_WORDS = 300 };

void load_log_reason(struct strbuf *why)
{
	const char *program = refused_program(), *words, *log = NULL;
	size_t name_size = program ? strcspn(program, "'") : 0, size;

	if (program) {
		log = log_of(program, name_size);
		strbuf_addf(why, "%.*s (%s)", (int)name_size, program, strerror(-loader_error));
	} else {
		strbuf_addf(why, "them (%s)", strerror(-loader_error));
	}
	words = last_words(log ? log : load_log(), &size);
	if (size)
		strbuf_addf(why, ": %.*s", (int)min(size, (size_t)MAX_WORDS), words);
}

static bool verifier_spoke(void)
{
	return strstr(load_log(), log_begins) != NULL;
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
	_cleanup_strbuf_ struct strbuf why = {};

	/* The verifier says EACCES too, and then root is not what is missing. */
	if ((code == -EPERM || code == -EACCES) && !verifier_spoke())
		return fail(
			error, -EPERM,
			"cannot %s the BPF programs: %s.%s\n"
			"It takes root, or CAP_BPF and CAP_PERFMON, and in a container a seccomp "
			"profile that allows bpf().",
			step, strerror(-code), lockdown());
	loader_error = code;
	load_log_reason(&why);
	return fail(
		error, -ENOEXEC,
		"cannot %s the BPF programs: this kernel refused %s\n"
		"Run again with -v for the end of the verifier's log; please report this with the "
		"output of `wick doctor`.",
		step, why.s);
}
