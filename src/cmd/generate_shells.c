/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate_shells.c: `wick generate bash` and `zsh`: completions of commands, options and their
 * arguments.
 */
#include "base/strbuf.h"
#include "cmd.h"
#include "collect.h"
#include "commands.h"
#include "emit.h"
#include "generate.h"
#include "option_rows.h"
#include "view.h"

static void hook_names(struct strbuf *b, const struct hook *hooks, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(b, "%s ", hooks[i].name);
}

/* What an option's argument can be: words, "files", "directories", or nothing that is known. */
static void add_argument_words(struct strbuf *b, const struct argp_option *row)
{
	const char *name = row->name ? row->name : "";

	if (!strcmp(name, "format")) {
		for (size_t i = 0; i < NR_FORMATS; i++)
			strbuf_addf(b, "%s ", formats[i]->name);
	} else if (!strcmp(name, "colors")) {
		palette_names(b);
	} else if (!strcmp(name, "group")) {
		strbuf_adds(b, "process comm pid tid cgroup none");
	} else if (!strcmp(name, "view")) {
		for (size_t i = 0; i < NR_VIEWS; i++)
			strbuf_addf(b, "%s ", views[i]->name);
	} else if (!strcmp(name, "switch-hook")) {
		hook_names(b, switch_hooks, nr_switch_hooks);
	} else if (!strcmp(name, "call-hook")) {
		hook_names(b, call_hooks, nr_call_hooks);
	} else if (row->arg && strchr(row->arg, '|')) { /* auto|fp */
		for (const char *c = row->arg; *c; c++)
			strbuf_addc(b, *c == '|' ? ' ' : *c);
	}
}

static void add_option_words(struct strbuf *b, const struct argp_option *row)
{
	if (letter_of(row))
		strbuf_addf(b, "-%c ", letter_of(row));
	if (row->name)
		strbuf_addf(b, "--%s ", row->name);
}

/* Names of the metrics of a command's view. */
static void add_metrics(struct strbuf *b, const char *command)
{
	const struct view *view = view_of_command(command);

	for (size_t i = 0; view && i < MAX_METRICS && view->metrics[i].unit.name; i++)
		strbuf_addf(b, "%s ", view->metrics[i].unit.name);
}

static void bash_arguments(const struct command *c, const struct argp_option *rows)
{
	for (const struct argp_option *row = rows; !is_last_row(row); row++) {
		_cleanup_strbuf_ struct strbuf words = {};
		char letter = letter_of(row);

		if (!is_shown_row(row) || !row->arg)
			continue;
		if (row->name && !strcmp(row->name, "metric"))
			add_metrics(&words, c->name);
		else
			add_argument_words(&words, row);
		printf("\t\t");
		if (letter)
			printf("%s:-%c", c->name, letter);
		if (row->name)
			printf("%s%s:--%s", letter ? "|" : "", c->name, row->name);
		if (!strcmp(row->arg, "FILE"))
			printf(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
		else
			printf(") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
			       words.s ? words.s : "");
	}
}

void generate_bash(void)
{
	printf("# bash completion for wick: made by `wick generate bash`\n"
	       "_wick()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} word\n"
	       "\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (size_t i = 0; i < nr_commands; i++)
		printf("%s ", command_at(i).name);
	printf("--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\t# What follows -- is another program's.\n"
	       "\tfor word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
	       "\t\tif [ \"$word\" = -- ]; then COMPREPLY=($(compgen -c -f -- \"$cur\")); return; fi\n"
	       "\tdone\n"
	       "\tcase $command:$prev in\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};

		fill_rows_of(&c, rows);
		bash_arguments(&c, rows);
	}
	printf("\tesac\n\tcase $command in\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};
		_cleanup_strbuf_ struct strbuf words = {};

		fill_rows_of(&c, rows);
		for (const struct argp_option *row = rows; !is_last_row(row); row++)
			if (is_shown_row(row))
				add_option_words(&words, row);
		if (c.arguments && strchr(c.arguments, '|') && !words.size)
			strbuf_adds(&words, "man bash zsh");
		printf("\t%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")) ;;\n", c.name,
		       words.s ? words.s : "");
	}
	printf("\tesac\n"
	       "\tcase $command in flame|diff) COMPREPLY+=($(compgen -f -- \"$cur\")) ;; esac\n"
	       "}\ncomplete -F _wick wick\n");
}

/* A description inside of single quotes and brackets. */
static void put_zsh(const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct command *c, const struct argp_option *row)
{
	_cleanup_strbuf_ struct strbuf words = {};
	char letter = letter_of(row);

	if (row->name && !strcmp(row->name, "metric"))
		add_metrics(&words, c->name);
	else if (row->arg)
		add_argument_words(&words, row);
	for (int i = 0; i < 2; i++) {
		if (i ? !row->name : !letter)
			continue;
		printf("\t\t\t'*");
		if (i)
			printf("--%s%s", row->name, row->arg ? "=" : "");
		else
			printf("-%c%s", letter, row->arg ? "+" : "");
		printf("[");
		put_zsh(row->doc);
		printf("]");
		if (row->arg) {
			printf(":");
			put_zsh(row->arg);
			printf(":");
			if (!strcmp(row->arg, "FILE"))
				printf("_files");
			else if (words.size)
				printf("(%s)", words.s);
			else
				putchar(' ');
		}
		printf("' \\\n");
	}
}

void generate_zsh(void)
{
	printf("#compdef wick\n# made by `wick generate zsh`\n_wick() {\n\tlocal -a commands=(\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);

		printf("\t\t'%s:", c.name);
		put_zsh(c.summary);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	       "\tlocal command=$words[2]\n"
	       "\tshift words\n\t(( CURRENT-- ))\n"
	       "\tcase $command in\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};

		fill_rows_of(&c, rows);
		printf("\t%s)\n\t\t_arguments -s \\\n", c.name);
		for (const struct argp_option *row = rows; !is_last_row(row); row++)
			if (is_shown_row(row))
				zsh_option(&c, row);
		if (!c.arguments)
			printf("\t\t\t&& return\n");
		else if (*c.arguments == 'm')
			printf("\t\t\t'1:what:(man bash zsh)' && return\n");
		else
			printf("\t\t\t'*::argument:%s' && return\n",
			       strchr(c.arguments, 'P') ? "_normal" : "_files");
		printf("\t\t;;\n");
	}
	printf("\tesac\n}\n_wick \"$@\"\n");
}
