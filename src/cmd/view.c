/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c: the commands that draw one view. */
#include "cmd.h"
#include "run.h"
#include "view.h"

static struct drawing drawing_of(const char *name)
{
	return (struct drawing){
		.views = {view_by_name(name)},
		.nr_views = 1,
		.output_help =
			"may be repeated; the suffix says the format; - is standard output (VIEW-HOST-YYYYMMDD-HHMMSS.svg)"};
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
