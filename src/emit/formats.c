/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "writers.h"

const struct format formats[] = {
	{
		.name = "svg",
		.suffix = ".svg",
		.summary = "flame graph for a browser: zoom, search; one file",
		.write = write_svg,
	},
	{
		.name = "folded",
		.suffix = ".folded",
		.summary = "one line a stack, for other tools and for wick flame",
		.write = write_folded,
	},
	{
		.name = "text",
		.suffix = ".txt",
		.summary = "call tree with percents, for a terminal",
		.write = write_text,
	},
};

const size_t nr_formats = ARRAY_SIZE(formats);

const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < nr_formats; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const struct format *format_by_path(const char *path)
{
	size_t size = strlen(path);

	for (size_t i = 0; i < nr_formats; i++) {
		size_t suffix = strlen(formats[i].suffix);

		if (size > suffix && !strcmp(path + size - suffix, formats[i].suffix))
			return &formats[i];
	}
	return NULL;
}
