/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference_words.c: the table for a terminal.
 *
 *	before  old.folded: 1,600 samples
 *	now     new.folded: 2,400 samples; what was before is multiplied by 1.5
 *
 *	      self            total
 *	     now   change      now   change   function
 *	  12.50%  +12.50    25.00%  +12.50    compress
 *	   0.00%   -3.00     0.00%   -3.00    read_all (gone)
 *	   1.00%  ~+0.10     1.00%  ~+0.10    write_all
 */
#include "base/numbers.h"
#include "difference_parts.h"

static void add_safe(struct strbuf *b, const char *s, size_t size)
{
	strbuf_add_safe_utf8(b, s, size);
}

static void add_profile(struct strbuf *b, const char *when, const char *name, u64 total,
			const struct unit *unit)
{
	strbuf_addf(b, "%-7s ", when);
	add_safe(b, name, strlen(name));
	strbuf_adds(b, ": ");
	strbuf_add_quantity(b, total, unit);
}

static void add_head(struct strbuf *b, const struct difference_report *r)
{
	const struct difference *d = r->difference;

	add_profile(b, "before", r->before, d->before, &r->unit);
	strbuf_addc(b, '\n');
	add_profile(b, "now", r->now, d->now, &r->unit);
	if (d->normalised)
		strbuf_addf(b, "; what was before is multiplied by %.6g", d->factor);
	strbuf_adds(b, "\n\n      self                total\n"
		       "     now   change        now   change   function\n");
}

/* "  12.50%  +12.50": with a `~` it may be noise. */
static void add_columns(struct strbuf *b, const struct difference_report *r,
			const struct changed_value *value)
{
	const struct difference *d = r->difference;
	double change = difference_percent(d, difference_change(d, value));
	bool may_be_noise = difference_noise(r, value) == NOISE_WITHIN;
	char text[40] = "0.00";

	if (change <= -0.005 || change >= 0.005)
		snprintf(text, sizeof(text), "%s%+.2f", may_be_noise ? "~" : "", change);
	strbuf_addf(b, "%7.2f%% %8s  ", difference_percent(d, (double)value->now), text);
}

static void add_function(struct strbuf *b, const struct difference_report *r,
			 const struct changed_function *f)
{
	struct string name = strings_get(r->difference->tree.names, f->frame.name);

	add_columns(b, r, &f->self);
	add_columns(b, r, &f->total);
	strbuf_addc(b, ' ');
	add_safe(b, name.s, name.size);
	strbuf_adds(b, is_new(f) ? " (new)\n" : is_gone(f) ? " (gone)\n" : "\n");
}

static void add_legend(struct strbuf *b, const struct difference_report *r)
{
	strbuf_addf(b, "\nPercent of all that there %s; the change is in the same percent.\n",
		    r->difference->normalised || !r->difference->before ? "is now" : "was before");
	if (difference_knows_noise(r))
		strbuf_adds(b, "~: no more than chance may make of it (95 %).\n");
	else
		strbuf_addf(
			b,
			"Whether a change is more than noise is not known: the files do not say of how many "
			"events these %s are sums.\n",
			r->unit.time ? "times" : "bytes");
}

int report_difference_words(FILE *to, const struct difference_report *r)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_head(&b, r);
	for (size_t i = 0; i < min(r->top, r->functions->nr); i++)
		add_function(&b, r, &r->functions->at[i]);
	add_legend(&b, r);
	fwrite(b.s, 1, b.size, to);
	return fflush(to) || ferror(to) ? -errno : 0;
}
