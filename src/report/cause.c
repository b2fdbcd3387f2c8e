/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause.c: what most of some blocks was for, in a few words: the place of a thread that had most of
 * what they waited for, or what no thread ended.
 */
#include "base/numbers.h"
#include "base/table.h"
#include "facts.h"
#include "format.h"
#include "why_text.h"

/* Of one cause: some of the blocks are enough where they have very many pieces. */
enum { MOST_PARTS = 256, ENOUGH_PIECES = 4096 };

bool is_delay(enum why_class class)
{
	static const bool delays[NR_WHY_CLASSES] = {
		[WHY_LOCK] = true,  [WHY_DISK] = true,	  [WHY_PAGING] = true,
		[WHY_CPU] = true,   [WHY_NETWORK] = true, [WHY_THROTTLED] = true,
		[WHY_SLEEP] = true, [WHY_PEER] = true,
	};

	return delays[class];
}

/* What threads of one name did of it, at one place. */
struct part {
	struct why_label label;
	bool own;     /* of the threads that waited, for what no thread ended */
	u32 leg;      /* one of the threads */
	u32 chain;    /* by which one of the blocks ended, where it is their own */
	bool several; /* of them, in several processes */
	bool is_same; /* short waits where those that waited wait themselves */
	u64 ns;
};

struct parts {
	VEC_FIELDS(struct part);
	struct table table;
	u64 pieces; /* that were looked at */
};

static struct string keep(struct facts *f, const struct strbuf *text)
{
	u32 ref = strings_add(&f->texts, text->s ? text->s : "", text->size);

	return strings_get(&f->texts, ref);
}

static void add_process_of(struct strbuf *b, const struct profile *p, u32 leg, bool several)
{
	const struct leg *of = &p->legs.at[leg];

	add_string(b, strings_get(&p->names, process_comm(p, of)));
	if (!several)
		strbuf_addf(b, " %u", of->pid);
}

struct string process_text(struct facts *f, struct string name, u32 pid, const char *after)
{
	_cleanup_strbuf_ struct strbuf text = {};

	add_string(&text, name);
	if (pid)
		strbuf_addf(&text, " %u", pid);
	strbuf_adds(&text, after);
	return keep(f, &text);
}

/* ---- the largest part */

static struct part part_of(struct why *why, const struct profile *p,
			   const struct why_pieces *pieces, const struct why_piece *piece,
			   const struct block *block)
{
	bool own = piece->step == WHY_NO_STEP, has_block = piece->block != WHY_NO_BLOCK;
	struct why_label waits =
		why_label_of_block(why, block->leg, (u32)(block - p->blocks.at), WHY_NR);
	struct why_label label = why_label_of_piece(why, pieces, piece, block->leg);

	return (struct part){
		.label = label,
		.own = own,
		.is_same = label.usual && label.usual == waits.function && label.comm == waits.comm,
		.leg = own ? block->leg : pieces->steps.at[piece->step].leg,
		.chain = own && has_block ? p->blocks.at[piece->block].chain : 0,
		.ns = piece->ns,
	};
}

static struct part *find_part(struct parts *parts, const struct part *like, u64 hash)
{
	struct table_probe probe = table_probe(&parts->table, hash);

	while (table_next(&probe)) {
		struct part *part = &parts->at[probe.ref];

		if (part->own == like->own &&
		    !memcmp(&part->label, &like->label, sizeof(like->label)))
			return part;
	}
	return NULL;
}

static void add_part(struct parts *parts, const struct profile *p, const struct part *new)
{
	u64 hash = hash_bytes(&new->label, sizeof(new->label)) + new->own;
	struct part *part = find_part(parts, new, hash);

	if (part) {
		add_to_sum(&part->ns, new->ns);
		part->several |= p->legs.at[part->leg].pid != p->legs.at[new->leg].pid;
	} else if (parts->nr < MOST_PARTS) {
		table_insert(&parts->table, hash, (u32)parts->nr);
		*vec_add(parts) = *new;
	}
}

static void add_block(struct parts *parts, struct why *why, const struct profile *p, u32 block)
{
	_cleanup_(why_pieces_release) struct why_pieces pieces = {};

	why_explain_all_like(why, block, &pieces);
	parts->pieces += pieces.pieces.nr;
	vec_for_each (&pieces.pieces, piece) {
		const struct part part = part_of(why, p, &pieces, piece, &p->blocks.at[block]);

		add_part(parts, p, &part);
	}
}

/*
 * Short waits tell little: they count where they are more than all the rest, and elsewhere than
 * where the threads wait that are to be explained.
 */
static u64 weight(const struct part *part, u64 sum)
{
	bool is_short = part->label.what == WHY_SHORT_WAITS;
	bool counts = !is_short || (part->ns > sum / 2 && !part->is_same);

	return counts ? part->ns : min(part->ns, (u64)1);
}

static const struct part *largest_of(const struct parts *parts)
{
	const struct part *largest = NULL;
	u64 sum = 0;

	vec_for_each (parts, part)
		add_to_sum(&sum, part->ns);
	vec_for_each (parts, part)
		if (part->ns && (!largest || weight(part, sum) > weight(largest, sum)))
			largest = part;
	return largest;
}

/* ---- words */

static void add_what(struct strbuf *b, const struct profile *p, const struct part *part)
{
	struct why_label at = part->label;

	switch (at.what) {
	case WHY_RAN:
		strbuf_adds(b, " ran");
		break;
	case WHY_NO_CPU:
		strbuf_adds(b, at.class == WHY_THROTTLED ? " had no quota" : " had no CPU");
		return;
	case WHY_SHORT_WAITS:
		if (!at.usual) {
			strbuf_adds(b, " in short waits");
			return;
		}
		strbuf_addf(b, ": %s", why_class_names[at.usual_class]);
		at.function = at.usual;
		break;
	case WHY_INTERRUPT:
	case WHY_UNKNOWN:
	case WHY_STILL:
		strbuf_addf(b, ": %s", why_class_names[at.class]);
		break;
	default:
		strbuf_adds(b, ", not explained further");
		return;
	}
	why_add_function(b, p, &at);
}

/* That a timer ended a sleep, or a disk's interrupt a wait for it, goes without saying. */
static bool says_more(const struct why_label *own)
{
	return own->what == WHY_INTERRUPT && own->class != WHY_SLEEP && own->class != WHY_DISK &&
	       own->class != WHY_PAGING;
}

/* Nothing where nothing is known that the delay itself does not say. */
static void add_words(struct strbuf *b, struct facts *f, struct profile *p, const struct part *part)
{
	if (part->own) {
		strbuf_adds(b, why_held_words[part->label.held]);
		if (says_more(&part->label))
			strbuf_adds(b, waker_of(f, p, part->chain).s);
		return;
	}
	add_process_of(b, p, part->leg, part->several);
	add_what(b, p, part);
}

/*
 * The bits of `i` below `end`, a power of 2, in reverse: wherever one stops, the numbers that came
 * are spread evenly.
 */
static size_t spread(size_t i, size_t end)
{
	size_t to = 0;

	for (; end > 1; end /= 2, i /= 2)
		to = 2 * to + i % 2;
	return to;
}

static void add_blocks(struct parts *parts, struct why *why, const struct profile *p,
		       const u32 *blocks, size_t nr)
{
	size_t end = 1;

	while (end < nr)
		end *= 2;
	for (size_t i = 0; i < end && parts->pieces < ENOUGH_PIECES; i++)
		if (spread(i, end) < nr)
			add_block(parts, why, p, blocks[spread(i, end)]);
}

struct string cause_of(struct facts *f, struct profile *p, struct why *why, const u32 *blocks,
		       size_t nr)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct parts parts = {};
	const struct part *largest;

	add_blocks(&parts, why, p, blocks, nr);
	largest = largest_of(&parts);
	if (largest)
		add_words(&text, f, p, largest);
	table_release(&parts.table);
	vec_release(&parts);
	return keep(f, &text);
}
