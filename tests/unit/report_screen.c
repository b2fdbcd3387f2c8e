/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_screen.c: the first screen of runs built by hand, its size, and what it leaves out. */
#include "report_fixture.h"

static unsigned int width = SCREEN_WIDTH;

static void screen(FILE *to, const struct facts *facts)
{
	report_screen(to, facts, width, 1);
}

static char *screen_of(struct fixture *f, u32 needs)
{
	return printed(f, &(struct report_options){.needs = needs}, screen);
}

static void lives(struct fixture *f, u32 leg, u64 running_ms, u64 no_cpu_ms)
{
	*vec_add(&f->p.threads) = (struct thread_time){
		.leg = leg,
		.begin = f->p.begin,
		.end = f->p.end,
		.running = running_ms * NSEC_PER_MSEC,
		.ran = running_ms * NSEC_PER_MSEC,
		.queued = no_cpu_ms * NSEC_PER_MSEC,
	};
}

/* A wait of the log, which stands for `nr` of its length; none: for a CPU. */
static void waits(struct fixture *f, u32 leg, u32 state, const char *user, const char *kernel,
		  u64 nr, u64 ms)
{
	bool runnable = strchr("QR", (int)(state & WICK_STATE_LETTER));
	u64 end = f->p.begin + (1 + ms) * NSEC_PER_MSEC;

	profile_block(&f->p, &(struct block){
				     .leg = leg,
				     .state = state,
				     .user = user ? stack(f, FRAME_USER, user) : 0,
				     .kernel = kernel ? stack(f, FRAME_KERNEL, kernel) : 0,
				     .begin = f->p.begin + NSEC_PER_MSEC,
				     .woken = runnable ? f->p.begin + NSEC_PER_MSEC : end,
				     .end = end,
				     .before = runnable ? f->waker : 0,
				     .counted_block = runnable ? 0 : nr * ms * NSEC_PER_MSEC,
				     .counted_wait = runnable ? nr * ms * NSEC_PER_MSEC : 0,
			     });
}

/* Two burners on one of two CPUs, a server that hardly gets it, a database that waits for its disk. */
static void fill_sick_host(struct fixture *f)
{
	u32 server, database, first, second;

	run_init(f);
	server = thread(f, "redis-server", 100, 100);
	database = thread(f, "postgres", 200, 200);
	first = thread(f, "burner", 300, 300);
	second = thread(f, "burner", 301, 301);
	lives(f, server, 300, 6800);
	lives(f, database, 1000, 20);
	lives(f, first, 9700, 0);
	lives(f, second, 4000, 4000);
	profile_cpu(&f->p, 0)->running = 10 * NSEC_PER_SEC;
	profile_cpu(&f->p, 1)->running = 5 * NSEC_PER_SEC;
	profile_cpu(&f->p, 1)->idle = 5 * NSEC_PER_SEC;
	waits(f, server, 'Q', "main;aeMain", "do_syscall_64;schedule", 1, 90);
	waits(f, server, 'S', "main;aeMain;epoll_wait", "do_epoll_wait;ep_poll;schedule", 29, 100);
	waits(f, database, 'D' | WICK_STATE_IO, "main;XLogWrite;fdatasync",
	      "ext4_sync_file;io_schedule;schedule", 78, 40);
	waits(f, second, 'R', NULL, NULL, 1, 20);
	f->p.blocks.at[0].before = first;
}

static void a_sick_host_is_told_in_one_screen(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill_sick_host(&f);
	text = screen_of(&f, NEED_SCHED);
	CHECK_STR(
		text,
		"host      host, Linux 6.18, 10.0 s: 2 CPUs 75 % busy, 1.1 ready without one; 4 threads; nothing lost\n"
		"warning   1.1 threads had no CPU, 25 % idle (pinned?); ran: burner 300 (97 %), burner 301 (40 %)\n"
		"warning   ready, but without a CPU: redis-server 100 (68 %)\n"
		"warning   thread at 100 % of a CPU: burner 300 (97 %)\n"
		"process                  CPU %  run s  no CPU  disk  longest wait\n"
		"burner 300                97.0   9.70       -     -\n"
		"redis-server 100           3.0   0.30    6.80     -  90.0 ms no CPU\n"
		"burner 301                40.0   4.00    4.00     -  20.0 ms no CPU\n"
		"postgres 200              10.0   1.00    0.02  3.12  40.0 ms disk: fdatasync < XLogWrite < main\n"
		"delay     6.80 s no CPU  redis-server 100, 0.68 at any time; burner 300 had the CPU last\n"
		"delay     4.00 s no CPU  burner 301, 0.40 at any time; the waker 20 had the CPU last\n"
		"delay     3.12 s disk    postgres 200, 1+ time, to 40.0 ms: fdatasync < XLogWrite < main\n"
		"idle, s   3 for work\n"
		"cost      0.00 % of the host: wick 0.00 s, its BPF programs 0.00 s, 0 B\n");
}

static void threads_of_one_name_that_share_a_cpu_are_told_so(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill_sick_host(&f);
	f.p.blocks.at[3].before = f.p.blocks.at[0].before;
	text = screen_of(&f, NEED_SCHED);
	CHECK(strstr(
		text,
		"delay     4.00 s no CPU  burner 301, 0.40 at any time; others of that name had the CPU last\n"));
}

/* Compilers come and go: each has the CPU for a moment, and all of them for most of the time. */
static void processes_of_one_name_had_the_cpu_together(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 server;

	run_init(&f);
	server = thread(&f, "redis-server", 100, 100);
	lives(&f, server, 300, 6800);
	waits(&f, server, 'Q', NULL, NULL, 1, 20);
	f.p.blocks.at[0].before = thread(&f, "rcu_preempt", 15, 15);
	for (u32 i = 0; i < 3; i++) {
		waits(&f, server, 'Q', NULL, NULL, 1, 10);
		f.p.blocks.at[1 + i].before = thread(&f, "cc1", 500 + i, 500 + i);
	}
	text = screen_of(&f, NEED_SCHED);
	CHECK(strstr(text, "redis-server 100, 0.68 at any time; cc1 had the CPU last\n"));
}

/* The text of the table's lines. */
static char *table_of(const char *screen)
{
	const char *begin = strstr(screen, "process "), *end;

	CHECK(begin);
	begin = begin ? begin : screen + strlen(screen);
	end = strstr(begin, "\ndelay ");
	return strndup(begin, end ? (size_t)(end + 1 - begin) : strlen(begin));
}

/* But one that matters much has its own row, and so have two of a name. 2 ms are not worth one. */
static void processes_of_one_name_that_matter_together_are_one_row(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *table = NULL;

	run_init(&f);
	for (u32 i = 0; i < 30; i++) {
		u32 leg = thread(&f, "cc1", 500 + i, 500 + i);

		lives(&f, leg, 100, 50);
		waits(&f, leg, 'Q', NULL, NULL, 1, 10 + i);
	}
	lives(&f, thread(&f, "cc1", 600, 600), 1200, 0);
	lives(&f, thread(&f, "nginx", 700, 700), 150, 0);
	lives(&f, thread(&f, "nginx", 701, 701), 50, 0);
	lives(&f, thread(&f, "sshd", 702, 702), 2, 0);
	lives(&f, thread(&f, "a-long-name-of-a", 800, 800), 10, 0);
	lives(&f, thread(&f, "a-long-name-of-a", 801, 801), 20, 0);
	for (u32 i = 0; i < 8; i++)
		lives(&f, thread(&f, "a-long-name-of-a", 802 + i, 802 + i), 10, 0);
	text = screen_of(&f, NEED_SCHED);
	table = table_of(text);
	CHECK_STR(table, "process (how many)       CPU %  run s  no CPU  longest wait\n"
			 "cc1 (30)                  30.0   3.00    1.50  39.0 ms no CPU\n"
			 "cc1 600                   12.0   1.20       -\n"
			 "nginx 700                  1.5   0.15       -\n"
			 "a-long-name-of-a (10)      1.1   0.11       -\n"
			 "nginx 701                  0.5   0.05       -\n");
}

/* Who else ran is not known then. */
static void with_filters_only_the_chosen_threads_are_told_of(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill_sick_host(&f);
	f.p.filters = strings_adds(&f.p.names, "-c redis-server");
	f.p.cpus.nr = 0;
	text = screen_of(&f, NEED_SCHED);
	CHECK(strstr(text, ": 2 CPUs; 4 threads: 1.50 running, 1.1 ready; nothing lost\n"
			   "warning   1.1 threads had no CPU\n"));
}

static void delays_are_what_keeps_work_from_going_on(void)
{
	static const struct {
		u32 state;
		const char *user, *kernel, *says; /* of its delay; NULL: it is none */
	} cases[] = {
		{'D', NULL, "do_user_addr_fault;filemap_fault;folio_wait_bit_common;io_schedule",
		 "paging"},
		{'D', NULL, "vfs_read;folio_wait_bit_common;io_schedule", "disk"},
		{'D', NULL, "do_user_addr_fault;rwsem_down_read_slowpath", "lock"},
		{'S', "main;work;pthread_cond_wait", "do_futex;futex_wait", NULL},
		{'S', "main;serve;accept", "do_accept;inet_csk_accept", NULL},
		{'S', "main;query;recv", "unix_stream_read_generic;schedule_timeout", NULL},
		{'S', "main;nap", "hrtimer_nanosleep;do_nanosleep", NULL},
		{'S', "main;wait4", "do_wait", NULL},
		{'S' | WICK_STATE_NEVER_RAN, "main;query;recv", "sk_wait_data", NULL},
		{'I', NULL, "kthread;worker_thread", NULL},
		{'T', NULL, "do_signal_stop", NULL},
		{'S', NULL, "strange_driver", NULL},
		{'Q', "main;work", "futex_wait", "no CPU"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL, *line = NULL, *want = NULL;

		run_init(&f);
		waits(&f, f.sleeper, cases[i].state, cases[i].user, cases[i].kernel, 1, 2000);
		lives(&f, f.sleeper, 0,
		      strcmp(cases[i].says ? cases[i].says : "", "no CPU") ? 0 : 2000);
		text = screen_of(&f, NEED_SCHED);
		line = line_of(text, "delay ");
		want = format("delay     2.00 s %-8smy app 10, ",
			      cases[i].says ? cases[i].says : "");
		if (!cases[i].says != !line || (line && strncmp(line, want, strlen(want))))
			test_report("%s: \"%s\"", cases[i].kernel, line ? line : "");
	}
}

/* A wait of the log that a thread ended, or a timer: `by` is 0. */
static void waits_for(struct fixture *f, u32 leg, u32 by, const char *user, const char *kernel,
		      u64 begin_ms, u64 end_ms)
{
	struct hop hop = {
		.cause = by ? WICK_BY_TASK : WICK_BY_INTERRUPT,
		.leg = by,
		.kernel = by ? 0
			     : stack(f, FRAME_KERNEL,
				     "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;"
				     "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up"),
	};
	u32 ref = profile_hop(&f->p, &hop);

	profile_block(&f->p, &(struct block){
				     .leg = leg,
				     .state = 'S',
				     .user = stack(f, FRAME_USER, user),
				     .kernel = stack(f, FRAME_KERNEL, kernel),
				     .chain = profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING),
				     .begin = f->p.begin + begin_ms * NSEC_PER_MSEC,
				     .woken = f->p.begin + end_ms * NSEC_PER_MSEC,
				     .end = f->p.begin + end_ms * NSEC_PER_MSEC,
				     .counted_block = (end_ms - begin_ms) * NSEC_PER_MSEC,
				     .object_kind = by ? WICK_OBJECT_CONNECTED : 0,
			     });
}

/*
 * A client waits for its server ten times, for what that does mostly, which is not what it does in
 * the longest wait. So do others, which are not to have all lines.
 */
static void fill_clients(struct fixture *f)
{
	static const char *const names[] = {"client", "second", "third"};
	u32 server;

	run_init(f);
	server = thread(f, "server", 400, 400);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		u32 client = thread(f, names[i], 300 + i, 300 + i);

		for (u32 k = 0; k < 10 && !i; k++)
			waits_for(f, server, 0, "main;serve;naps_in_a_request", "hrtimer_nanosleep",
				  1000 * k + 10, 1000 * k + (k ? 410 : 20));
		for (u32 k = 0; k < 10; k++)
			waits_for(f, client, server, "main;runs_the_benchmark;sends_a_query;recv",
				  "unix_stream_read_generic", 1000 * k + i,
				  1000 * k + (k ? 420 : 900));
	}
}

static void who_waits_for_another_thread_is_told_with_what_that_did(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill_clients(&f);
	text = screen_of(&f, NEED_SCHED);
	CHECK_LINE(text, "delay     4.68 s peer    client 300, ",
		   "delay     4.68 s peer    client 300, to 900 ms: recv; "
		   "server 400: sleep in naps_in_a_request");
	CHECK(strstr(text, " second 301, ") && !strstr(text, " third 302, "));
}

static void sleeps_and_waits_for_answers_make_no_rows(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *table = NULL;

	fill_clients(&f);
	lives(&f, thread(&f, "worker", 500, 500), 500, 0);
	text = screen_of(&f, NEED_SCHED);
	table = table_of(text);
	CHECK_STR(table, "process                  CPU %  run s  longest wait\n"
			 "worker 500                 5.0   0.50\n");
}

/* One nap in the log, which stands for hundreds: what the client waits for are short waits. */
static void short_waits_are_told_by_those_that_were_looked_at(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 client, server;

	run_init(&f);
	server = thread(&f, "server", 400, 400);
	client = thread(&f, "client", 300, 300);
	lives(&f, server, 100, 0);
	waits_for(&f, server, 0, "main;serve;naps", "hrtimer_nanosleep", 10, 12);
	f.p.blocks.at[0].counted_block = 4 * NSEC_PER_SEC;
	for (u32 i = 0; i < 5; i++)
		waits_for(&f, client, server, "main;query;recv", "unix_stream_read_generic",
			  1000 * i, 1000 * i + 900);
	text = screen_of(&f, NEED_SCHED);
	CHECK_LINE(text, "delay     4.50 s peer ",
		   "delay     4.50 s peer    client 300, 5 times, to 900 ms: recv < query; "
		   "server 400: sleep in naps");
}

/*
 * A hundred delays of many threads, each of which waits for all that a busy server does, which is
 * another thing each time: only a part of that is looked at.
 */
static void the_cause_of_many_pieces_is_what_most_of_those_seen_say(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 server;

	run_init(&f);
	server = thread(&f, "server", 400, 400);
	for (u32 i = 0; i < 2000; i++) {
		_cleanup_free_ char *other = format("main;serve;naps_%u", i);

		waits_for(&f, server, 0, i % 2 ? other : "main;serve;naps", "hrtimer_nanosleep",
			  4 * i + 1, 4 * i + 4);
	}
	for (u32 i = 0; i < 100 * 64; i++) {
		_cleanup_free_ char *place = format("main;query_%u;recv", i / 64);

		waits_for(&f, thread(&f, "client", 1000 + i, 1000 + i), server, place,
			  "unix_stream_read_generic", 0, 8000 + i / 64);
	}
	text = screen_of(&f, NEED_SCHED);
	CHECK(strstr(text, "server 400: sleep in naps"));
}

static unsigned int lines_in_text(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* Columns as a terminal has them, wide characters counted as two. */
static void check_size(const char *text)
{
	const char *line = text;

	CHECK(lines_in_text(text) < SCREEN_LINES);
	for (; *line; line += strcspn(line, "\n") + 1) {
		unsigned int columns = 0;

		for (size_t i = 0, size = strcspn(line, "\n"); i < size;) {
			size_t next = utf8_length(line + i, size - i);

			CHECK(next && (unsigned char)line[i] >= ' ' && line[i] != 0x7f);
			columns += next > 2 ? 2 : 1;
			i += max(next, (size_t)1);
		}
		if (columns > width)
			test_report("%u columns, not %u: %.*s", columns, width,
				    (int)strcspn(line, "\n"), line);
	}
}

/* Names as long and as strange as they get, and more of everything than there is room for. */
static void fill_large_host(struct fixture *f)
{
	static const char *const names[] = {
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5", /* wide */
		"\x1b[31m\x1b]0;x\x07",
		"a\nb\tc",
		"\xff\xfe\xfd\xfc",
		"fifteen-letters",
		"\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5",
		"\xe2\x80\xae"
		"olleh", /* right to left */
	};
	_cleanup_free_ char *place = xcalloc(1, 4096);

	run_init(f);
	f->p.host =
		strings_adds(&f->p.names, "a-host-with-a-name.of.a.data.center.somewhere.example");
	memset(place, 'f', 4000);
	for (u32 i = 0; i < 10000; i++) {
		u32 leg = thread(f, names[i % ARRAY_SIZE(names)], 4000000 + i, 4000000 + i);

		lives(f, leg, i % 3 ? 9900 : 10, 9000);
		waits(f, leg, 'Q', NULL, NULL, 1234, 9000);
		waits(f, leg, 'D', place, "filemap_fault;io_schedule", 1234, 9000);
		waits(f, leg, 'D', place, "io_schedule", 1234, 9000);
		waits(f, leg, 'D', place, "mutex_lock", 1234, 9000);
		waits(f, leg, 'S', place, "sk_wait_data", 1234, 9000);
		waits(f, leg, 'S', place, "do_wait", 1234, 9000);
		waits(f, leg, 'S', place, "pipe_read", 1234, 9000);
	}
	for (u32 kind = 0; kind < WICK_NR_KINDS; kind++)
		profile_loss(&f->p, "things that were lost for a reason that takes long to tell",
			     NULL, kind, 0, 123456789);
}

static void no_host_is_too_large_for_it(void)
{
	static const u32 needs[] = {
		NEED_CPU,   NEED_SCHED,	  NEED_CPU | NEED_SCHED | NEED_FAULT | NEED_BRK | NEED_MMAP,
		NEED_FAULT, NEED_THREADS, 0};
	static const unsigned int widths[] = {SCREEN_WIDTH, SCREEN_NARROW};
	_cleanup_fixture_ struct fixture f;

	fill_large_host(&f);
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(widths); j++) {
			_cleanup_free_ char *text = NULL;

			width = widths[j];
			text = screen_of(&f, needs[i]);
			check_size(text);
			if (needs[i] & NEED_SCHED)
				CHECK(lines_in_text(text) > SCREEN_LINES - 5);
		}
	}
	width = SCREEN_WIDTH;
}

static void what_was_not_observed_is_not_said(void)
{
	static const struct {
		u32 needs;
		const char *begins;
	} cases[] = {
		{NEED_CPU, "host      host, Linux 6.18, 10.0 s: 2 CPUs 0 % busy; nothing lost\n"
			   "functions with the most time of their own, of 0 samples: none\n"
			   "cost      "},
		{NEED_SCHED,
		 "host      host, Linux 6.18, 10.0 s: 2 CPUs 0 % busy, 0.0 ready without "
		 "one; 0 threads; nothing lost\ncost      "},
		{NEED_BRK, "host      host, Linux 6.18, 10.0 s: 2 CPUs; nothing lost\n"
			   "memory    brk +0 B, 0 B held\ncost      "},
		{NEED_FAULT, "host      host, Linux 6.18, 10.0 s: 2 CPUs; nothing lost\n"
			     "memory    resident +0 B (0 major)\ncost      "},
		{NEED_THREADS, "host      host, Linux 6.18\nthreads   0\ncost      "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL;

		run_init(&f);
		text = screen_of(&f, cases[i].needs);
		if (strncmp(text, cases[i].begins, strlen(cases[i].begins)))
			test_report("want \"%s\", got \"%s\"", cases[i].begins, text);
	}
}

/* The accounts of threads have such time as time without a CPU, the samples tell it apart. */
static void a_used_up_quota_is_no_want_of_a_cpu(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	lives(&f, f.sleeper, 1000, 8500);
	counted(&f, WICK_SCHED, f.sleeper, 'R' | WICK_STATE_THROTTLED, 100, 8 * NSEC_PER_SEC, 0);
	text = screen_of(&f, NEED_SCHED);
	CHECK_SAYS(text, "warning   throttled 8.000 s (cpu.max), most my app 10\n");
	CHECK(!strstr(text, "without a CPU"));
	CHECK(!strstr(text, "had no CPU"));
	CHECK_LINE(text, "process  ",
		   "process                  CPU %  run s  no CPU throttled  longest wait");
	CHECK_LINE(text, "my app 10 ", "my app 10                 10.0   1.00    0.50      8.00");
}

static void a_throttled_delay_has_a_space_after_its_class(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	waits(&f, f.sleeper, 'R' | WICK_STATE_THROTTLED, "main;work", NULL, 1, 2000);
	text = screen_of(&f, NEED_SCHED);
	CHECK(strstr(text, "\ndelay     2.00 s throttled my app 10, "));
}

/* The burner is hardly ever throttled itself; what is in another cgroup has its own quota. */
static void who_used_a_quota_is_named(void)
{
	static const struct {
		const char *comm, *cgroup;
		u32 pid, running_ms, throttled_ms;
		bool is_left_out;
	} threads[] = {
		{"web", "/shop", 500, 200, 6000, false},
		{"web", "/shop", 501, 100, 5000, false},
		{"burner", "/shop", 502, 900, 100, true},
		{"other", "/else", 503, 5000, 1000, false},
	};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		u32 ref = thread(&f, threads[i].comm, threads[i].pid, threads[i].pid);
		struct leg leg = f.p.legs.at[ref];

		leg.cgroup = 1 + (i == 3);
		leg.cgroup_path = strings_adds(&f.p.names, threads[i].cgroup);
		ref = profile_leg(&f.p, &leg);
		lives(&f, ref, threads[i].running_ms, threads[i].throttled_ms);
		if (threads[i].is_left_out)
			*vec_add(&f.p.other_threads) = f.p.threads.at[--f.p.threads.nr];
		counted(&f, WICK_SCHED, ref, 'R' | WICK_STATE_THROTTLED, 100,
			threads[i].throttled_ms * NSEC_PER_MSEC, 0);
	}
	text = screen_of(&f, NEED_SCHED);
	CHECK_LINE(text, "warning   throttled",
		   "warning   throttled 12.000 s (cpu.max), most web 500; quota used by burner 502 "
		   "(9 %) of /shop");
}

static void a_process_is_one_row_whatever_its_threads_are_called(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	struct leg worker;

	run_init(&f);
	worker = f.p.legs.at[f.sleeper];
	worker.tid = 12;
	worker.comm = strings_adds(&f.p.names, "pool-1");
	lives(&f, f.sleeper, 1000, 0);
	lives(&f, profile_leg(&f.p, &worker), 2000, 0);
	text = screen_of(&f, NEED_SCHED);
	CHECK_LINE(text, "my app 10 ", "my app 10                 30.0   3.00");
	CHECK(!strstr(text, "pool-1"));
}

int main(void)
{
	RUN(a_sick_host_is_told_in_one_screen);
	RUN(processes_of_one_name_that_matter_together_are_one_row);
	RUN(processes_of_one_name_had_the_cpu_together);
	RUN(threads_of_one_name_that_share_a_cpu_are_told_so);
	RUN(with_filters_only_the_chosen_threads_are_told_of);
	RUN(delays_are_what_keeps_work_from_going_on);
	RUN(who_waits_for_another_thread_is_told_with_what_that_did);
	RUN(sleeps_and_waits_for_answers_make_no_rows);
	RUN(short_waits_are_told_by_those_that_were_looked_at);
	RUN(the_cause_of_many_pieces_is_what_most_of_those_seen_say);
	RUN(no_host_is_too_large_for_it);
	RUN(what_was_not_observed_is_not_said);
	RUN(a_used_up_quota_is_no_want_of_a_cpu);
	RUN(a_throttled_delay_has_a_space_after_its_class);
	RUN(who_used_a_quota_is_named);
	RUN(a_process_is_one_row_whatever_its_threads_are_called);
	return test_status();
}
