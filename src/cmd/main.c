/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c: finds the command. */
#include <argp.h>

#include "cmd.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{"record", "every graph below of one run, in a directory", cmd_record},
	{"cpu", "where threads are when they run: on-CPU flame graph", cmd_view},
	{"offcpu", "where threads wait, and how long", cmd_view},
	{"wakeup", "who wakes those that wait", cmd_view},
	{"offwake", "where threads wait, and who wakes them", cmd_view},
	{"chain", "the same, and who wakes the waker, and so on", cmd_view},
	{"wall", "all of the threads' time, running and waiting", cmd_view},
	{"faults", "where memory becomes resident: page faults", cmd_view},
	{"brk", "where the heap grows, by brk()", cmd_view},
	{"mmap", "where memory is mapped, and what is still held", cmd_view},
	{"threads", "what every thread is doing, now", cmd_threads},
	{"flame", "folded text, of any tool -> flame graph", cmd_flame},
	{"doctor", "what this host allows, and how to allow more", cmd_doctor},
	{"list", "views, formats, instruments and palettes that there are", cmd_list},
};

static void help(FILE *to)
{
	fprintf(to, "Usage: wick COMMAND [options] [-- program args...]\n\n"
		    "Shows where a Linux host's time and memory go, as flame graphs.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\n`wick COMMAND -h` shows a command's options. As a start:\n"
		    "  sudo wick record              the whole host for 30 s -> record-HOST-TIME/\n"
		    "  sudo wick threads             what hangs: every thread's stack, at once\n"
		    "  sudo wick cpu                 just one graph -> cpu-HOST-TIME.svg\n"
		    "  sudo wick cpu -p 1234 -d 10   one process for 10 s\n"
		    "  sudo wick cpu -- make -j8     a program and its children, until it ends\n");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	argp_err_exit_status = 2;
	if (!strcmp(name, "--version")) {
		printf("wick " WICK_VERSION "\n");
		return 0;
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		help(stdout);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_cleanup_free_ char *full = NULL;

		if (strcmp(commands[i].name, name))
			continue;
		full = format("wick %s", name);
		argv[1] = full;
		return commands[i].run(argc - 1, argv + 1);
	}
	if (!*name) {
		help(stderr);
		return 2;
	}
	fprintf(stderr, "wick: no such command: '%s'; `wick -h` shows those that there are\n",
		name);
	return 2;
}
