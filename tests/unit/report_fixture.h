/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_fixture.h: what a report says of a profile built by hand. */
#ifndef WICK_REPORT_FIXTURE_H
#define WICK_REPORT_FIXTURE_H

#include "report.h"
#include "view_fixture.h"

static inline void run_init(struct fixture *f)
{
	fixture_init(f);
	f->p.host = strings_adds(&f->p.names, "host");
	f->p.kernel_release = strings_adds(&f->p.names, "6.18");
	f->p.event = strings_adds(&f->p.names, "cpu-clock");
	f->p.nr_cpus = 2;
	f->p.frequency = 99;
	for (size_t i = 0; i < ARRAY_SIZE(f->p.cost.blocks.thresholds); i++)
		f->p.cost.blocks.thresholds[i].above_ns = NSEC_PER_MSEC << i;
}

static inline void counted(struct fixture *f, enum wick_kind kind, u32 leg, u32 state, u64 first,
			   u64 second, u64 third)
{
	profile_count(&f->p, &(struct sample){.kind = kind,
					      .state = state,
					      .leg = leg,
					      .column = {first, second, third}});
}

/* What is printed; `write` gets finished facts. With the cpu view's tree, if that was observed. */
static inline char *printed(struct fixture *f, const struct report_options *options,
			    void (*write)(FILE *to, const struct facts *facts))
{
	struct call_tree tree = {};
	struct facts facts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report_options with_why = *options;
	struct why *why = why_new(&f->p);

	with_why.why = why;
	facts_init(&facts, &f->p, &with_why);
	if (options->needs & NEED_CPU)
		project(f, "cpu", NULL, &tree);
	facts_finish(&facts, &f->p, tree.nr ? &tree : NULL);
	write(out, &facts);
	fclose(out);
	facts_release(&facts);
	why_free(why);
	call_tree_release(&tree);
	return text;
}

static inline char *words_of(struct fixture *f, u32 needs, bool all)
{
	return printed(f, &(struct report_options){.needs = needs, .all = all}, report_words);
}

static inline char *subtitle_of(struct fixture *f, const struct view *view,
				struct view_options options)
{
	const struct report_options report = {.needs = view->needs};
	struct facts facts;
	struct call_tree tree;
	struct stack_sink sink = call_tree_sink(&tree);
	char *text;

	options.metric = metric_by_name(view, NULL);
	call_tree_init(&tree, &f->p.names);
	view->project(&f->p, &options, &sink);
	call_tree_finish(&tree);
	facts_init(&facts, &f->p, &report);
	text = report_subtitle(&facts, &f->p, view, &options, &tree);
	facts_release(&facts);
	call_tree_release(&tree);
	return text;
}

#define CHECK_SAYS(text, part)                                                                     \
	do {                                                                                       \
		if (!strstr(text, part))                                                           \
			test_report("%s:%d: \"%s\" does not say \"%s\"", __FILE__, __LINE__, text, \
				    part);                                                         \
	} while (0)

/* The whole line that begins with `name`. */
#define CHECK_LINE(text, name, want)                                                               \
	do {                                                                                       \
		_cleanup_free_ char *found_line = line_of(text, name);                             \
		CHECK_STR(found_line, want);                                                       \
	} while (0)

static inline char *line_of(const char *text, const char *name)
{
	size_t size = strlen(name);

	while (text && strncmp(text, name, size))
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
	return text ? format("%.*s", (int)strcspn(text, "\n"), text) : NULL;
}

#endif
