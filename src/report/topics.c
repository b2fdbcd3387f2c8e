/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topics.c: the table of what is said of each instrument. */
#include "topics.h"

#include "facts.h"
#include "json.h"
#include "plain.h"
#include "subtitle.h"
#include "words.h"

static const struct topic topics[NR_TOPICS] = {
	[WICK_CPU] =
		{
			.sum = cpu_sum,
			.finish = cpu_finish,
			.words = cpu_words,
			.on_screen = true,
			.subtitle = cpu_subtitle,
			.json = cpu_json,
		},
	[WICK_SCHED] =
		{
			.sum = waits_sum,
			.finish = waits_finish,
			.words = waits_words,
			.on_screen = true,
			.subtitle = waits_subtitle,
			.json = waits_json,
		},
	[WICK_FAULT] =
		{
			.sum = faults_sum,
			.words = faults_words,
			.on_screen = true,
			.subtitle = faults_subtitle,
			.json = faults_json,
		},
	[WICK_BRK] =
		{
			.sum = brk_sum,
			.words = brk_words,
			.on_screen = true,
			.subtitle = brk_subtitle,
			.json = brk_json,
		},
	[WICK_MMAP] =
		{
			.sum = mmap_sum,
			.words = mmap_words,
			.on_screen = true,
			.subtitle = mmap_subtitle,
			.json = mmap_json,
		},
	[TOPIC_THREADS] =
		{
			.sum = standing_sum,
			.finish = standing_finish,
			.words = standing_words,
			.subtitle = standing_subtitle,
			.json = standing_json,
		},
};

void topic_sum(size_t topic, struct facts *f, const struct profile *p)
{
	if (topics[topic].sum)
		topics[topic].sum(f, p);
	else
		plain_sum((enum wick_kind)topic, f, p);
}

void topic_finish(size_t topic, struct facts *f, struct profile *p)
{
	if (topics[topic].finish)
		topics[topic].finish(f, p);
}

void topic_words(size_t topic, FILE *to, const struct facts *f)
{
	if (topics[topic].words)
		topics[topic].words(to, f);
	else
		plain_words((enum wick_kind)topic, to, f);
}

bool topic_is_on_screen(size_t topic)
{
	return topics[topic].on_screen;
}

void topic_subtitle(size_t topic, struct strbuf *b, const struct facts *f,
		    const struct picture_facts *picture)
{
	if (topics[topic].subtitle)
		topics[topic].subtitle(b, f, picture);
	else
		plain_subtitle((enum wick_kind)topic, b, f);
}

void topic_json(size_t topic, struct json_object *to, const struct facts *f)
{
	if (topics[topic].json)
		topics[topic].json(to, f);
	else
		plain_json((enum wick_kind)topic, to, f);
}

bool topic_is_in(size_t topic, u32 needs)
{
	return needs & (topic == TOPIC_THREADS ? (u32)NEED_THREADS : 1u << topic);
}
