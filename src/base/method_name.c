/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "method_name.h"

static struct string from(struct string name, size_t at)
{
	return (struct string){.s = name.s + at, .size = name.size - at};
}

/* Where the name begins that follows the type; 0: it is no method's. */
static size_t find_name(struct string name)
{
	const char *blank = memchr(name.s, ' ', name.size);
	size_t at = blank ? (size_t)(blank - name.s) + 1 : 0;

	if (at < 2 || at == name.size || memchr(name.s, '(', name.size) ||
	    memchr(name.s, ':', name.size) || memchr(name.s + at, ' ', name.size - at) ||
	    !memchr(name.s + at, '.', name.size - at))
		return 0;
	return at;
}

struct string method_without_type(struct string name)
{
	return from(name, find_name(name));
}

struct string method_without_package(struct string name)
{
	size_t begin = find_name(name);
	const char *method, *class;

	if (!begin)
		return name;
	method = memrchr(name.s + begin, '.', name.size - begin);
	class = memrchr(name.s + begin, '.', (size_t)(method - name.s) - begin);
	return from(name, class ? (size_t)(class - name.s) + 1 : begin);
}

struct string method_short_name(struct string name)
{
	const char *open = memchr(name.s, '(', name.size);
	struct string plain = {name.s, open ? (size_t)(open - name.s) : name.size};

	return find_name(plain) ? method_without_package(plain) : name;
}
