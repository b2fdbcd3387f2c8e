/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate_man.c: `wick generate man`: the man page, in the macros of man(7).
 */
#include "base/strbuf.h"
#include "cmd.h"
#include "collect.h"
#include "commands.h"
#include "emit.h"
#include "generate.h"
#include "option_rows.h"
#include "report.h"
#include "view.h"

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
	for (; !is_last_row(rows); rows++)
		if (is_shown_row(rows) && same_option(rows, row))
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

		fill_rows_of(&c, rows);
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

		fill_rows_of(&c, rows);
		for (struct argp_option *row = rows; !is_last_row(row); row++) {
			_cleanup_strbuf_ struct strbuf names = {};
			size_t takers;

			if (!is_shown_row(row) || find_row(done, row))
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

void generate_man(void)
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
