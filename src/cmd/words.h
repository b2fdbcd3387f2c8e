/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h: numbers, names and losses as the summary and the subtitle say them. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include "base/strbuf.h"
#include "profile.h"
#include "view.h"

enum { NR_LETTERS = sizeof(STATE_LETTERS) - 1 };

/* Of a state's letter in STATE_LETTERS; NR_LETTERS: it is none of them. */
size_t letter_index(u32 state);
double percent(u64 part, u64 whole);
double seconds(u64 ns);
/* "1,234,567" */
void add_number(struct strbuf *b, u64 value);
/* "12.345 s" */
void add_seconds(struct strbuf *b, u64 ns);
/* "1.23 MiB" */
void add_bytes(struct strbuf *b, u64 bytes);
/* A name of the profile, safe to print. */
void add_string(struct strbuf *b, const struct profile *p, u32 ref);
/* "java-12/34" */
void add_thread(struct strbuf *b, const struct profile *p, u32 leg);
/*
 * "; lost: samples that the kernel skipped 12": `before` the first one. Nothing where nothing was
 * lost.
 */
void add_losses(struct strbuf *b, const struct profile *p, enum wick_kind kind, const char *before);
/* Time off-CPU in all samples and losses. */
u64 sched_ns(const struct profile *p);
/*
 * ", all blocks walked from 1 ms (80 % of the time), 2 ms (20 %) on" Nothing where it never rose.
 */
struct run_cost;
void add_risen_thresholds(struct strbuf *b, const struct run_cost *cost);
/* What is wrong with bytes that are a page a fault. */
const char *resident_warning(const struct profile *p);
/*
 * Of the memory instruments, for the subtitles: ", 50.0 MiB mapped, 40.0 MiB unmapped, 10.0 MiB
 * outstanding"
 */
void add_fault_words(struct strbuf *b, const struct profile *p);
void add_brk_words(struct strbuf *b, const struct profile *p, const struct view_options *options);
void add_mmap_words(struct strbuf *b, const struct profile *p, const struct view_options *options);
/* Prints the line and clears it. */
void print_line(FILE *to, struct strbuf *line);

#endif
