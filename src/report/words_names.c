/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_names.c: the summary's lines on code without names, and what to do about it. */
#include "advice.h"
#include "format.h"
#include "words.h"

enum { WORST = 3 };

static void print_nameless(FILE *to, const struct nameless *n, const char *package, u64 all)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "  ");
	if (n->what == NAMELESS_FILE) {
		add_string(&line, n->name);
		strbuf_addf(&line, ", %.1f %%: ", percent(n->weight, all));
		advise_file(&line, package, n->state);
	} else if (n->what == NAMELESS_PROCESS) {
		add_string(&line, n->name);
		strbuf_addf(&line, " %u, %.1f %%: ", n->pid, percent(n->weight, all));
		if (n->has_code)
			advise_process(&line, n->name.s, n->inner_pid, n->state);
		else
			strbuf_adds(&line, "its memory map could not be read before it ended");
	} else {
		strbuf_addf(&line, "unknown code, %.1f %%", percent(n->weight, all));
	}
	print_line(to, &line);
}

static void print_worst(FILE *to, const struct name_facts *names, size_t shown)
{
	_cleanup_free_ struct string *paths = xcalloc(shown, sizeof(*paths));
	char **packages;

	for (size_t i = 0; i < shown; i++)
		if (names->worst.at[i].what == NAMELESS_FILE &&
		    advice_needs_package(names->worst.at[i].state))
			paths[i] = names->worst.at[i].path;
	packages = packages_of(paths, shown);
	for (size_t i = 0; i < shown; i++)
		print_nameless(to, &names->worst.at[i], packages[i], names->all);
	packages_free(packages, shown);
}

void names_words(FILE *to, const struct facts *f)
{
	const struct name_facts *names = &f->names;
	const char *missing = f->options.missing_capabilities;

	if (names->all)
		fprintf(to, "names     %.1f %% of user frames have one%s\n",
			percent(names->named, names->all),
			names->named < names->all ? "; without:" : "");
	print_worst(to, names,
		    f->options.all ? names->worst.nr : min(names->worst.nr, (size_t)WORST));
	if (names->unfollowed)
		fprintf(to,
			"names     of processes that ended in the run may be missing: perf events "
			"are forbidden here, see `wick doctor`\n");
	if (names->named < names->all && missing && *missing)
		fprintf(to, "names     there would be more with %s: see `wick doctor`\n", missing);
	if (names->kernel_error)
		fprintf(to,
			"names     kernel frames have none (%s): allow them with "
			"`sysctl kernel.kptr_restrict=1` and run as root\n",
			strerror(names->kernel_error));
}
