/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h: the lines of the summary, by topic. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "report.h"

void cpu_words(FILE *to, const struct facts *f);
void waits_words(FILE *to, const struct facts *f);
void faults_words(FILE *to, const struct facts *f);
void brk_words(FILE *to, const struct facts *f);
void mmap_words(FILE *to, const struct facts *f);
void standing_words(FILE *to, const struct facts *f);
void names_words(FILE *to, const struct facts *f);
/* "cc1, 39.9 %: install cpp-12-dbgsym": of the file or process that most frames without names have. */
void add_worst_name(struct strbuf *b, const struct name_facts *names);
/* Appends how many stacks are whole, and where most of the others break off; ends->all is not 0. */
void add_whole_stacks(struct strbuf *b, const struct end_facts *ends);
void ends_words(FILE *to, const struct facts *f);
void cost_words(FILE *to, const struct facts *f);

#endif
