/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.c: the table of views, and what is found in it by name. */
#include "view.h"

#define ROW(name) &name##_view,

const struct view *const views[] = {VIEWS(ROW)};
_Static_assert(ARRAY_SIZE(views) == NR_VIEWS, "a row for each");

const struct view *view_by_name(const char *name)
{
	for (size_t i = 0; i < NR_VIEWS; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}

const struct view *view_of_command(const char *name)
{
	return !strcmp(threads_view.name, name) ? &threads_view : view_by_name(name);
}

const struct metric *metric_by_name(const struct view *view, const char *name)
{
	for (size_t i = 0; i < MAX_METRICS && view->metrics[i].unit.name; i++)
		if (!name || !strcmp(view->metrics[i].unit.name, name) ||
		    (view->metrics[i].also && !strcmp(view->metrics[i].also, name)))
			return &view->metrics[i];
	return NULL;
}
