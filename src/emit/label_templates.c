/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * label_templates.c: `<...>` for the arguments of templates.
 *
 * Which brackets are a template's? `<` right behind an identifier, an operator's sign, or `::`;
 * names of other languages and Rust's `<T as Trait>::f` have it at the beginning, or behind
 * something else. Brackets are read once, with those that are open on a stack: in parentheses, `<`
 * and `>` may also be comparisons, so `)` closes what was opened since its `(`. D's are `!(...)`.
 */
#include "label.h"

#include "base/numbers.h"

enum {
	DEEPEST = 255, /* brackets; a name with more stays as it is */
	DOTS = 3,
};

struct shortening {
	struct strbuf *out;
	struct string name;
	size_t at;
	size_t nr_open;
	char open[DEEPEST];
	size_t cut; /* how many are open in the template that is left out; 0: none is */
	size_t cut_at;
	bool shorter;
};

static bool follows(const struct shortening *s, size_t at, const char *text)
{
	size_t size = strlen(text);

	return s->name.size - at >= size && !memcmp(s->name.s + at, text, size);
}

static bool is_of_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The size of `operator<<`, and of the space that stands before its template's arguments; or 0. */
static size_t operator_size(const struct shortening *s)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<",
					    ">>", "<=", ">=",  "->",  "<",   ">"};
	static const char word[] = "operator";
	size_t end = s->at + strlen(word), sign = 0;

	if (!follows(s, s->at, word) || (s->at && is_of_identifier(s->name.s[s->at - 1])))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(signs) && !sign; i++)
		if (follows(s, end, signs[i]))
			sign = strlen(signs[i]);
	while (!sign && end < s->name.size && s->name.s[end] &&
	       strchr("=!+-*/%^&|~,", s->name.s[end]))
		end++;
	end += sign;
	return end - s->at + follows(s, end, " <");
}

/* Has the bracket at s->at a template's arguments? */
static bool is_template(const struct shortening *s, bool of_operator)
{
	char before = s->at ? s->name.s[s->at - 1] : 0;

	if (s->name.s[s->at] == '(')
		return before == '!' && !of_operator;
	if (of_operator || is_of_identifier(before) || before == ']' || before == '}')
		return true;
	return before == ':' && !follows(s, s->at, "<impl ") && !follows(s, s->at, "<lambda") &&
	       !follows(s, s->at, "<unnamed");
}

static bool push(struct shortening *s, char c)
{
	if (s->nr_open == DEEPEST)
		return false;
	s->open[s->nr_open++] = c;
	return true;
}

static void end_cut(struct shortening *s)
{
	size_t size = s->at - s->cut_at;

	s->cut = 0;
	if (label_columns(s->name.s + s->cut_at, size) > DOTS) {
		strbuf_adds(s->out, "...");
		s->shorter = true;
	} else {
		strbuf_add(s->out, s->name.s + s->cut_at, size);
	}
}

/* False: this bracket has no partner. */
static bool close_angle(struct shortening *s)
{
	if (!s->nr_open)
		return false;
	if (s->open[s->nr_open - 1] == '(') /* "greater than" */
		return true;
	if (s->nr_open-- == s->cut)
		end_cut(s);
	return true;
}

static bool close_parenthesis(struct shortening *s)
{
	while (s->nr_open && s->open[s->nr_open - 1] == '<')
		s->nr_open--;
	if (!s->nr_open || s->nr_open < s->cut)
		return false;
	if (s->nr_open-- == s->cut)
		end_cut(s);
	return true;
}

static bool read_bracket(struct shortening *s, bool of_operator)
{
	char c = s->name.s[s->at];
	bool begins = (c == '<' || c == '(') && !s->cut && is_template(s, of_operator);

	if (c == ')' && !close_parenthesis(s))
		return false;
	if (c == '>' && !(s->at && s->name.s[s->at - 1] == '-') && !close_angle(s))
		return false;
	if ((c == '<' || c == '(') && !push(s, c))
		return false;
	if (!s->cut)
		strbuf_addc(s->out, c);
	if (begins) {
		s->cut = s->nr_open;
		s->cut_at = s->at + 1;
	}
	return true;
}

static bool shorten(struct shortening *s)
{
	bool of_operator = false;

	while (s->at < s->name.size) {
		size_t size = operator_size(s);

		if (size) {
			if (!s->cut)
				strbuf_add(s->out, s->name.s + s->at, size);
		} else if (!read_bracket(s, of_operator)) {
			return false;
		}
		of_operator = size > 0;
		s->at += max(size, (size_t)1);
	}
	return !s->nr_open && s->shorter;
}

bool strbuf_add_templates_shortened(struct strbuf *b, struct string name)
{
	_cleanup_strbuf_ struct strbuf out = {};
	struct shortening s = {.out = &out, .name = name};

	if (!memchr(name.s, '<', name.size) && !memchr(name.s, '!', name.size))
		return false;
	if (!shorten(&s))
		return false;
	strbuf_add(b, out.s, out.size);
	return true;
}
