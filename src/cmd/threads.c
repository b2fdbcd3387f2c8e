/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.c: `wick threads`: what every thread is doing now, in a second and without waiting. */
#include "cmd.h"
#include "run.h"
#include "view.h"

static struct drawing threads_now(void)
{
	return (struct drawing){
		.views = {&threads_view},
		.nr_views = 1,
		.text = true,
		.output_help =
			"may be repeated; the suffix says the format; - is standard output (-, as text)"};
}

void threads_options(const char *name, struct argp_option *rows)
{
	const struct drawing drawing = threads_now();

	(void)name;
	run_options_rows(&drawing, rows);
}

int cmd_threads(int argc, char **argv)
{
	const struct drawing drawing = threads_now();

	return run_command(&drawing, argc, argv, threads_view.summary);
}
