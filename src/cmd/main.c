/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c: finds the command. */
#include <argp.h>
#include <signal.h>

#include "base/caller.h"
#include "cmd.h"
#include "commands.h"
#include "crash.h"
#include "rights.h"

static void help(FILE *to)
{
	int columns = 8;

	for (size_t i = 0; i < nr_commands; i++)
		columns = max(columns, (int)strlen(command_at(i).name));
	fprintf(to, "Usage: wick COMMAND [options] [-- program args...]\n\n"
		    "Shows where a Linux host's time and memory go, as flame graphs.\n\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);

		fprintf(to, "  %-*s %s\n", columns, c.name, c.summary);
	}
	fprintf(to, "\n`wick COMMAND -h` shows a command's options. As a start:\n"
		    "  sudo wick record              the whole host for 30 s -> record-HOST-TIME/\n"
		    "  sudo wick threads             what hangs: every thread's stack, at once\n"
		    "  sudo wick cpu                 just one graph -> cpu-HOST-TIME.svg\n"
		    "  sudo wick cpu -p 1234 -d 10   one process for 10 s\n"
		    "  sudo wick cpu -- make -j8     a program and its children, until it ends\n");
}

static bool find_command(const char *name, struct command *command)
{
	for (size_t i = 0; i < nr_commands; i++) {
		*command = command_at(i);
		if (!strcmp(command->name, name))
			return true;
	}
	return false;
}

static int run_command_of(const struct command *command, int argc, char **argv)
{
	_cleanup_free_ char *full = format("wick %s", command->name);

	argv[1] = full;
	return command->run(argc - 1, argv + 1);
}

/* What is no command: help, the version, or wrong. */
static int run_other(const char *name)
{
	if (!strcmp(name, "--version")) {
		printf("wick " WICK_VERSION "\n");
		return finish_standard_output("wick");
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		help(stdout);
		return finish_standard_output("wick");
	}
	if (!*name) {
		help(stderr);
		return 2;
	}
	fprintf(stderr, "wick: no such command: '%s'; `wick -h` shows those that there are\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct command command;
	bool found = find_command(name, &command);
	struct error error;

	if (rights_limit(found && command.collects, &error)) {
		print_error(&error);
		return 1;
	}
	argp_err_exit_status = 2;
	caller_fill_descriptors();
	/* Writing beyond a limit is an error like any other. */
	signal(SIGXFSZ, SIG_IGN);
	crash_catch();
	return found ? run_command_of(&command, argc, argv) : run_other(name);
}
