/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_plain.c: what is said of an instrument that has no topic: here of faults, as if of one. */
#include "report_fixture.h"

#include <json-c/json.h>

#include "report/plain.h"

static struct facts facts_of(struct fixture *f)
{
	struct facts facts = {};

	run_init(f);
	counted(f, WICK_FAULT, f->sleeper, 0, 1, 1 << 20, 300000000);
	counted(f, WICK_FAULT, f->sleeper, WICK_MEMORY_MAJOR, 1234, 1 << 20, 200000000);
	counted(f, WICK_BRK, f->sleeper, 0, 1, 4096, 0);
	plain_sum(WICK_FAULT, &facts, &f->p);
	*vec_add(&facts.losses) = (struct loss_fact){WICK_FAULT, "events", 7, false};
	return facts;
}

static void each_column_has_its_unit(void)
{
	_cleanup_fixture_ struct fixture f;
	struct facts facts = facts_of(&f);
	_cleanup_strbuf_ struct strbuf subtitle = {};
	_cleanup_free_ char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	plain_words(WICK_FAULT, out, &facts);
	fclose(out);
	CHECK_STR(words, "fault     1,235 faults, 2.00 MiB resident, 0.500 s; lost: events 7\n");
	plain_subtitle(WICK_FAULT, &subtitle, &facts);
	CHECK_STR(subtitle.s, ", 1,235 faults, 2.00 MiB resident, 0.500 s, lost: events 7");
	facts_release(&facts);
}

static void members_are_the_columns(void)
{
	_cleanup_fixture_ struct fixture f;
	struct facts facts = facts_of(&f);
	struct json_object *to = json_object_new_object();

	plain_json(WICK_FAULT, to, &facts);
	CHECK_STR(json_object_to_json_string_ext(to, JSON_C_TO_STRING_PLAIN),
		  "{\"fault\":{\"faults\":1235,\"resident\":2097152,\"time\":0.5}}");
	json_object_put(to);
	facts_release(&facts);
}

int main(void)
{
	RUN(each_column_has_its_unit);
	RUN(members_are_the_columns);
	return test_status();
}
