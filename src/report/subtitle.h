/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subtitle.h: what a picture says of each topic: ", 7 samples at 99 Hz cpu-clock". */
#ifndef REPORT_SUBTITLE_H
#define REPORT_SUBTITLE_H

#include "topics.h"

void cpu_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture);
void waits_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture);
void faults_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture);
void brk_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture);
void mmap_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture);
void standing_subtitle(struct strbuf *b, const struct facts *f,
		       const struct picture_facts *picture);

#endif
