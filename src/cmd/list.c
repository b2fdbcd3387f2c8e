/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c: `wick list` prints the tables. */
#include "base/strbuf.h"
#include "cmd.h"
#include "collect.h"
#include "emit.h"
#include "view.h"

static int wider(int columns, const char *word)
{
	return max(columns, (int)strlen(word));
}

static void list_views(void)
{
	int columns = 10;

	for (size_t i = 0; i < NR_VIEWS; i++)
		columns = wider(columns, views[i]->name);
	printf("views:\n");
	for (size_t i = 0; i < NR_VIEWS; i++)
		printf("  %-*s %s\n", columns, views[i]->name, views[i]->summary);
}

static void list_formats(void)
{
	int names = 10, suffixes = 8;

	for (size_t i = 0; i < NR_FORMATS; i++) {
		names = wider(names, formats[i]->name);
		suffixes = wider(suffixes, formats[i]->suffix);
	}
	printf("formats:\n");
	for (size_t i = 0; i < NR_FORMATS; i++)
		printf("  %-*s %-*s %s\n", names, formats[i]->name, suffixes, formats[i]->suffix,
		       formats[i]->summary);
}

static void list_hooks(const char *title, const struct hook *hooks, size_t nr)
{
	printf("%s:\n", title);
	for (size_t i = 0; i < nr; i++)
		printf("  %-18s %s\n", hooks[i].name, hooks[i].summary);
}

int cmd_list(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf palettes = {};

	if (argc > 1) {
		fprintf(stderr, "%s: takes no arguments\n", argv[0]);
		return 2;
	}
	list_views();
	list_formats();
	printf("instruments:\n");
	for (size_t i = 0; i < nr_instruments; i++)
		printf("  %-10s %s\n", instruments[i].name, instruments[i].summary);
	list_hooks("switch hooks", switch_hooks, nr_switch_hooks);
	list_hooks("call hooks", call_hooks, nr_call_hooks);
	palette_names(&palettes);
	printf("palettes for --colors:\n  %s\n", palettes.s);
	return finish_standard_output(argv[0]);
}
