/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "of_view.h"

#include "perf_names.h"
#include "view.h"

/* Clocks of perf, and the CPU's own cycles, of which a hybrid one has several kinds. */
static const struct {
	const struct view *view;
	const char *event;
} events[] = {
	{&cpu_view, "cpu-clock"},	 {&cpu_view, "task-clock"},
	{&cpu_view, "cycles"},		 {&cpu_view, "cpu-cycles"},
	{&cpu_view, "cpu_core/cycles/"}, {&cpu_view, "cpu_atom/cycles/"},
	{&cpu_view, "instructions"},	 {&faults_view, "page-faults"},
	{&faults_view, "faults"},	 {&faults_view, "minor-faults"},
	{&faults_view, "major-faults"},
};

/* Of wick's own profiles, of Go's of CPU time, of blocking and of mutexes, and perf's. */
static const struct {
	const struct view *view;
	const char *metric, *type;
} types[] = {
	{&cpu_view, "samples", "samples"},  {&cpu_view, "samples", "sample"},
	{&cpu_view, "samples", "cpu"},	    {&offcpu_view, "us", "delay"},
	{&offcpu_view, "ns", "delay"},	    {&offcpu_view, "count", "contentions"},
	{&faults_view, "faults", "faults"}, {&faults_view, "bytes", "bytes"},
};

bool view_has_event(const struct view *view, struct string event)
{
	struct string base = perf_event_base(event);

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].view == view && string_is(base, events[i].event))
			return true;
	return false;
}

/* What a sample on the CPU stands for is the same for all of them, whatever clock it was. */
bool view_wants_periods(const struct view *view)
{
	return view != &cpu_view;
}

const char *view_type(const struct view *view, const char *metric, size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(types); k++)
		if (types[k].view == view && !strcmp(types[k].metric, metric) && !i--)
			return types[k].type;
	return NULL;
}
