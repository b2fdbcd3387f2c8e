/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c: what the memory instruments saw, in a few lines, and in the subtitles of their
 * pictures.
 */
#include "summary.h"
#include "words.h"

enum {
	FAULTS = 0, /* columns of a fault's sample */
	RESIDENT = 1,
	NS = 2,
	CALLS = 0, /* and of a call's */
	BYTES = 1,
};

/* ---- sums */

static u64 all_of(const struct profile *p, enum wick_kind kind, unsigned int column)
{
	return profile_sum(p, kind, column, 0, 0);
}

/* Per second of the window. */
static void add_rate(struct strbuf *b, const struct profile *p, u64 bytes)
{
	u64 ns = max(p->end - p->begin, (u64)1);

	add_bytes(b, (u64)((double)bytes * (double)NSEC_PER_SEC / (double)ns + 0.5));
	strbuf_adds(b, "/s");
}

static const char *plural(u64 nr)
{
	return nr == 1 ? "" : "s";
}

/* ---- faults */

const char *resident_warning(const struct profile *p)
{
	return p->huge_pages ? "far too low, since transparent huge pages are set to always here"
			     : "too low where huge pages are used";
}

static void add_faults(struct strbuf *b, const struct profile *p)
{
	u64 all = all_of(p, WICK_FAULT, FAULTS);

	add_number(b, all);
	strbuf_addf(b, " fault%s, ", plural(all));
	add_bytes(b, all_of(p, WICK_FAULT, RESIDENT));
	if (p->by_faults)
		strbuf_addf(b, " (a page each: this run does not know what became resident; %s)",
			    resident_warning(p));
	else
		strbuf_adds(b, " became resident");
	strbuf_adds(b, ", ");
	add_seconds(b, all_of(p, WICK_FAULT, NS));
	strbuf_adds(b, " in them");
}

void add_fault_words(struct strbuf *b, const struct profile *p)
{
	strbuf_adds(b, ", ");
	add_faults(b, p);
	add_losses(b, p, WICK_FAULT, ", lost: ");
}

void print_faults(FILE *to, const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf line = {};
	u64 major = profile_sum(p, WICK_FAULT, FAULTS, WICK_MEMORY_MAJOR, WICK_MEMORY_MAJOR);
	u64 by_call =
		profile_sum(p, WICK_FAULT, RESIDENT, WICK_MEMORY_BY_CALL, WICK_MEMORY_BY_CALL);

	strbuf_adds(&line, "faults    ");
	add_faults(&line, p);
	strbuf_adds(&line, "; ");
	add_number(&line, major);
	strbuf_addf(&line, " major (%.3f s), ",
		    seconds(profile_sum(p, WICK_FAULT, NS, WICK_MEMORY_MAJOR, WICK_MEMORY_MAJOR)));
	add_number(&line, profile_sum(p, WICK_FAULT, FAULTS, WICK_MEMORY_IN_KERNEL,
				      WICK_MEMORY_IN_KERNEL));
	strbuf_adds(&line, " taken in the kernel");
	if (by_call) {
		strbuf_adds(&line, ", ");
		add_bytes(&line, by_call);
		strbuf_adds(&line, " made resident by system calls");
	}
	if (p->failed_faults) {
		strbuf_adds(&line, "; ");
		add_number(&line, p->failed_faults);
		strbuf_adds(&line, " begun and not done (a bad address, or a signal)");
	}
	add_losses(&line, p, WICK_FAULT, "; lost: ");
	print_line(to, &line);
}

/* ---- brk and mmap */

static void add_held(struct strbuf *b, const struct memory_account *account)
{
	add_bytes(b, account->held);
	strbuf_adds(b, " outstanding");
}

static void add_gone(struct strbuf *b, const struct memory_account *account)
{
	if (!account->gone)
		return;
	strbuf_adds(b, ", ");
	add_bytes(b, account->gone);
	strbuf_adds(b, " gone with their processes");
}

static void add_32_bit(struct strbuf *b, const struct profile *p)
{
	if (!p->processes_32_bit)
		return;
	strbuf_adds(b, "; not seen: the calls of ");
	add_number(b, p->processes_32_bit);
	strbuf_addf(b, " process%s of 32 bits", p->processes_32_bit == 1 ? "" : "es");
}

void print_brk(FILE *to, const struct profile *p)
{
	const struct memory_account *account = &p->memory[MEMORY_BRK];
	u64 grown = all_of(p, WICK_BRK, BYTES), calls = all_of(p, WICK_BRK, CALLS);
	bool shrank = account->given_back > grown;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "brk       ");
	add_bytes(&line, grown);
	strbuf_adds(&line, " grown by ");
	add_number(&line, calls);
	strbuf_addf(&line, " call%s, ", plural(calls));
	add_bytes(&line, account->given_back);
	strbuf_addf(&line, " shrunk (in all %s", shrank ? "-" : "");
	add_bytes(&line, shrank ? account->given_back - grown : grown - account->given_back);
	strbuf_addc(&line, ')');
	add_gone(&line, account);
	strbuf_adds(&line, ", ");
	add_held(&line, account);
	strbuf_adds(&line, "; ");
	add_rate(&line, p, grown);
	add_32_bit(&line, p);
	add_losses(&line, p, WICK_BRK, "; lost: ");
	print_line(to, &line);
}

static void add_reserved(struct strbuf *b, const struct profile *p)
{
	u64 calls = profile_sum(p, WICK_MMAP, CALLS, WICK_MEMORY_RESERVED, WICK_MEMORY_RESERVED);

	if (!calls)
		return;
	add_bytes(b, profile_sum(p, WICK_MMAP, BYTES, WICK_MEMORY_RESERVED, WICK_MEMORY_RESERVED));
	strbuf_adds(b, " reserved without access by ");
	add_number(b, calls);
	strbuf_addf(b, " call%s, ", plural(calls));
	add_held(b, &p->memory[MEMORY_RESERVED]);
}

static u64 mapped(const struct profile *p, unsigned int column)
{
	return profile_sum(p, WICK_MMAP, column, WICK_MEMORY_RESERVED, 0);
}

void print_mmap(FILE *to, const struct profile *p)
{
	const struct memory_account *account = &p->memory[MEMORY_MMAP];
	u64 calls = mapped(p, CALLS);
	_cleanup_strbuf_ struct strbuf line = {}, reserved = {};

	strbuf_adds(&line, "mmap      ");
	add_bytes(&line, mapped(p, BYTES));
	strbuf_adds(&line, " mapped by ");
	add_number(&line, calls);
	strbuf_addf(&line, " call%s (", plural(calls));
	add_bytes(&line, profile_sum(p, WICK_MMAP, BYTES, WICK_MEMORY_RESERVED | WICK_MEMORY_FILE,
				     WICK_MEMORY_FILE));
	strbuf_adds(&line, " of files), ");
	add_bytes(&line, account->unmapped);
	strbuf_adds(&line, " unmapped");
	add_gone(&line, account);
	strbuf_adds(&line, ", ");
	add_held(&line, account);
	strbuf_adds(&line, "; ");
	add_rate(&line, p, mapped(p, BYTES));
	add_reserved(&reserved, p);
	if (reserved.size)
		strbuf_addf(&line, "; %s", reserved.s);
	add_32_bit(&line, p);
	add_losses(&line, p, WICK_MMAP, "; lost: ");
	print_line(to, &line);
}

/* ---- subtitles */

void add_brk_words(struct strbuf *b, const struct profile *p, const struct view_options *options)
{
	const struct memory_account *account = &p->memory[MEMORY_BRK];

	strbuf_adds(b, ", ");
	add_bytes(b, all_of(p, WICK_BRK, BYTES));
	strbuf_adds(b, " grown, ");
	add_bytes(b, account->given_back);
	strbuf_adds(b, " shrunk, ");
	add_held(b, account);
	strbuf_adds(b, options->outstanding ? ": only that is drawn" : "");
	add_32_bit(b, p);
	add_losses(b, p, WICK_BRK, ", lost: ");
}

void add_mmap_words(struct strbuf *b, const struct profile *p, const struct view_options *options)
{
	const struct memory_account *account = &p->memory[MEMORY_MMAP];
	_cleanup_strbuf_ struct strbuf reserved = {};

	strbuf_adds(b, ", ");
	add_bytes(b, mapped(p, BYTES));
	strbuf_adds(b, " mapped, ");
	add_bytes(b, account->unmapped + account->gone);
	strbuf_adds(b, " unmapped, ");
	add_held(b, account);
	strbuf_adds(b, options->outstanding ? ": only that is drawn" : "");
	add_reserved(&reserved, p);
	if (reserved.size)
		strbuf_addf(b, ", %s%s", options->reserved ? "with " : "without ", reserved.s);
	add_32_bit(b, p);
	add_losses(b, p, WICK_MMAP, ", lost: ");
}
