/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c: the summary for scripts. */
#include <json-c/json.h>

#include "operation_sums.h"
#include "report_fixture.h"

static char *json_with(struct fixture *f, const struct report_options *options, char *const *files,
		       size_t nr)
{
	struct facts facts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report_options with_why = *options;
	struct why *why = why_new(&f->p);

	with_why.why = why;
	facts_init(&facts, &f->p, &with_why);
	facts_finish(&facts, &f->p, NULL);
	CHECK_EQ(report_json(out, &facts, files, nr), 0);
	fclose(out);
	facts_release(&facts);
	why_free(why);
	return text;
}

static char *json_of(struct fixture *f, u32 needs, char *const *files, size_t nr)
{
	return json_with(f, &(struct report_options){.needs = needs}, files, nr);
}

static void an_empty_run_has_every_member_of_its_own(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	text = json_of(&f, 0, NULL, 0);
	/* Versions of json-c write empty arrays differently. */
	CHECK_SAYS(text, "{\n"
			 "  \"wick\":\"" WICK_VERSION "\",\n"
			 "  \"schema\":1,\n"
			 "  \"host\":\"host\",\n"
			 "  \"kernel\":\"6.18\",\n"
			 "  \"filters\":\"\",\n"
			 "  \"started\":0.0,\n"
			 "  \"seconds\":10.0,\n"
			 "  \"cpus\":2,\n"
			 "  \"missing\":[");
	CHECK_SAYS(text, "],\n  \"lost\":[");
	CHECK_SAYS(text, "],\n  \"sums_at_their_largest\":0,\n  \"names\":{\n");
	CHECK_SAYS(text, "  },\n"
			 "  \"cost\":{\n"
			 "    \"cpu_seconds\":0.0,\n"
			 "    \"window_cpu_seconds\":0.0,\n"
			 "    \"turned_down_seconds\":0.0,\n"
			 "    \"bpf_seconds\":0.0,\n"
			 "    \"resident_bytes\":0,\n"
			 "    \"bpf_map_bytes\":0\n"
			 "  },\n"
			 "  \"files\":[");
}

static void names_are_safe(void)
{
	char *const files[] = {(char *)"a.svg", (char *)"b\x01\xff\".svg"};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	f.p.host = strings_adds(&f.p.names, "h\x02");
	f.p.filters = strings_adds(&f.p.names, "-c \"x*\"");
	text = json_of(&f, 0, files, ARRAY_SIZE(files));
	CHECK_SAYS(text, "\"host\":\"h\\\\x02\"");
	CHECK_SAYS(text, "\"filters\":\"-c \\\"x*\\\"\"");
	CHECK_SAYS(text, "\"files\":[\n    \"a.svg\",\n    \"b\\\\x01\\\\xff\\\".svg\"\n  ]");
}

static void fill(struct fixture *f)
{
	run_init(f);
	f->p.expected = 100;
	f->p.processes_32_bit = 1;
	f->p.failed_faults = 2;
	counted(f, WICK_CPU, f->sleeper, 0, 7, 0, 0);
	counted(f, WICK_SCHED, f->sleeper, 'S', 1, 1500 * NSEC_PER_MSEC, 0);
	counted(f, WICK_SCHED, f->sleeper, 'D' | WICK_STATE_IO, 1, 250 * NSEC_PER_MSEC, 0);
	counted(f, WICK_FAULT, f->sleeper, WICK_MEMORY_MAJOR, 3, 12288, 500000000);
	counted(f, WICK_BRK, f->sleeper, 0, 2, 4096, 0);
	counted(f, WICK_MMAP, f->sleeper, 0, 1, 8192, 0);
	counted(f, WICK_MMAP, f->sleeper, WICK_MEMORY_RESERVED, 4, 65536, 0);
	f->p.memory[MEMORY_BRK] =
		(struct memory_account){.unmapped = 99, .given_back = 1, .gone = 2, .held = 3};
	f->p.memory[MEMORY_MMAP] = (struct memory_account){.unmapped = 4, .gone = 5, .held = 6};
	f->p.memory[MEMORY_RESERVED] = (struct memory_account){.unmapped = 7, .gone = 8, .held = 9};
	*vec_add(&f->p.threads) = (struct thread_time){.leg = f->sleeper,
						       .begin = f->p.begin,
						       .end = f->p.end,
						       .running = NSEC_PER_SEC,
						       .ran = NSEC_PER_SEC,
						       .queued = NSEC_PER_SEC / 2,
						       .preempted = NSEC_PER_SEC / 4,
						       .blocked = 8 * NSEC_PER_SEC};
	profile_loss(&f->p, "keys", "[lost keys]", WICK_SCHED, 1, 250 * NSEC_PER_MSEC);
	profile_loss(&f->p, "bodies", NULL, WICK_CPU, 0, 0);
	profile_loss(&f->p, "records", NULL, WICK_MMAP, 0, 12);
}

static void each_instrument_has_its_members(void)
{
	static const struct {
		u32 needs;
		const char *want; /* between "cpus" and "missing" */
	} cases[] = {
		{NEED_CPU, "  \"samples\":{\n    \"frequency\":99,\n    \"counted\":7,\n"
			   "    \"expected\":100\n"
			   "  },\n"},
		{NEED_SCHED,
		 "  \"off_cpu\":{\n    \"seconds\":2.0,\n    \"blocks\":0,\n    "
		 "\"walked_blocks\":0,\n    \"recorded_only\":0,\n    \"by_state\":{\n      \"S\":1.5,\n"
		 "      \"D\":0.25,\n      \"I\":0.0,\n      \"T\":0.0,\n      \"R\":0.0,\n"
		 "      \"Q\":0.0\n    }\n  },\n"
		 "  \"account\":{\n    \"threads\":1,\n    \"running\":1.0,\n"
		 "    \"run_queue\":0.5,\n"
		 "    \"preempted\":0.25,\n    \"blocked\":8.0,\n    \"unaccounted\":0.0,\n"
		 "    \"expected\":10.0,\n    \"ran_by_scheduler\":1.0\n  },\n"},
		{NEED_THREADS,
		 "  \"off_cpu\":{\n    \"seconds\":2.0,\n    \"blocks\":0,\n    "
		 "\"walked_blocks\":0,\n    \"recorded_only\":0,\n    \"by_state\":{\n      \"S\":1.5,\n"
		 "      \"D\":0.25,\n      \"I\":0.0,\n      \"T\":0.0,\n      \"R\":0.0,\n"
		 "      \"Q\":0.0\n    }\n  },\n"},
		{NEED_FAULT,
		 "  \"faults\":{\n    \"faults\":3,\n    \"major\":3,\n    \"in_kernel\":0,\n"
		 "    \"not_done\":2,\n    \"resident_bytes\":12288,\n    \"seconds\":0.5,\n"
		 "    \"resident_by_faults\":false\n  },\n"},
		{NEED_BRK, "  \"brk\":{\n    \"calls\":2,\n    \"mapped_bytes\":4096,\n"
			   "    \"unmapped_bytes\":1,\n"
			   "    \"gone_bytes\":2,\n    \"outstanding_bytes\":3\n  },\n"},
		{NEED_MMAP,
		 "  \"mmap\":{\n    \"calls\":1,\n    \"mapped_bytes\":8192,\n"
		 "    \"unmapped_bytes\":4,\n"
		 "    \"gone_bytes\":5,\n    \"outstanding_bytes\":6\n  },\n"
		 "  \"reserved\":{\n    \"calls\":4,\n    \"mapped_bytes\":65536,\n"
		 "    \"unmapped_bytes\":7,\n    \"gone_bytes\":8,\n    \"outstanding_bytes\":9\n"
		 "  },\n"
		 "  \"processes_of_32_bits\":1,\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL, *want = NULL;

		fill(&f);
		text = json_of(&f, cases[i].needs, NULL, 0);
		want = format("  \"cpus\":2,\n%s  \"%s\":[", cases[i].want,
			      cases[i].needs & (NEED_CPU | NEED_SCHED) ? "processes" : "missing");
		CHECK_SAYS(text, want);
	}
}

static void views_that_are_missing_say_why(void)
{
	static const struct missing_fact missing[] = {{"cpu", "perf events are\x01 forbidden"}};
	const struct report_options options = {.missing = missing, .nr_missing = 1};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	text = json_with(&f, &options, NULL, 0);
	CHECK_SAYS(text, "\"missing\":[\n"
			 "    {\n      \"view\":\"cpu\",\n"
			 "      \"reason\":\"perf events are\\\\x01 forbidden\"\n    }\n  ],\n");
}

static void bytes_by_faults_come_with_a_warning(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	f.p.by_faults = true;
	text = json_of(&f, NEED_FAULT, NULL, 0);
	CHECK_SAYS(text, "\"resident_by_faults\":true,\n"
			 "    \"resident_warning\":\"too low where huge pages are used\"\n");
}

static void losses_name_their_instrument(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill(&f);
	text = json_of(&f, 0, NULL, 0);
	CHECK_SAYS(text, "\"lost\":[\n"
			 "    {\n      \"instrument\":\"sched\",\n      \"cause\":\"keys\",\n"
			 "      \"value\":250000000\n    },\n"
			 "    {\n      \"instrument\":\"mmap\",\n      \"cause\":\"records\",\n"
			 "      \"value\":12\n    }\n  ]");
}

static void what_cannot_be_written_is_an_error(void)
{
	_cleanup_fixture_ struct fixture f;
	const struct report_options options = {};
	FILE *full = fopen("/dev/full", "w");
	struct facts facts;

	run_init(&f);
	facts_init(&facts, &f.p, &options);
	facts_finish(&facts, &f.p, NULL);
	CHECK_EQ(report_json(full, &facts, NULL, 0), -ENOSPC);
	facts_release(&facts);
	fclose(full);
}

/* ---- the manual's list */

enum { MOST_NAMES = 256 };

/* Of all listed names, in order: was there such a member? */
struct listed {
	bool seen[MOST_NAMES];
};

static bool next_name(const char **names, struct string *name)
{
	*names += strspn(*names, " ");
	*name = (struct string){*names, strcspn(*names, " ")};
	*names += name->size;
	return name->size;
}

static bool find_member(struct listed *listed, const char *object, const char *member)
{
	size_t at = 0;

	for (size_t i = 0; i < nr_json_members; i++) {
		const char *names = json_members[i].names;
		struct string name;

		for (; next_name(&names, &name); at++) {
			if (strcmp(json_members[i].object, object) || strlen(member) != name.size ||
			    memcmp(member, name.s, name.size))
				continue;
			listed->seen[at] = true;
			return true;
		}
	}
	return false;
}

static void look_up(struct listed *listed, struct json_object *object, const char *path);

static void look_up_member(struct listed *listed, const char *path, const char *name,
			   struct json_object *value)
{
	_cleanup_free_ char *below = format("%s%s%s", path, *path ? "." : "", name);
	_cleanup_free_ char *rows = format("%s[]", below), *row = format("%s[]", name);

	if (json_object_is_type(value, json_type_object)) {
		look_up(listed, value, below);
		return;
	}
	if (!json_object_is_type(value, json_type_array)) {
		if (!find_member(listed, path, name))
			test_report("%s is not in the list", below);
		return;
	}
	CHECK(json_object_array_length(value));
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *each = json_object_array_get_idx(value, i);

		if (json_object_is_type(each, json_type_object))
			look_up(listed, each, rows);
		else if (!find_member(listed, path, row))
			test_report("%s is not in the list", rows);
	}
}

static void look_up(struct listed *listed, struct json_object *object, const char *path)
{
	json_object_object_foreach(object, name, value) look_up_member(listed, path, name, value);
}

/* A thread that has run, and was kept from it in a cgroup. */
static void fill_throttled(struct fixture *f)
{
	struct leg leg = f->p.legs.at[f->other];
	u32 ref;

	leg.cgroup = 1;
	leg.cgroup_path = strings_adds(&f->p.names, "/shop");
	ref = profile_leg(&f->p, &leg);
	counted(f, WICK_SCHED, ref, 'R' | WICK_STATE_THROTTLED, 1, NSEC_PER_SEC, 0);
	*vec_add(&f->p.threads) = (struct thread_time){.leg = ref,
						       .begin = f->p.begin,
						       .end = f->p.end,
						       .running = NSEC_PER_SEC,
						       .queued = NSEC_PER_SEC};
}

static void fill_everything(struct fixture *f)
{
	u32 kernel = stack(f, FRAME_KERNEL, "vfs_read;io_schedule");
	u32 nameless = profile_frame(&f->p, SPACE_IMAGE, 0, 1);

	counted(f, WICK_SCHED, f->other, 'Q', 1, 8 * NSEC_PER_SEC, 1);
	profile_block(&f->p, &(struct block){.state = 'D',
					     .leg = f->sleeper,
					     .kernel = kernel,
					     .begin = f->p.begin,
					     .woken = f->p.begin + NSEC_PER_SEC,
					     .end = f->p.begin + NSEC_PER_SEC,
					     .counted_block = NSEC_PER_SEC});
	profile_count(&f->p,
		      &(struct sample){.kind = WICK_CPU,
				       .leg = f->sleeper,
				       .user = profile_stack(&f->p, &nameless, 1, WICK_COMPLETE),
				       .column = {1}});
	*vec_add(&f->p.threads) = (struct thread_time){.leg = f->other,
						       .begin = f->p.begin,
						       .end = f->p.end,
						       .running = NSEC_PER_SEC,
						       .queued = 8 * NSEC_PER_SEC};
	*vec_add(&f->p.threads) = (struct thread_time){.leg = f->waker,
						       .begin = f->p.begin,
						       .end = f->p.end,
						       .running = 10 * NSEC_PER_SEC};
	fill_throttled(f);
	profile_cpu(&f->p, 0)->running = NSEC_PER_SEC;
	f->p.by_faults = true;
}

static void write_json(FILE *to, const struct facts *facts)
{
	static char *const files[] = {(char *)"a.svg"};

	CHECK_EQ(report_json(to, facts, files, 1), 0);
}

static struct operation_sum summed[] = {
	{.option = "hide-stacks", .text = "^idle", .removed = 250000, .stacks = 2},
	{.option = "hide-plumbing", .frames = 3, .joined = 1000},
};
static const struct operation_sums left_out = {
	.at = summed,
	.nr = ARRAY_SIZE(summed),
	.picture = "offcpu",
	.unit = {.name = "us", .divisor = 1000, .time = true},
	.total = 1000000,
	.kept = 750000,
	.stacks = 7,
	.kept_stacks = 5,
};

static void what_was_left_out_is_said_by_picture(void)
{
	const struct report_options options = {.left_out = &left_out, .nr_left_out = 1};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	text = json_with(&f, &options, NULL, 0);
	CHECK_SAYS(text, "    {\n"
			 "      \"picture\":\"offcpu\",\n"
			 "      \"unit\":\"us\",\n"
			 "      \"total\":1000.0,\n"
			 "      \"kept\":750.0,\n"
			 "      \"share\":0.75,\n"
			 "      \"stacks\":7,\n"
			 "      \"kept_stacks\":5,\n"
			 "      \"operations\":[\n"
			 "        {\n"
			 "          \"option\":\"hide-stacks\",\n"
			 "          \"argument\":\"^idle\",\n"
			 "          \"removed\":250.0,\n"
			 "          \"share\":0.25,\n"
			 "          \"stacks\":2,\n"
			 "          \"frames\":0,\n"
			 "          \"joined\":0.0\n"
			 "        },\n"
			 "        {\n"
			 "          \"option\":\"hide-plumbing\",\n"
			 "          \"removed\":0.0,\n"
			 "          \"share\":0.0,\n"
			 "          \"stacks\":0,\n"
			 "          \"frames\":3,\n"
			 "          \"joined\":1.0\n"
			 "        }\n"
			 "      ]\n"
			 "    }\n"
			 "  ],\n");
}

static void every_member_is_in_the_manual(void)
{
	static const struct missing_fact missing[] = {{"cpu", "forbidden"}};
	const struct report_options options = {.needs = NEED_CPU | NEED_SCHED | NEED_FAULT |
							NEED_BRK | NEED_MMAP,
					       .missing = missing,
					       .nr_missing = 1,
					       .left_out = &left_out,
					       .nr_left_out = 1};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	struct listed listed = {};
	struct json_object *summary;
	size_t at = 0;

	fill(&f);
	fill_everything(&f);
	text = printed(&f, &options, write_json);
	summary = json_tokener_parse(text);
	look_up(&listed, summary, "");
	json_object_put(summary);
	for (size_t i = 0; i < nr_json_members; i++) {
		const char *names = json_members[i].names;
		struct string name;

		for (; next_name(&names, &name); at++)
			if (!listed.seen[at])
				test_report("there is no %s.%.*s", json_members[i].object,
					    (int)name.size, name.s);
	}
}

int main(void)
{
	RUN(an_empty_run_has_every_member_of_its_own);
	RUN(names_are_safe);
	RUN(each_instrument_has_its_members);
	RUN(views_that_are_missing_say_why);
	RUN(bytes_by_faults_come_with_a_warning);
	RUN(losses_name_their_instrument);
	RUN(what_was_left_out_is_said_by_picture);
	RUN(every_member_is_in_the_manual);
	RUN(what_cannot_be_written_is_an_error);
	return test_status();
}
