/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h: rows of struct view's metrics. `what` is the unit's name, `from` the column of the
 * samples.
 */
#ifndef VIEW_METRICS_H
#define VIEW_METRICS_H

#include "view.h"

#define PLAIN(what, from)                                                                          \
	{                                                                                          \
		.unit = {.name = what, .divisor = 1}, .column = from                               \
	}
#define COUNT_OF(what, from)                                                                       \
	{                                                                                          \
		.unit = {.name = what, .divisor = 1}, .column = from, .also = "count"              \
	}
#define MICROSECONDS(from)                                                                         \
	{                                                                                          \
		.unit = {.name = "us", .divisor = 1000, .time = true}, .column = from              \
	}
#define NANOSECONDS(from)                                                                          \
	{                                                                                          \
		.unit = {.name = "ns", .divisor = 1, .time = true}, .column = from                 \
	}
#define BYTES(from)                                                                                \
	{                                                                                          \
		.unit = {.name = "bytes", .divisor = 1, .bytes = true}, .column = from             \
	}

#endif
