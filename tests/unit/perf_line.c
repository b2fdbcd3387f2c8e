/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "input/perf_line.h"

static struct string text(const char *s)
{
	return (struct string){.s = s, .size = strlen(s)};
}

#define PART(part) (int)(part).size, (part).s

/* "comm|pid|tid|period|event|rest", or "no". */
static char *event_of(const char *line)
{
	struct perf_event e;
	_cleanup_free_ char *period = NULL;

	if (!perf_event_parse(text(line), &e))
		return xstrdup("no");
	period = e.has_period ? format("%llu", (unsigned long long)e.period) : xstrdup("");
	return format("%.*s|%.*s|%.*s|%s|%.*s|%.*s", PART(e.comm), PART(e.pid), PART(e.tid), period,
		      PART(e.event), PART(e.rest));
}

static void events(void)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{"java 25607 4794564.109216: 1 cycles: ", "java||25607|1|cycles|"},
		{"java 12688 [002] 6544038.708352: 235 cpu-clock:", "java||12688|235|cpu-clock|"},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:u:",
		 "V8 WorkerThread|24636|25607|100|cycles:u|"},
		{"java 25607 4794564.109216: cycles:", "java||25607||cycles|"},
		{"java 19983 cycles:", "java||19983||cycles|"},
		{"ls 28971    2004008 cpu-clock:ppp: ", "ls||28971|2004008|cpu-clock:ppp|"},
		{"ls 28971 12545.911704: ", "ls||28971|||"},
		{"28971 cpu-clock:ppp: ", "||28971||cpu-clock:ppp|"},
		{":-1    -1 [000] 1.5: 1 cycles:", ":-1||-1|1|cycles|"},
		{"swapper     0 K   12545.906896267: 7 cpu/cycles,period=1/u:",
		 "swapper||0|7|cpu/cycles,period=1/u|"},
		{"cc1 1/2 [001] d.h1. 5.5: sched:sched_switch: prev_pid=12 x: 7",
		 "cc1|1|2||sched:sched_switch|prev_pid=12 x: 7"},
		{"   false 39654 19115.489713:  1 cycles:u:  9b20 [unknown] ([unknown])",
		 "false||39654|1|cycles:u|9b20 [unknown] ([unknown])"},
		/* A name may look like what follows it. */
		{"x 12 34 99 1.5: 3 cycles:", "x 12 34||99|3|cycles|"},
		{"2 2/3 1.5: 3 cycles:", "2|2|3|3|cycles|"},
		{"a  b 7 1.5: 3 cycles:", "a  b||7|3|cycles|"},
		/* More than 64 bits are no period. */
		{"a 7 1.5: 99999999999999999999 cycles:", "a||7|||99999999999999999999 cycles:"},
		{"a;b;c 12", "no"},
		{"	ffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])", "no"},
		{"main.c:12", "no"},
		{"a 7/ 1.5:", "no"},
		{"a - 1.5:", "no"},
		{"", "no"},
		{"   ", "no"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *got = event_of(cases[i].line);

		CHECK_STR(got, cases[i].want);
	}
}

/* "address|symbol|module", with "|inlined", or "no". */
static char *frame_of(const char *line)
{
	struct perf_frame f;

	if (!perf_frame_parse(text(line), &f))
		return xstrdup("no");
	return format("%llx|%.*s|%.*s%s", (unsigned long long)f.address, PART(f.symbol),
		      PART(f.module), f.inlined ? "|inlined" : "");
}

static void frames(void)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{"\tffffffff8103ce3b halt+0xb ([kernel.kallsyms])",
		 "ffffffff8103ce3b|halt|[kernel.kallsyms]"},
		{"  47ba3 operator()(int, (anonymous namespace)::X)+0xa (/tmp/a b/x (deleted))",
		 "47ba3|operator()(int, (anonymous namespace)::X)|/tmp/a b/x (deleted)"},
		{"  47ba4 std::vector<int>::at (inlined)", "47ba4|std::vector<int>::at||inlined"},
		{"  47ba4 main (/bin/x+0xfa)", "47ba4|main|/bin/x"},
		{"  47ba4 (/bin/x)", "47ba4||/bin/x"},
		{"  47ba4", "47ba4||"},
		{"  0x47ba4 main", "47ba4|main|"},
		{"  0 [unknown] ([unknown])", "0|[unknown]|[unknown]"},
		{"  d70 _start+0xffff018fd5dce000 (/usr/lib/ld-2.24.so)",
		 "d70|_start|/usr/lib/ld-2.24.so"},
		/* Parentheses that belong to nothing are of the name. */
		{"  1 f)", "1|f)|"},
		{"  1 f(int)", "1|f(int)|"},
		{"  1 a+0x", "1|a+0x|"},
		{"  1 +0x1", "1||"},
		{"  11111111111111111 f (x)", "no"},
		{"  THIS_IS_A_WEIRD_LINE", "no"},
		{"  main.c:12", "no"},
		{"", "no"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *got = frame_of(cases[i].line);

		CHECK_STR(got, cases[i].want);
	}
}

int main(void)
{
	RUN(events);
	RUN(frames);
	return test_status();
}
