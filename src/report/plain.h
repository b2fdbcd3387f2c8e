/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.h: what is said of an instrument that has no row in topics.c: the sums of its columns. */
#ifndef REPORT_PLAIN_H
#define REPORT_PLAIN_H

#include "report.h"

struct json_object;

void plain_sum(enum wick_kind kind, struct facts *f, const struct profile *p);
/* "fork      12 forks; lost: ..." */
void plain_words(enum wick_kind kind, FILE *to, const struct facts *f);
/* ", 12 forks, lost: ..." */
void plain_subtitle(enum wick_kind kind, struct strbuf *b, const struct facts *f);
/* An object of the instrument's name; its members are the columns': times in seconds. */
void plain_json(enum wick_kind kind, struct json_object *to, const struct facts *f);

#endif
