/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_text.h: threads, places and what they wait for, in words. */
#ifndef REPORT_WHY_TEXT_H
#define REPORT_WHY_TEXT_H

#include "base/strbuf.h"
#include "why.h"

/* "java-12/34" */
void why_add_thread(struct strbuf *b, const struct profile *p, u32 leg);
/* "java in commit"; of a thread without a user stack, the kernel's function. */
void why_add_place(struct strbuf *b, const struct profile *p, const struct why_label *label);
/* What a node of a delay's tree says. */
void why_add_label(struct strbuf *b, const struct profile *p, const struct why_label *label);
#endif
