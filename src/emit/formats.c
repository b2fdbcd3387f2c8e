/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats.c: the table of formats, and what is found in it by name or suffix. */
#include "emit.h"

#define ROW(name) &name##_format,

const struct format *const formats[] = {FORMATS(ROW)};
_Static_assert(ARRAY_SIZE(formats) == NR_FORMATS, "a row for each");

const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct format *format_by_path(const char *path)
{
	size_t size = strlen(path);

	for (size_t i = 0; i < NR_FORMATS; i++) {
		size_t suffix = strlen(formats[i]->suffix);

		if (size > suffix && !strcmp(path + size - suffix, formats[i]->suffix))
			return formats[i];
	}
	return NULL;
}

int format_write(const struct format *format, const struct drawn *drawn,
		 const struct caption *caption, FILE *out, struct error *error)
{
	return format->write ? format->write(drawn->tree, caption, out, error)
			     : format->write_stacks(drawn->stacks, caption, out, error);
}
