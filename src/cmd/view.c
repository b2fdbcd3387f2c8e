/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c: the commands that draw one view. */
#include "cmd.h"
#include "pages.h"
#include "run.h"
#include "view.h"

static struct drawing drawing_of(const char *name)
{
	const struct view *view = view_by_name(name);
	const struct page *page = page_of_view(view);

	return (struct drawing){
		.views = {view},
		.nr_views = 1,
		.page = page,
		.output_help =
			page ? "may be repeated; the suffix says the format: .txt and .json are the "
			       "page, others draw (the page on standard output)"
			     : "may be repeated; the suffix says the format; - is standard output "
			       "(VIEW-HOST-YYYYMMDD-HHMMSS.svg)"};
}

void view_options(const char *name, struct argp_option *rows)
{
	const struct drawing drawing = drawing_of(name);

	run_options_rows(&drawing, rows);
}

int cmd_view(int argc, char **argv)
{
	const struct drawing drawing = drawing_of(strrchr(argv[0], ' ') + 1);

	return run_command(&drawing, argc, argv, drawing.views[0]->summary);
}
