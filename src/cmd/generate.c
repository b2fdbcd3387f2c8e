/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c: `wick generate man|bash|zsh`: the man page and the shells' completions, written from
 * the tables of commands, options and views, so that they cannot say anything else than the program
 * does. Used by `make install`.
 */
#include "cmd.h"
#include "commands.h"
#include "generate.h"

static const struct {
	const char *name;
	void (*write)(void);
} kinds[] = {{"man", generate_man}, {"bash", generate_bash}, {"zsh", generate_zsh}};

int cmd_generate(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		kinds[i].write();
		return finish_standard_output(argv[0]);
	}
	fprintf(stderr, "%s: takes one of: man, bash, zsh\n", argv[0]);
	return 2;
}
