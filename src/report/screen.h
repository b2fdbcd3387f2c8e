/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h: the parts of the first screen. Each adds what the run's facts support. */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include "fit.h"
#include "report.h"

void screen_warnings(struct fitted *to, const struct facts *f);
/* The processes that matter, in at most so many lines. */
void screen_processes(struct fitted *to, const struct facts *f, u32 most);
/* The largest delays. */
void screen_delays(struct fitted *to, const struct facts *f, u32 most);

/* "redis-server 4711" */
void add_process(struct strbuf *b, struct string name, u32 pid);
/* The same, or "312 of cc1". */
void add_processes(struct strbuf *b, const struct process_row *row);

#endif
