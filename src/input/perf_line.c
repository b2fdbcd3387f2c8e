/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_line.c: a thread's name comes first in an event's line, and may be anything: `Web Content`,
 * `2 1.5: x`. So the first number counts as the PID behind which all else is as perf prints it.
 */
#include "perf_line.h"

enum { MAX_FLAGS = 4 /* words between the CPU and the time */ };

/* What is left of a line. */
struct rest {
	const char *at, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct rest *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
}

/* To the next blank; empty at the line's end. */
static struct string take_word(struct rest *r)
{
	const char *begin;

	skip_blanks(r);
	begin = r->at;
	while (r->at < r->end && !is_blank(*r->at))
		r->at++;
	return (struct string){.s = begin, .size = (size_t)(r->at - begin)};
}

static struct string part_of(struct string s, size_t from, size_t to)
{
	return (struct string){.s = s.s + from, .size = to - from};
}

static size_t count_digits(struct string s, size_t from)
{
	size_t at = from;

	while (at < s.size && is_digit(s.s[at]))
		at++;
	return at - from;
}

/* 12, or -1 for a process that perf does not know. Its size; 0: it is none. */
static size_t id_size(struct string s, size_t from)
{
	size_t sign = from < s.size && s.s[from] == '-';
	size_t digits = count_digits(s, from + sign);

	return digits ? sign + digits : 0;
}

/* 12, or 12/34. */
static bool take_ids(struct rest *r, struct perf_event *event)
{
	struct string word = take_word(r);
	size_t first = id_size(word, 0), second;

	if (!first)
		return false;
	event->pid = (struct string){.s = "", .size = 0};
	event->tid = part_of(word, 0, first);
	if (first == word.size)
		return true;
	second = word.s[first] == '/' ? id_size(word, first + 1) : 0;
	if (!second || first + 1 + second != word.size)
		return false;
	event->pid = event->tid;
	event->tid = part_of(word, first + 1, word.size);
	return true;
}

/* [001] */
static bool is_cpu(struct string word)
{
	return word.size > 2 && word.s[0] == '[' && word.s[word.size - 1] == ']' &&
	       count_digits(word, 1) == word.size - 2;
}

/* 158665.570607: */
static bool is_time(struct string word)
{
	size_t whole = count_digits(word, 0), fraction;

	if (!whole || whole == word.size || word.s[whole] != '.')
		return false;
	fraction = count_digits(word, whole + 1);
	return fraction && whole + fraction + 2 == word.size && word.s[word.size - 1] == ':';
}

/* Of some flags, which begin with a letter or a dot. */
static bool take_time(struct rest *r)
{
	for (size_t i = 0; i <= MAX_FLAGS; i++) {
		struct string word = take_word(r);

		if (is_time(word))
			return true;
		if (!word.size || is_digit(word.s[0]) || word.s[word.size - 1] == ':')
			return false;
	}
	return false;
}

static void take_cpu(struct rest *r)
{
	struct rest next = *r;

	if (is_cpu(take_word(&next)))
		*r = next;
}

/* A number of 2^64 or more is not one. */
static bool take_period(struct rest *r, u64 *period)
{
	struct rest next = *r;
	struct string word = take_word(&next);
	u64 value = 0;

	if (!word.size || count_digits(word, 0) != word.size)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (u64)(word.s[i] - '0'), &value))
			return false;
	*period = value;
	*r = next;
	return true;
}

/* Its name, without the colon that follows. */
static bool take_name(struct rest *r, struct string *name)
{
	struct rest next = *r;
	struct string word = take_word(&next);

	if (word.size < 2 || word.s[word.size - 1] != ':' || is_time(word))
		return false;
	*name = part_of(word, 0, word.size - 1);
	*r = next;
	return true;
}

/* All from the ids on. */
static bool parse_from_ids(struct rest r, bool with_time, struct perf_event *event)
{
	struct perf_event found = {.event = {"", 0}};

	if (!take_ids(&r, &found))
		return false;
	take_cpu(&r);
	found.has_time = with_time;
	if (with_time && !take_time(&r))
		return false;
	found.has_period = take_period(&r, &found.period);
	/* Without -F event, there is nothing behind the time. */
	if (!take_name(&r, &found.event) && !with_time)
		return false;
	skip_blanks(&r);
	found.rest = (struct string){.s = r.at, .size = (size_t)(r.end - r.at)};
	*event = found;
	return true;
}

static bool parse_event(struct string line, bool with_time, struct perf_event *event)
{
	struct rest r = {line.s, line.s + line.size};
	const char *comm;

	skip_blanks(&r);
	comm = r.at;
	while (r.at < r.end) {
		const char *end = r.at;

		if (parse_from_ids(r, with_time, event)) {
			while (end > comm && is_blank(end[-1]))
				end--;
			event->comm = (struct string){.s = comm, .size = (size_t)(end - comm)};
			return true;
		}
		take_word(&r);
		skip_blanks(&r);
	}
	return false;
}

bool perf_event_parse(struct string line, struct perf_event *event)
{
	return parse_event(line, true, event) || parse_event(line, false, event);
}

/* ---- frames */

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* At most 16 digits. */
static bool take_address(struct rest *r, u64 *address)
{
	struct string word = take_word(r);
	u64 value = 0;

	if (string_begins(word, "0x"))
		word = part_of(word, 2, word.size);
	if (!word.size || word.size > 16)
		return false;
	for (size_t i = 0; i < word.size; i++) {
		int digit = hex_digit(word.s[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (u64)digit;
	}
	*address = value;
	return true;
}

/* Where the module's parenthesis opens: "f(int) (/tmp/x (deleted))" at the second one. */
static size_t find_module(struct string s)
{
	size_t depth = 0, at = s.size;

	if (!s.size || s.s[s.size - 1] != ')')
		return s.size;
	while (at-- > 0) {
		depth += s.s[at] == ')';
		depth -= s.s[at] == '(';
		if (!depth)
			break;
	}
	return !depth && (!at || is_blank(s.s[at - 1])) ? at : s.size;
}

/* "+0x1f" at the end is perf's, and no part of a name. */
static struct string without_offset(struct string s)
{
	size_t at = s.size;

	while (at && hex_digit(s.s[at - 1]) >= 0)
		at--;
	if (at == s.size || at < 3 || memcmp(s.s + at - 3, "+0x", 3))
		return s;
	return part_of(s, 0, at - 3);
}

static struct string trimmed(struct string s)
{
	while (s.size && is_blank(s.s[s.size - 1]))
		s.size--;
	return s;
}

bool perf_frame_parse(struct string line, struct perf_frame *frame)
{
	struct rest r = {line.s, line.s + line.size};
	struct perf_frame found = {.module = {"", 0}};
	struct string text;
	size_t module;

	if (!take_address(&r, &found.address))
		return false;
	skip_blanks(&r);
	text = (struct string){.s = r.at, .size = (size_t)(r.end - r.at)};
	module = find_module(text);
	found.symbol = without_offset(trimmed(part_of(text, 0, module)));
	if (module < text.size)
		found.module = without_offset(part_of(text, module + 1, text.size - 1));
	found.inlined = found.module.size == 7 && !memcmp(found.module.s, "inlined", 7);
	if (found.inlined)
		found.module = (struct string){"", 0};
	*frame = found;
	return true;
}
