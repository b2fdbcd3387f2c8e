/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c: `wick record`: all instruments in one window, so that all views speak of the same time. */
#include "cmd.h"
#include "run.h"
#include "view.h"

int cmd_record(int argc, char **argv)
{
	const struct drawing drawing = {
		.views = views,
		.nr_views = nr_views,
		.directory = true,
		.output_help =
			"the directory (record-HOST-YYYYMMDD-HHMMSS); one that is there is written into"};

	return run_command(&drawing, argc, argv,
			   "Every view of one run, as SVG and folded text, in a directory.");
}
