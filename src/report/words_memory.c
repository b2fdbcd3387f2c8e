/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_memory.c: the summary's lines on page faults, brk and mmap. */
#include "format.h"
#include "words.h"

void faults_words(FILE *to, const struct facts *f)
{
	const struct fault_facts *faults = &f->faults;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "faults    ");
	add_faults(&line, faults);
	strbuf_adds(&line, "; ");
	strbuf_add_number(&line, faults->major);
	strbuf_addf(&line, " major (%.3f s), ", seconds(faults->major_ns));
	strbuf_add_number(&line, faults->in_kernel);
	strbuf_adds(&line, " taken in the kernel");
	if (faults->resident_by_calls) {
		strbuf_adds(&line, ", ");
		strbuf_add_bytes(&line, faults->resident_by_calls);
		strbuf_adds(&line, " made resident by system calls");
	}
	if (faults->not_done) {
		strbuf_adds(&line, "; ");
		strbuf_add_number(&line, faults->not_done);
		strbuf_adds(&line, " begun and not done (a bad address, or a signal)");
	}
	add_losses(&line, f, WICK_FAULT, "; lost: ");
	print_line(to, &line);
}

/* ", 1.00 MiB gone with their processes, 10.0 MiB outstanding; 1.00 MiB/s" */
static void add_rest(struct strbuf *b, const struct memory_facts *memory)
{
	if (memory->gone) {
		strbuf_adds(b, ", ");
		strbuf_add_bytes(b, memory->gone);
		strbuf_adds(b, " gone with their processes");
	}
	strbuf_adds(b, ", ");
	add_held(b, memory);
	strbuf_adds(b, "; ");
	strbuf_add_bytes(b, memory->per_second);
	strbuf_adds(b, "/s");
}

/* "-1.00 MiB" where more was given back than taken. */
static void add_growth(struct strbuf *b, const struct memory_facts *brk)
{
	bool shrank = brk->unmapped > brk->mapped;

	strbuf_adds(b, shrank ? "-" : "");
	strbuf_add_bytes(b, shrank ? brk->unmapped - brk->mapped : brk->mapped - brk->unmapped);
}

void brk_words(FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "brk       ");
	strbuf_add_bytes(&line, f->brk.mapped);
	strbuf_adds(&line, " grown by ");
	strbuf_add_number(&line, f->brk.calls);
	strbuf_addf(&line, " call%s, ", plural(f->brk.calls));
	strbuf_add_bytes(&line, f->brk.unmapped);
	strbuf_adds(&line, " shrunk (in all ");
	add_growth(&line, &f->brk);
	strbuf_addc(&line, ')');
	add_rest(&line, &f->brk);
	add_32_bit(&line, f);
	add_losses(&line, f, WICK_BRK, "; lost: ");
	print_line(to, &line);
}

void mmap_words(FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {}, reserved = {};

	strbuf_adds(&line, "mmap      ");
	strbuf_add_bytes(&line, f->mmap.mapped);
	strbuf_adds(&line, " mapped by ");
	strbuf_add_number(&line, f->mmap.calls);
	strbuf_addf(&line, " call%s (", plural(f->mmap.calls));
	strbuf_add_bytes(&line, f->mmap.of_files);
	strbuf_adds(&line, " of files), ");
	strbuf_add_bytes(&line, f->mmap.unmapped);
	strbuf_adds(&line, " unmapped");
	add_rest(&line, &f->mmap);
	add_reserved(&reserved, f);
	if (reserved.size)
		strbuf_addf(&line, "; %s", reserved.s);
	add_32_bit(&line, f);
	add_losses(&line, f, WICK_MMAP, "; lost: ");
	print_line(to, &line);
}
