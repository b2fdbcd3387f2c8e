/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c: the commands that draw one view. */
#include "cmd.h"
#include "run.h"
#include "view.h"

int cmd_view(int argc, char **argv)
{
	const struct view *view = view_by_name(strrchr(argv[0], ' ') + 1);
	const struct drawing drawing = {
		.views = view,
		.nr_views = 1,
		.output_help =
			"may be repeated; the suffix says the format; - is standard output (VIEW-HOST-YYYYMMDD-HHMMSS.svg)"};

	return run_command(&drawing, argc, argv, view->summary);
}
