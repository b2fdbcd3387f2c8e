/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/events/cpus.h"

#include "collect.h"
#include "test.h"

/* The list as text again, "0 1 2"; "bad" where it is none. */
static void parsed(const char *text, char *to, size_t room)
{
	_cleanup_free_ u32 *cpus = NULL;
	size_t nr, size = 0;

	to[0] = '\0';
	if (parse_cpu_list(text, &cpus, &nr)) {
		snprintf(to, room, "bad");
		return;
	}
	for (size_t i = 0; i < nr && size < room; i++)
		size += (size_t)snprintf(to + size, room - size, "%s%u", i ? " " : "", cpus[i]);
}

static void lists(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"0", "0"},
		{"0-3", "0 1 2 3"},
		{"0-1,8", "0 1 8"},
		{"8,0-1", "0 1 8"},
		{"0-2,1-3,2", "0 1 2 3"},
		{"5-5", "5"},
		{"0-1,3\n", "0 1 3"},
		{"65535", "65535"},
		{"", "bad"},
		{"\n", "bad"},
		{"a", "bad"},
		{"-1", "bad"},
		{"1-", "bad"},
		{"1--2", "bad"},
		{"3-1", "bad"},
		{"1,", "bad"},
		{",1", "bad"},
		{"1,,2", "bad"},
		{"1 2", "bad"},
		{"+1", "bad"},
		{"1x", "bad"},
		{"65536", "bad"},
		{"0-4294967295", "bad"},
		{"18446744073709551616", "bad"},
		{"99999999999999999999999-1", "bad"},
	};
	char got[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parsed(cases[i].text, got, sizeof(got));
		if (strcmp(got, cases[i].want))
			test_report("'%s' is '%s', want '%s'", cases[i].text, got, cases[i].want);
	}
}

static void this_host_has_cpus_that_were_idle(void)
{
	struct cpu_list cpus = {};
	struct idle_times idle = {};

	CHECK_EQ(cpus_online(&cpus, NULL), 0);
	CHECK_EQ(cpus_idle(&idle), 0);
	CHECK(cpus.nr > 0);
	vec_for_each (&cpus, cpu)
		CHECK(*cpu < idle.nr);
	for (size_t i = 1; i < cpus.nr; i++)
		CHECK(cpus.at[i - 1] < cpus.at[i]);
	vec_release(&cpus);
	vec_release(&idle);
}

int main(void)
{
	RUN(lists);
	RUN(this_host_has_cpus_that_were_idle);
	return test_status();
}
