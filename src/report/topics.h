/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topics.h: what is said of an instrument is a row: how its facts are computed, and how each
 * kind of output has them. Of an instrument without a row its sums are said: plain.c.
 */
#ifndef REPORT_TOPICS_H
#define REPORT_TOPICS_H

#include "report.h"

struct json_object;

/* Of one picture, for its subtitle. */
struct picture_facts {
	const struct view *view;
	const struct view_options *options;
	struct left_out left;
	u64 drawn; /* the sum of what it shows; with operations, of what these were given */
};

struct topic {
	void (*sum)(struct facts *f, const struct profile *p);
	void (*finish)(struct facts *f, struct profile *p); /* NULL: the sums are all */
	void (*words)(FILE *to, const struct facts *f);
	bool on_screen; /* the first screen says it in its own words */
	void (*subtitle)(struct strbuf *b, const struct facts *f,
			 const struct picture_facts *picture);
	void (*json)(struct json_object *to, const struct facts *f);
};

/* A topic for each enum wick_kind, and one for threads as they are. In the order of the words. */
enum { TOPIC_THREADS = WICK_NR_KINDS, NR_TOPICS };

void topic_sum(size_t topic, struct facts *f, const struct profile *p);
void topic_finish(size_t topic, struct facts *f, struct profile *p);
void topic_words(size_t topic, FILE *to, const struct facts *f);
bool topic_is_on_screen(size_t topic);
void topic_subtitle(size_t topic, struct strbuf *b, const struct facts *f,
		    const struct picture_facts *picture);
void topic_json(size_t topic, struct json_object *to, const struct facts *f);

/* Is it among what a run, or a view, needs? */
bool topic_is_in(size_t topic, u32 needs);

#endif
