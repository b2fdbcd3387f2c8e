/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_names.c: the summary's lines on code without names, and what to do about it. */
#include "advice.h"
#include "format.h"
#include "words.h"

enum { WORST = 3 };

static void add_nameless(struct strbuf *b, const struct nameless *n, const char *package, u64 all)
{
	if (n->what == NAMELESS_FILE) {
		add_string(b, n->name);
		strbuf_addf(b, ", %.1f %%: ", percent(n->weight, all));
		advise_file(b, package, n->state);
	} else if (n->what == NAMELESS_PROCESS) {
		add_string(b, n->name);
		strbuf_addf(b, " %u, %.1f %%: ", n->pid, percent(n->weight, all));
		if (n->has_code)
			advise_process(b, n->runtime.size ? n->runtime.s : n->name.s, n->inner_pid,
				       n->state);
		else
			strbuf_adds(b, "its memory map could not be read before it ended");
	} else {
		strbuf_addf(b, "unknown code, %.1f %%", percent(n->weight, all));
	}
}

static char **packages_of_worst(const struct name_facts *names, size_t shown)
{
	_cleanup_free_ struct string *paths = xcalloc(shown, sizeof(*paths));

	for (size_t i = 0; i < shown; i++)
		if (names->worst.at[i].what == NAMELESS_FILE &&
		    advice_needs_package(names->worst.at[i].state))
			paths[i] = names->worst.at[i].path;
	return packages_of(paths, shown);
}

static void print_worst(FILE *to, const struct name_facts *names, size_t shown)
{
	char **packages = packages_of_worst(names, shown);
	_cleanup_strbuf_ struct strbuf line = {};

	for (size_t i = 0; i < shown; i++) {
		strbuf_adds(&line, "  ");
		add_nameless(&line, &names->worst.at[i], packages[i], names->all);
		print_line(to, &line);
	}
	packages_free(packages, shown);
}

void add_worst_name(struct strbuf *b, const struct name_facts *names)
{
	char **packages = packages_of_worst(names, 1);

	add_nameless(b, &names->worst.at[0], packages[0], names->all);
	packages_free(packages, 1);
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
	if (names->files_without_time)
		fprintf(to,
			"names     lines of source: of %llu files, not all were found in time or memory; "
			"--no-inlines does without them\n",
			(unsigned long long)names->files_without_time);
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
