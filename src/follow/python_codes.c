/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_codes.h"

#include "base/strbuf.h"
#include "ids.h"
#include "python_lines.h"

enum { MAX_BYTES = 64 << 20 };

struct code {
	u32 version, first_line;
	u32 name, path; /* strings of the profile */
	u8 *lines;	/* owned */
	u32 size;
};

struct python_codes {
	VEC_FIELDS(struct code);
	struct ids by_id;
	u64 bytes;
	struct profile *profile;
	struct strbuf text;
};

struct python_codes *python_codes_new(struct profile *profile)
{
	struct python_codes *c = xcalloc(1, sizeof(*c));

	c->profile = profile;
	return c;
}

void python_codes_free(struct python_codes *c)
{
	if (!c)
		return;
	vec_for_each (c, code)
		free(code->lines);
	vec_release(c);
	ids_release(&c->by_id);
	strbuf_release(&c->text);
	free(c);
}

/* As UTF-8; what is no character (a half of a pair, beyond Unicode) is U+FFFD. */
static void add_character(struct strbuf *b, u32 c)
{
	enum { REPLACEMENT = 0xfffd };

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = REPLACEMENT;
	if (c < 0x80) {
		strbuf_addc(b, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addc(b, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		strbuf_addc(b, (char)(0xe0 | c >> 12));
		strbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		strbuf_addc(b, (char)(0xf0 | c >> 18));
		strbuf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addc(b, (char)(0x80 | (c & 0x3f)));
}

static u32 add_text(struct python_codes *c, const struct wick_python_text *text)
{
	u32 size = min(text->size, (u32)WICK_PYTHON_TEXT);

	strbuf_clear(&c->text);
	for (u32 i = 0; text->width && i + text->width <= size; i += text->width) {
		u32 character = 0;

		memcpy(&character, text->bytes + i, min(text->width, (u32)sizeof(character)));
		add_character(&c->text, character);
	}
	return strings_add(&c->profile->names, c->text.s ?: "", c->text.size);
}

void python_codes_add(struct python_codes *c, const struct wick_code_body *body)
{
	struct code *code;
	u32 row;

	if (ids_get(&c->by_id, body->body.id, &row) || c->bytes > MAX_BYTES)
		return;
	c->bytes += sizeof(*code) + body->body.nr;
	ids_set(&c->by_id, body->body.id, (u32)c->nr);
	code = vec_add(c);
	code->version = body->version;
	code->first_line = body->first_line;
	code->name = add_text(c, &body->name);
	code->path = add_text(c, &body->file);
	code->size = body->body.nr;
	code->lines = code->size ? xmemdup(body + 1, code->size) : NULL;
}

static struct string base_name(struct string path)
{
	size_t at = path.size;

	while (at && path.s[at - 1] != '/')
		at--;
	return (struct string){path.s + at, path.size - at};
}

static u32 named(struct python_codes *c, const struct code *code, u64 place)
{
	struct profile *p = c->profile;
	struct string name = strings_get(&p->names, code->name);
	struct string path = strings_get(&p->names, code->path), base = base_name(path);
	u32 line = python_line(code->version, code->first_line, code->lines, code->size, place);
	_cleanup_free_ char *module = NULL;

	strbuf_clear(&c->text);
	strbuf_add(&c->text, name.s, name.size);
	strbuf_adds(&c->text, " (");
	strbuf_add(&c->text, base.s, base.size);
	if (line)
		strbuf_addf(&c->text, ":%u", line);
	strbuf_addc(&c->text, ')');
	module = format("%.*s", (int)path.size, path.s);
	return profile_function(p, c->text.s, c->text.size, module, FRAME_JIT, true);
}

u32 python_codes_frame(struct python_codes *c, const struct wick_python_frame *frame)
{
	u32 row, function;

	if (ids_get(&c->by_id, frame->code, &row))
		function = named(c, &c->at[row], frame->place & WICK_PYTHON_PLACE);
	else
		function = profile_note(c->profile, "[python]");
	return profile_frame(c->profile, SPACE_NOTE, 0, function);
}
