/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c: `wick generate man|bash|zsh`: the man page and the shells' completions, written from
 * the tables of commands, options and views, so that they cannot say anything else than the program
 * does. Used by `make install`.
 */
#include "base/strbuf.h"
#include "cmd.h"
#include "collect.h"
#include "commands.h"
#include "emit.h"
#include "option_rows.h"
#include "options.h"
#include "report.h"
#include "view.h"

/* Of an array of rows that ends with an empty one. */
static void rows_release(void *rows)
{
	run_options_rows_release(rows);
}

static bool is_last(const struct argp_option *row)
{
	return !row->name && !row->key && !row->doc && !row->group;
}

/* An option that a user sees. */
static bool is_shown(const struct argp_option *row)
{
	return !(row->flags & OPTION_HIDDEN) && (row->name || row->key);
}

static char letter_of(const struct argp_option *row)
{
	return row->key > ' ' && row->key < 127 ? (char)row->key : '\0';
}

/* ---- the man page: man(7) */

enum { FILL = 60 }; /* columns of the source, after which a line ends at the next blank */

/* Text for roff: a dash is a dash, and what begins a line is no request. */
static void put_text(const char *text)
{
	unsigned int column = 0;

	for (; *text; text++) {
		bool ends = *text == '\n' || (*text == ' ' && column > FILL);

		if (!column && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (ends)
			putchar('\n');
		else if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
		column = ends ? 0 : column + 1;
	}
}

/* The same of lines that stay as they are. */
static void put_lines(const char *text)
{
	for (; *text; text++)
		fputs(*text == '-' ? "\\-" : (char[]){*text, '\0'}, stdout);
}

/* Paragraphs are separated by empty lines, which roff does not like. */
static void put_paragraphs(const char *text)
{
	const char *end;

	while ((end = strstr(text, "\n\n"))) {
		_cleanup_free_ char *part = format("%.*s", (int)(end - text), text);

		put_text(part);
		printf("\n.PP\n");
		text = end + 2;
	}
	put_text(text);
	putchar('\n');
}

static void put_option(const struct argp_option *row)
{
	char letter = letter_of(row);

	printf(".TP\n");
	if (letter)
		printf("\\fB\\-%c\\fR", letter);
	if (letter && row->name)
		printf(", ");
	if (row->name) {
		printf("\\fB\\-\\-");
		put_text(row->name);
		printf("\\fR");
	}
	if (row->arg) {
		printf("%s\\fI", row->name ? "=" : " ");
		put_text(row->arg);
		printf("\\fR");
	}
	putchar('\n');
	put_text(row->doc ? row->doc : "");
	putchar('\n');
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* What an option says of itself can be a command's own. */
static bool same_option(const struct argp_option *a, const struct argp_option *b)
{
	return a->key == b->key && same_text(a->name, b->name) && same_text(a->doc, b->doc);
}

static const struct argp_option *find_row(const struct argp_option *rows,
					  const struct argp_option *row)
{
	for (; !is_last(rows); rows++)
		if (is_shown(rows) && same_option(rows, row))
			return rows;
	return NULL;
}

/* How many commands take this option, and which those are. */
static size_t takers_of(const struct argp_option *row, struct strbuf *names)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};

		if (!c.options)
			continue;
		c.options(c.name, rows);
		if (!find_row(rows, row))
			continue;
		strbuf_addf(names, "%s%s", nr++ ? ", " : "", c.name);
	}
	return nr;
}

/* Every option once, with the commands that take it. */
static void put_options(void)
{
	_cleanup_(rows_release) struct argp_option done[2 * MAX_OPTION_ROWS] = {};
	size_t nr = 0;

	printf(".SH OPTIONS\nAn option means the same in every command that takes it.\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};

		if (!c.options)
			continue;
		c.options(c.name, rows);
		for (struct argp_option *row = rows; !is_last(row); row++) {
			_cleanup_strbuf_ struct strbuf names = {};
			size_t takers;

			if (!is_shown(row) || find_row(done, row))
				continue;
			assert(nr + 1 < ARRAY_SIZE(done));
			takers = takers_of(row, &names);
			put_option(row);
			done[nr++] = *row;
			if (row->key == OPT_METRIC)
				row->doc = NULL; /* it is the other's now */
			/* All that profile: that goes without saying. */
			if (takers <= NR_VIEWS) {
				printf("(");
				put_text(names.s);
				printf(")\n");
			}
		}
	}
}

static void put_upper(const char *text)
{
	for (; *text; text++)
		putchar(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

static void put_graph(const struct view *view)
{
	_cleanup_free_ char *first = format("%s: %s.", view->title, view->summary);

	printf(".SH \"THE GRAPH ");
	put_upper(view->name);
	printf("\"\n");
	put_paragraphs(first);
	printf(".PP\n");
	put_paragraphs(view->reading);
	printf(".PP\nAn example, as folded text (%s):\n.PP\n.RS\n.nf\n",
	       view->metrics[0].unit.name);
	put_lines(view->example);
	printf("\n.fi\n.RE\n.PP\n");
	put_paragraphs(view->meaning);
}

/* An object's members are a row for each of its meanings. */
static void put_json_members(void)
{
	printf(".SH \"THE JSON SUMMARY\"\n");
	put_paragraphs(
		"`--json` prints it, and `record` writes it as summary.json. Times are seconds where "
		"nothing else is said. An object that a run does not observe is not there. \"[]\" "
		"marks an array. Members may be added; where one changes, the member `schema` grows.");
	for (size_t i = 0; i < nr_json_members; i++) {
		const struct json_members *row = &json_members[i];

		printf(".TP\n\\fB");
		put_text(row->object);
		printf("\\fR%s\\fI", *row->object ? ": " : "");
		put_text(row->names);
		printf("\\fR\n");
		put_text(row->meaning);
		putchar('\n');
	}
}

static void put_capabilities(void)
{
	_cleanup_strbuf_ struct strbuf text = {};

	strbuf_adds(&text, "Root has them all. Without root, every view takes ");
	for (size_t i = 0, nr = 0; i < nr_capabilities; i++)
		if (capabilities[i].required)
			strbuf_addf(&text, "%s%s", nr++ ? " and " : "", capabilities[i].name);
	strbuf_adds(
		&text,
		". The others make it better. A run gives up those that it does not use when it begins:");
	printf(".SH CAPABILITIES\n");
	put_paragraphs(text.s);
	for (size_t i = 0; i < nr_capabilities; i++) {
		if (capabilities[i].required)
			continue;
		printf(".TP\n.B %s\n", capabilities[i].name);
		put_paragraphs(capabilities[i].use);
	}
}

static void put_commands(void)
{
	printf(".SH COMMANDS\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);

		printf(".TP\n\\fBwick %s\\fR", c.name);
		if (c.options)
			printf(" [\\fIoptions\\fR]");
		if (c.arguments) {
			putchar(' ');
			put_text(c.arguments);
		}
		putchar('\n');
		put_text(c.summary);
		putchar('\n');
	}
}

static void generate_man(void)
{
	printf(".TH WICK 1 %s \"wick %s\" \"User Commands\"\n", WICK_DATE, WICK_VERSION);
	printf(".SH NAME\nwick \\- where a Linux host's time and memory go, as flame graphs\n");
	printf(".SH SYNOPSIS\n.B wick\n.I COMMAND\n[\\fIoptions\\fR] [\\-\\- \\fIprogram args...\\fR]\n");
	printf(".SH DESCRIPTION\n");
	put_paragraphs(
		"wick watches every thread of a host from inside the kernel with BPF: where it runs, where it "
		"waits and who ends the wait, where its memory comes from. It draws flame graphs, SVG files for a "
		"browser, or writes folded text.\n\n"
		"`wick record` draws everything, from one run of 30 s, into a directory. `wick threads` shows what "
		"a host that hangs is doing. `wick why` says what the waiting was for. `wick doctor` says what a host allows, and "
		"loads every BPF program to know it.\n\n"
		"In each graph, a box is a function. The box below it is its caller; the boxes above it are the "
		"functions that it called. The title says what width means. The order from left to right is "
		"alphabetical and means nothing. The lowest box of a tower is the process's name; threads with a name of their own stand on it. Frames in brackets "
		"are notes: they say what wick does not know.");
	put_commands();
	put_options();
	for (size_t i = 0; i < NR_VIEWS; i++)
		put_graph(views[i]);
	put_json_members();
	put_capabilities();
	printf(".SH \"EXIT STATUS\"\n");
	put_paragraphs(
		"0: done. 1: failed; of wick diff, also: grown by more than --fail-above. 2: wrong usage. With -- program: the program's own.");
	printf(".SH SIGNALS\n");
	put_paragraphs(
		"SIGINT, SIGTERM and SIGHUP end a run early; what was collected is written. A second one quits. "
		"SIGHUP is ignored where it was when wick began, as under nohup.");
	printf(".SH \"SEE ALSO\"\n.BR perf (1),\n.BR bpftrace (8),\n.BR capabilities (7)\n");
}

/* ---- completions */

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
	for (const struct argp_option *row = rows; !is_last(row); row++) {
		_cleanup_strbuf_ struct strbuf words = {};
		char letter = letter_of(row);

		if (!is_shown(row) || !row->arg)
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

static void generate_bash(void)
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

		if (!c.options)
			continue;
		c.options(c.name, rows);
		bash_arguments(&c, rows);
	}
	printf("\tesac\n\tcase $command in\n");
	for (size_t i = 0; i < nr_commands; i++) {
		const struct command c = command_at(i);
		_cleanup_(rows_release) struct argp_option rows[MAX_OPTION_ROWS] = {};
		_cleanup_strbuf_ struct strbuf words = {};

		if (c.options)
			c.options(c.name, rows);
		for (const struct argp_option *row = rows; !is_last(row); row++)
			if (is_shown(row))
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

static void generate_zsh(void)
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

		if (c.options)
			c.options(c.name, rows);
		printf("\t%s)\n\t\t_arguments -s \\\n", c.name);
		for (const struct argp_option *row = rows; !is_last(row); row++)
			if (is_shown(row))
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

/* ---- the command */

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
