/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.c: the table of views. */
#include "cpu.h"
#include "view.h"

const struct view views[] = {
	{
		.name = "cpu",
		.title = "On-CPU flame graph",
		.summary = "where threads were when they ran; width: samples of CPU time",
		.unit = {.name = "samples", .divisor = 1},
		.project = project_cpu,
	},
};

const size_t nr_views = ARRAY_SIZE(views);

const struct view *view_by_name(const char *name)
{
	for (size_t i = 0; i < nr_views; i++)
		if (!strcmp(views[i].name, name))
			return &views[i];
	return NULL;
}
