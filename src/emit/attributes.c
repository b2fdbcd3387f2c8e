/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attributes.c: --nameattr's file.
 *
 *	main<TAB>class=hot<TAB>title=where it begins<TAB>href=https://example.org/
 *
 * The user wrote it, but the picture is passed on: it never gets a handler of events or a link
 * that runs a script.
 */
#include "attributes.h"

#include <ctype.h>

#include "xml.h"

struct attributes {
	struct strings names;
	VEC(struct name_attributes) of;
	VEC(u32) by_name; /* index + 1; 0: none */
};

struct line {
	struct name_attributes *of;
	const char *file_name;
	size_t number;
	struct error *error;
};

struct attributes *attributes_new(void)
{
	struct attributes *attributes = xcalloc(1, sizeof(*attributes));

	strings_init(&attributes->names);
	return attributes;
}

void attributes_free(struct attributes *attributes)
{
	if (!attributes)
		return;
	vec_for_each (&attributes->of, of) {
		free(of->title);
		strbuf_release(&of->xml);
	}
	vec_release(&attributes->of);
	vec_release(&attributes->by_name);
	strings_release(&attributes->names);
	free(attributes);
}

#define fail_line(line, fmt, ...)                                                                  \
	fail((line)->error, -EINVAL, "%s:%zu: " fmt, (line)->file_name, (line)->number,            \
	     ##__VA_ARGS__)

static void add_attribute(struct name_attributes *of, const char *key, const char *value,
			  size_t size)
{
	strbuf_addf(&of->xml, " %s=\"", key);
	xml_add_bytes(&of->xml, value, size);
	strbuf_addc(&of->xml, '"');
}

/* javascript:, data: and their like; what is relative has no scheme. */
static bool is_safe_link(const char *link)
{
	static const char *const schemes[] = {"http:", "https:", "mailto:", "file:"};
	size_t scheme = strcspn(link, ":/?#");

	for (const char *c = link; *c; c++)
		if ((unsigned char)*c <= ' ')
			return false;
	if (link[scheme] != ':')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (!strncasecmp(link, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

static bool is_safe_key(const char *key)
{
	static const char *const unsafe[] = {"href", "xlink:href", "title", "style", "xmlns"};

	if (!isalpha((unsigned char)*key) || !strncasecmp(key, "on", 2))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(unsafe); i++)
		if (!strcasecmp(key, unsafe[i]))
			return false;
	return key[strspn(key,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] ==
	       '\0';
}

/* `key="value" key="value"` */
static int add_extra(struct line *line, const char *text)
{
	while (*(text += strspn(text, " "))) {
		size_t size = strcspn(text, "=");
		_cleanup_free_ char *key = format("%.*s", (int)size, text);
		const char *value = text + size + 2, *end;

		if (text[size] != '=' || text[size + 1] != '"' || !(end = strchr(value, '"')))
			return fail_line(line, "further attributes are 'key=\"value\"'");
		if (!is_safe_key(key))
			return fail_line(line, "no attribute '%s' here", key);
		add_attribute(line->of, key, value, (size_t)(end - value));
		text = end + 1;
	}
	return 0;
}

static int add_link(struct line *line, const char *value)
{
	if (!is_safe_link(value))
		return fail_line(line, "no link to '%s': http, https, mailto, file, or relative",
				 value);
	line->of->link = true;
	add_attribute(line->of, "href", value, strlen(value));
	return 0;
}

static int add_pair(struct line *line, const char *key, const char *value)
{
	if (!strcmp(key, "href") || !strcmp(key, "xlink:href"))
		return add_link(line, value);
	if (!strcmp(key, "g_extra") || !strcmp(key, "a_extra"))
		return add_extra(line, value);
	if (!strcmp(key, "title")) {
		free(line->of->title);
		line->of->title = xstrdup(value);
		return 0;
	}
	if (strcmp(key, "id") && strcmp(key, "class") && strcmp(key, "target"))
		return fail_line(line,
				 "no attribute '%s'; there are id, class, title, href, target, "
				 "g_extra and a_extra",
				 key);
	add_attribute(line->of, key, value, strlen(value));
	return 0;
}

static int add_pairs(struct line *line, char *text)
{
	char *pair;

	while ((pair = strsep(&text, "\t"))) {
		char *value = strchr(pair, '=');
		int err;

		if (!value)
			return fail_line(line, "'%s' is not 'key=value'", pair);
		*value++ = '\0';
		err = add_pair(line, pair, value);
		if (err)
			return err;
	}
	return 0;
}

/* The last line of a name counts. */
static struct name_attributes *new_name(struct attributes *attributes, const char *name)
{
	u32 ref = strings_adds(&attributes->names, name);

	while (attributes->by_name.nr <= ref)
		vec_add(&attributes->by_name);
	attributes->by_name.at[ref] = (u32)attributes->of.nr + 1;
	return vec_add(&attributes->of);
}

int attributes_read(struct attributes *attributes, FILE *in, const char *file_name,
		    struct error *error)
{
	_cleanup_free_ char *text = NULL;
	struct line line = {.file_name = file_name, .error = error};
	size_t room = 0;

	while (getline(&text, &room, in) >= 0) {
		char *tab = strchr(text, '\t');
		int err;

		line.number++;
		text[strcspn(text, "\r\n")] = '\0';
		if (!tab)
			return fail_line(&line, "a line is a name and, behind a tab, 'key=value'");
		*tab = '\0';
		line.of = new_name(attributes, text);
		err = add_pairs(&line, tab + 1);
		if (err)
			return err;
	}
	return 0;
}

const struct name_attributes *attributes_of(const struct attributes *attributes, struct string name)
{
	u32 ref = strings_find(&attributes->names, name.s, name.size);

	if (!ref || ref >= attributes->by_name.nr || !attributes->by_name.at[ref])
		return NULL;
	return &attributes->of.at[attributes->by_name.at[ref] - 1];
}
