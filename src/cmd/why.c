/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why.c: `wick why`: what the waiting was for, on a page; with -o, as a picture. */
#include "cmd.h"
#include "run.h"
#include "view.h"

static const char summary[] = "what the waiting was for, down to its roots";

static struct drawing waits_explained(void)
{
	return (struct drawing){
		.views = {&why_view},
		.nr_views = 1,
		.why = true,
		.output_help =
			"a graph of what the time went into instead of the page; may be repeated; "
			"the suffix says the format"};
}

void why_options(const char *name, struct argp_option *rows)
{
	const struct drawing drawing = waits_explained();

	(void)name;
	run_options_rows(&drawing, rows);
}

int cmd_why(int argc, char **argv)
{
	const struct drawing drawing = waits_explained();

	return run_command(&drawing, argc, argv, summary);
}
