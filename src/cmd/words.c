/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"

#include "base/numbers.h"

size_t letter_index(u32 state)
{
	char letter = (char)(state & WICK_STATE_LETTER);
	const char *at = letter ? strchr(STATE_LETTERS, letter) : NULL;

	return at ? (size_t)(at - STATE_LETTERS) : NR_LETTERS;
}

double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double seconds(u64 ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

void add_number(struct strbuf *b, u64 value)
{
	strbuf_add_number(b, value);
}

void add_seconds(struct strbuf *b, u64 ns)
{
	u64 ms = (ns + NSEC_PER_MSEC / 2) / NSEC_PER_MSEC;

	add_number(b, ms / 1000);
	strbuf_addf(b, ".%03u s", (unsigned int)(ms % 1000));
}

void add_bytes(struct strbuf *b, u64 bytes)
{
	strbuf_add_bytes(b, bytes);
}

void add_string(struct strbuf *b, const struct profile *p, u32 ref)
{
	struct string s = strings_get(&p->names, ref);

	strbuf_add_safe_utf8(b, s.s, s.size);
}

void add_thread(struct strbuf *b, const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];

	add_string(b, p, leg->comm);
	strbuf_addf(b, "-%u/%u", leg->pid, leg->tid);
}

void add_losses(struct strbuf *b, const struct profile *p, enum wick_kind kind, const char *before)
{
	bool first = true;

	vec_for_each (&p->losses, loss) {
		if (!loss->value || loss->kind != kind)
			continue;
		strbuf_addf(b, "%s%s ", first ? before : ", ", loss->cause);
		if (kind == WICK_SCHED && loss->note)
			add_seconds(b, loss->value);
		else
			add_number(b, loss->value);
		first = false;
	}
}

void print_line(FILE *to, struct strbuf *line)
{
	fprintf(to, "%s\n", line->s ? line->s : "");
	strbuf_clear(line);
}
