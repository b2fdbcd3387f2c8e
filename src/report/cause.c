/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause.c: what most of a block was for, in a few words: the thread that did most of what it
 * waited for, or what no thread ended.
 */
#include "facts.h"
#include "format.h"

bool is_delay(enum why_class class)
{
	static const bool delays[NR_WHY_CLASSES] = {
		[WHY_LOCK] = true,    [WHY_DISK] = true,      [WHY_PAGING] = true, [WHY_CPU] = true,
		[WHY_NETWORK] = true, [WHY_THROTTLED] = true, [WHY_SLEEP] = true,
	};

	return delays[class];
}

/* What one thread did of it. */
struct part {
	u32 step; /* that led to the thread; WHY_NO_STEP: it is the block's own */
	u32 leg, block;
	enum why_what what;
	u64 ns;
};

static struct string keep(struct facts *f, const struct strbuf *text)
{
	u32 ref = strings_add(&f->texts, text->s ? text->s : "", text->size);

	return strings_get(&f->texts, ref);
}

static void add_process_of(struct strbuf *b, const struct profile *p, u32 leg)
{
	const struct leg *of = &p->legs.at[leg];

	add_string(b, strings_get(&p->names, of->image ? p->images.at[of->image].comm : of->comm));
	strbuf_addf(b, " %u", of->pid);
}

struct string process_text(struct facts *f, struct string name, u32 pid, const char *after)
{
	_cleanup_strbuf_ struct strbuf text = {};

	add_string(&text, name);
	strbuf_addf(&text, " %u%s", pid, after);
	return keep(f, &text);
}

/* ---- the largest part */

static struct part part_of(const struct profile *p, const struct why_pieces *pieces,
			   const struct why_piece *piece, u32 block)
{
	bool own = piece->step == WHY_NO_STEP;

	return (struct part){
		.step = piece->step,
		.leg = own ? p->blocks.at[block].leg : pieces->steps.at[piece->step].leg,
		.block = piece->block,
		.what = piece->what,
		.ns = piece->ns,
	};
}

static struct part largest_part(const struct profile *p, const struct why_pieces *pieces, u32 block)
{
	struct part largest = {};
	VEC(struct part) parts = {};

	vec_for_each (&pieces->pieces, piece) {
		const struct part new = part_of(p, pieces, piece, block);
		struct part *part = NULL;

		for (size_t i = 0; i < parts.nr && !part; i++)
			if (parts.at[i].leg == new.leg && parts.at[i].what == new.what)
				part = &parts.at[i];
		if (part)
			part->ns += new.ns;
		else
			*(part = vec_add(&parts)) = new;
		if (part->ns > largest.ns)
			largest = *part;
	}
	vec_release(&parts);
	return largest;
}

/* ---- words */

/* Where the thread was when it ended what led to it. */
static struct string place_of_step(struct facts *f, struct profile *p,
				   const struct why_pieces *pieces, u32 step)
{
	u32 block = pieces->steps.at[step].block;
	const struct hop *hop;

	if (block == WHY_NO_BLOCK)
		return (struct string){"", 0};
	hop = why_hop(p, &p->blocks.at[block]);
	return hop && (hop->user || hop->kernel) ? short_place_of(f, p, hop->user, hop->kernel)
						 : (struct string){"", 0};
}

static void add_ran(struct strbuf *b, struct facts *f, struct profile *p,
		    const struct why_pieces *pieces, const struct part *part)
{
	struct string place = place_of_step(f, p, pieces, part->step);

	add_process_of(b, p, part->leg);
	strbuf_adds(b, " ran");
	if (place.size)
		strbuf_addf(b, ": %s", place.s);
}

/* Nothing where nothing is known that the delay itself does not say. */
static void add_part(struct strbuf *b, struct facts *f, struct profile *p,
		     const struct why_pieces *pieces, const struct part *part)
{
	bool own = part->step == WHY_NO_STEP;

	if (part->what == WHY_INTERRUPT && part->block != WHY_NO_BLOCK) {
		if (!own) {
			add_process_of(b, p, part->leg);
			strbuf_adds(b, " waited for ");
		}
		strbuf_adds(b, waker_of(f, p, p->blocks.at[part->block].chain).s);
	} else if (!own && part->what == WHY_RAN) {
		add_ran(b, f, p, pieces, part);
	} else if (!own) {
		add_process_of(b, p, part->leg);
		strbuf_adds(b, part->what == WHY_NO_CPU	       ? " had no CPU"
			       : part->what == WHY_SHORT_WAITS ? " in short waits"
							       : ", not explained further");
	}
}

struct string cause_of(struct facts *f, struct profile *p, const struct why *why, u32 block)
{
	_cleanup_(why_pieces_release) struct why_pieces pieces = {};
	_cleanup_strbuf_ struct strbuf text = {};
	struct part largest;

	why_explain_block(why, block, &pieces);
	largest = largest_part(p, &pieces, block);
	if (largest.ns)
		add_part(&text, f, p, &pieces, &largest);
	return keep(f, &text);
}
