/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format.h: numbers, names and losses as the summary and the subtitles say them. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "base/numbers.h"
#include "report.h"

double percent(u64 part, u64 whole);
double seconds(u64 ns);
/* "" for one, "s" for others. */
const char *plural(u64 nr);
/* "12.345 s" */
void add_seconds(struct strbuf *b, u64 ns);
/* A name, safe to print. */
void add_string(struct strbuf *b, struct string s);
/* "java-12/34" */
void add_thread(struct strbuf *b, const struct thread_fact *thread);
/*
 * "; lost: samples that the kernel skipped 12": `before` the first one. Nothing where nothing was
 * lost.
 */
void add_losses(struct strbuf *b, const struct facts *f, enum wick_kind kind, const char *before);
/*
 * "2 sums have reached their largest value, ...", `before` in front of it; nothing where none has.
 */
void add_largest_sums(struct strbuf *b, const char *before, const struct facts *f);
/* "1 ms (80.0 % of the time), 2 ms (20.0 %)" */
void add_walked(struct strbuf *b, const struct wait_facts *waits);
/* "kept      in memory: ...": a line of its own; nothing where all blocks found room. */
void add_kept(struct strbuf *b, const struct wait_facts *waits);
/* "10.0 MiB outstanding" */
void add_held(struct strbuf *b, const struct memory_facts *memory);
/* "4.00 MiB reserved without access by 2 calls, 4.00 MiB outstanding". Nothing where none was. */
void add_reserved(struct strbuf *b, const struct facts *f);
/* "; not seen: the calls of 1 process of 32 bits" */
void add_32_bit(struct strbuf *b, const struct facts *f);
/* "7 faults, 28.0 KiB became resident, 0.001 s in them" */
void add_faults(struct strbuf *b, const struct fault_facts *faults);
/* "missing   cpu wall: the first lines say why"; nothing where none is. */
void add_missing_views(struct strbuf *b, const struct report_options *options);
/* Prints the line and clears it. */
void print_line(FILE *to, struct strbuf *line);

/* Of a place: "fdatasync < XLogWrite". */
#define BETWEEN_FUNCTIONS " < "

#endif
