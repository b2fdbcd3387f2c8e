/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include <sys/ioctl.h>

#include "cmd.h"
#include "window_time.h"

#define JSON_SUFFIX ".json"

struct page {
	const struct view *view;
	void (*text)(FILE *to, struct profile *p, struct why *why, struct page_size size);
	int (*json)(FILE *to, struct profile *p, struct why *why);
};

static const struct page pages[] = {
	{.view = &why_view, .text = report_why, .json = report_why_json},
	{.view = &locks_view, .text = report_locks, .json = report_locks_json},
};

const struct page *page_of_view(const struct view *view)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i].view == view)
			return &pages[i];
	return NULL;
}

bool page_takes_path(const char *path)
{
	size_t size = strlen(path), suffix = strlen(JSON_SUFFIX);

	return size > suffix && !strcmp(path + size - suffix, JSON_SUFFIX);
}

/* Of a terminal, which may be smaller than what all others get. */
static struct page_size size_of_screen(void)
{
	struct page_size size = {PAGE_COLUMNS, PAGE_LINES};
	struct winsize window;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window))
		return size;
	if (window.ws_col && window.ws_col < PAGE_COLUMNS)
		size.columns = SCREEN_NARROW;
	/* The prompt's line follows. */
	if (window.ws_row && window.ws_row <= PAGE_LINES)
		size.lines = max((u32)window.ws_row - 1, (u32)PAGE_FEWEST_LINES);
	return size;
}

static void write_text(const struct finished *f, const struct page *page, FILE *to,
		       struct page_size size)
{
	if (f->o->at)
		report_moment(to, f->p, f->why, &f->moment, size);
	else
		page->text(to, f->p, f->why, size);
}

static int write_json(const struct finished *f, const struct page *page, FILE *to)
{
	return f->o->at ? report_moment_json(to, f->p, f->why, &f->moment)
			: page->json(to, f->p, f->why);
}

int page_find_moment(struct finished *f, struct error *error)
{
	u64 length = f->p->end - f->p->begin, at;
	u32 tid = f->o->tids.ids.at[0];
	int err = time_in_window("--at", f->o->at, f->p->wall_start_ns, &at, error);

	if (err)
		return err;
	if (at >= length)
		return fail(error, -ERANGE, "--at %s is after the window's end: it has %.3f s",
			    f->o->at, (double)length / 1e9);
	if (why_moment(f->why, tid, f->p->begin + at, &f->moment))
		return fail(
			error, -ESRCH,
			"no thread %u was seen in the run; `wick threads` lists those that there "
			"are now",
			tid);
	return 0;
}

int page_print(const struct finished *f, const struct page *page)
{
	write_text(f, page, stdout, size_of_screen());
	return finish_standard_output(page->view->name);
}

int page_print_json(const struct finished *f, const struct page *page)
{
	return write_json(f, page, stdout);
}

int page_write(struct finished *f, const struct page *page, const char *path, enum output_as as)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	struct error error;

	if (output_open(&out, path, OUTPUT_REPLACE, &error)) {
		print_error(&error);
		return 1;
	}
	if (as == AS_JSON)
		write_json(f, page, out.stream);
	else
		write_text(f, page, out.stream, (struct page_size){PAGE_COLUMNS, PAGE_LINES});
	if (output_commit(&out, &error)) {
		print_error(&error);
		return 1;
	}
	*vec_add(&f->written) = xstrdup(path);
	return 0;
}
