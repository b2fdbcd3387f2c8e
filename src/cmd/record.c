/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c: `wick record`: all instruments in one window, so that all views speak of the same time.
 */
#include "cmd.h"
#include "run.h"
#include "view.h"

static struct drawing all_views(void)
{
	struct drawing all = {
		.nr_views = NR_VIEWS,
		.directory = true,
		.output_help =
			"the directory (record-HOST-YYYYMMDD-HHMMSS); an existing one is written into"};

	memcpy(all.views, views, sizeof(views));
	return all;
}

void record_options(const char *name, struct argp_option *rows)
{
	const struct drawing drawing = all_views();

	(void)name;
	run_options_rows(&drawing, rows);
}

int cmd_record(int argc, char **argv)
{
	const struct drawing drawing = all_views();

	return run_command(&drawing, argc, argv,
			   "Every view of one run, as SVG and folded text, in a directory.");
}
