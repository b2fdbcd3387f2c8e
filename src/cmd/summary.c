/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <sys/ioctl.h>

#include "cmd.h"
#include "output.h"
#include "pages.h"
#include "recording.h"

/* ---- its begin and its end */

void finished_release(struct finished *f)
{
	facts_release(&f->facts);
	why_free(f->why);
	vec_release(&f->missing);
	vec_for_each (&f->left_out, left_out) {
		free((char *)left_out->picture);
		vec_release(left_out);
	}
	vec_release(&f->left_out);
	strbuf_release(&f->missing_capabilities);
	call_tree_release(&f->cpu);
	vec_for_each (&f->written, path)
		free(*path);
	vec_release(&f->written);
	free(f->directory);
}

/* What would name more, if this process had it: "CAP_BPF, CAP_SYSLOG". */
static void add_missing_capabilities(struct strbuf *b)
{
	for (size_t i = 0; i < nr_capabilities; i++)
		if (capabilities[i].names && !has_capability(capabilities[i].number))
			strbuf_addf(b, "%s%s", b->size ? ", " : "", capabilities[i].name);
}

void summary_begin(struct finished *f)
{
	struct report_options options = {.needs = f->o->needs, .all = f->o->stats, .why = f->why};

	vec_for_each (&f->o->drawing.missing, view)
		*vec_add(&f->missing) = (struct missing_fact){.view = view->name, .why = view->why};
	options.missing = f->missing.at;
	options.nr_missing = f->missing.nr;
	if (!f->o->input)
		add_missing_capabilities(&f->missing_capabilities);
	options.missing_capabilities = f->missing_capabilities.s;
	facts_init(&f->facts, f->p, &options);
}

/* ---- JSON */

static int print_json(const struct finished *f)
{
	const struct page *page = f->o->drawing.page;
	int err = page ? page_print_json(f, page)
		       : report_json(stdout, &f->facts, f->written.at, f->written.nr);
	struct error error;

	if (!err)
		return 0;
	fail(&error, err, "cannot write to standard output: %s", strerror(-err));
	print_error(&error);
	return 1;
}

static int write_json(const struct finished *f, const char *path, struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	int err = output_open(&out, path, OUTPUT_REPLACE, error);

	if (err)
		return err;
	report_json(out.stream, &f->facts, f->written.at, f->written.nr);
	return output_commit(&out, error);
}

/* Among the pictures of a record. */
static int save_json(struct finished *f)
{
	_cleanup_free_ char *path = format("%s/" SUMMARY_NAME, f->directory);
	struct error error;

	*vec_add(&f->written) = xstrdup(path);
	if (!write_json(f, path, &error))
		return 0;
	print_error(&error);
	return 1;
}

/* ---- words */

/* As wide as a terminal is, which may be narrower than what all others get. */
static unsigned int screen_width(void)
{
	struct winsize size;

	if (!isatty(STDERR_FILENO) || ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		return SCREEN_WIDTH;
	return size.ws_col && size.ws_col < SCREEN_WIDTH ? SCREEN_NARROW : SCREEN_WIDTH;
}

static void print_words(const struct finished *f)
{
	unsigned int written = f->directory ? 1 : (unsigned int)f->written.nr;

	if (f->o->stats)
		report_words(stderr, &f->facts);
	report_screen(stderr, &f->facts, screen_width(), written);
}

int summary_write(struct finished *f)
{
	int failed = 0;

	if (!f->directory && !f->o->json && f->o->quiet)
		return 0;
	f->facts.options.left_out = f->left_out.at;
	f->facts.options.nr_left_out = f->left_out.nr;
	facts_finish(&f->facts, f->p, f->cpu.nr ? &f->cpu : NULL);
	if (f->directory)
		failed = save_json(f);
	if (f->o->json)
		return failed | print_json(f);
	if (!f->o->quiet)
		print_words(f);
	return failed;
}

/* ---- files */

static void print_directory(const struct finished *f)
{
	const struct drawing *drawing = &f->o->drawing;
	const struct format *written[NR_FORMATS];
	size_t nr = recorded_formats(f, written);
	_cleanup_strbuf_ struct strbuf suffixes = {}, pages = {};

	for (size_t i = 0; i < nr; i++)
		strbuf_add_listed(&suffixes, written[i]->suffix, i, nr, "and");
	for (size_t i = 0; i < drawing->nr_views; i++)
		if (page_of_view(drawing->views[i]))
			strbuf_addf(&pages, "%s.txt, ", drawing->views[i]->name);
	fprintf(stderr, "wrote     %s: %zu views, each as %s; %s%s" SUMMARY_NAME "\n", f->directory,
		drawing->nr_views, suffixes.s, pages.s ? pages.s : "",
		f->o->recording || f->o->input ? "" : "recording" RECORDING_SUFFIX ", ");
	if (f->o->recording)
		fprintf(stderr, "wrote     %s\n", f->o->recording);
}

/* Last, so that they need not be looked for above the summary. */
void summary_print_files(const struct finished *f, int failed)
{
	if (f->directory && !failed)
		print_directory(f);
	if (f->directory)
		return;
	vec_for_each (&f->written, path)
		if (strcmp(*path, "-"))
			fprintf(stderr, "wrote     %s\n", *path);
}
