/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c: finds the command. */
#include <argp.h>
#include <fcntl.h>

#include "cmd.h"
#include "commands.h"

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

/*
 * A standard descriptor that is closed would be the next file's that is opened, and what we say
 * would go into that. It gets a descriptor that cannot be written, or read, so that writing to
 * a closed standard output is an error.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	argp_err_exit_status = 2;
	fill_standard_descriptors();
	if (!strcmp(name, "--version")) {
		printf("wick " WICK_VERSION "\n");
		return finish_standard_output("wick");
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		help(stdout);
		return finish_standard_output("wick");
	}
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_free_ char *full = NULL;

		if (strcmp(c.name, name))
			continue;
		full = format("wick %s", name);
		argv[1] = full;
		return c.run(argc - 1, argv + 1);
	}
	if (!*name) {
		help(stderr);
		return 2;
	}
	fprintf(stderr, "wick: no such command: '%s'; `wick -h` shows those that there are\n",
		name);
	return 2;
}
