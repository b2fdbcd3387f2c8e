/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "window_time.h"

#include <time.h>

/* "14:05", "14:05:30.5": seconds of the day; false: it is none. */
static bool parse_time_of_day(const char *text, double *seconds)
{
	unsigned int hours, minutes;
	double rest = 0;
	int end = 0;

	if (sscanf(text, "%2u:%2u%n", &hours, &minutes, &end) != 2 || hours > 23 || minutes > 59)
		return false;
	text += end;
	if (*text == ':' && sscanf(text, ":%lf%n", &rest, &end) == 1)
		text += end;
	*seconds = hours * 3600.0 + minutes * 60.0 + rest;
	return !*text && rest >= 0 && rest < 61;
}

/* Seconds from the window's begin to that time of day, the first one after it. */
static double after_start(u64 wall_start_ns, double time_of_day)
{
	time_t start = (time_t)(wall_start_ns / NSEC_PER_SEC);
	double fraction = (double)(wall_start_ns % NSEC_PER_SEC) / 1e9, after;
	struct tm local = {};

	localtime_r(&start, &local);
	after = time_of_day -
		(local.tm_hour * 3600.0 + local.tm_min * 60.0 + local.tm_sec + fraction);
	return after < 0 ? after + 24 * 3600.0 : after;
}

int time_in_window(const char *which, const char *text, u64 wall_start_ns, u64 *ns,
		   struct error *error)
{
	double seconds, time_of_day;
	char *end;

	seconds = strtod(text, &end);
	if (parse_time_of_day(text, &time_of_day))
		seconds = after_start(wall_start_ns, time_of_day);
	else if (end == text || *end || !(seconds >= 0 && seconds < 1e9))
		return fail(error, -EINVAL,
			    "bad %s: '%s'; it takes seconds after the window's begin, or a time of "
			    "day, 14:05:30",
			    which, text);
	*ns = (u64)(seconds * 1e9 + 0.5);
	return 0;
}
