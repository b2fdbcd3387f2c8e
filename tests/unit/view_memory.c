/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_memory.c: the views of memory, on profiles built by hand. */
#include "view_fixture.h"

static void add(struct fixture *f, enum wick_kind kind, u32 state, u32 kernel, u64 nr, u64 bytes,
		u64 third)
{
	profile_count(&f->p, &(struct sample){.kind = kind,
					      .state = state,
					      .leg = f->sleeper,
					      .user = f->user,
					      .kernel = kernel,
					      .column = {nr, bytes, third}});
}

static void faults_have_three_metrics(void)
{
	static const struct {
		const char *metric, *want;
	} cases[] = {
		{NULL, "my_app;main;work 3\n"},	   {"faults", "my_app;main;work 3\n"},
		{"count", "my_app;main;work 3\n"}, {"bytes", "my_app;main;work 12288\n"},
		{"us", "my_app;main;work 7\n"},	   {"ns", "my_app;main;work 7000\n"},
	};
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, WICK_FAULT, 0, 0, 1, 4096, 3000);
	add(&f, WICK_FAULT, 0, 0, 2, 8192, 4000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *lines = lines_in(&f, "faults", cases[i].metric, false);

		CHECK_STR(lines, cases[i].want);
	}
}

static void kinds_of_faults_are_apart(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 kernel;

	fixture_init(&f);
	kernel = stack(&f, FRAME_KERNEL,
		       "do_syscall_64;populate_vma_page_range;set_pte_range;__mm_trace_rss_stat");
	add(&f, WICK_FAULT, WICK_MEMORY_MAJOR, 0, 2, 8192, 0);
	add(&f, WICK_FAULT, 0, 0, 5, 0, 0);
	add(&f, WICK_FAULT, WICK_MEMORY_BY_CALL, kernel, 0, 4096, 0);
	CHECK_LINES(&f, "faults", "my_app;main;work 5\nmy_app;main;work;[major fault] 2\n");
	{
		_cleanup_free_ char *lines = lines_in(&f, "faults", "bytes", false);

		/* Without the function that tells of it. */
		CHECK_STR(
			lines,
			"my_app;main;work;[major fault] 8192\n"
			"my_app;main;work;do_syscall_64;populate_vma_page_range;set_pte_range 4096\n");
	}
}

static void mappings_of_files_are_apart_and_reservations_left_out(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, WICK_MMAP, 0, 0, 1, 4096, 0);
	add(&f, WICK_MMAP, WICK_MEMORY_FILE, 0, 2, 8192, 0);
	add(&f, WICK_MMAP, WICK_MEMORY_RESERVED, 0, 1, 64ull << 30, 0);
	CHECK_LINES(&f, "mmap", "my_app;main;work 4096\nmy_app;main;work;[file-backed] 8192\n");
	f.options.reserved = true;
	CHECK_LINES(&f, "mmap",
		    "my_app;main;work 4096\nmy_app;main;work;[file-backed] 8192\n"
		    "my_app;main;work;[reserved] 68719476736\n");
}

static void outstanding_is_what_is_held(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, WICK_MMAP, 0, 0, 3, 12288, 4096);
	add(&f, WICK_MMAP, WICK_MEMORY_FILE, 0, 1, 4096, 0);
	add(&f, WICK_BRK, 0, 0, 1, 1001, 501);
	f.options.outstanding = true;
	CHECK_LINES(&f, "mmap", "my_app;main;work 4096\n");
	CHECK_LINES(&f, "brk", "my_app;main;work 501\n");
	f.options.outstanding = false;
	CHECK_LINES(&f, "brk", "my_app;main;work 1001\n");
}

static void a_view_has_its_own_samples_only(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, WICK_FAULT, 0, 0, 1, 1, 1);
	add(&f, WICK_BRK, 0, 0, 1, 20, 0);
	add(&f, WICK_MMAP, 0, 0, 1, 300, 0);
	add(&f, WICK_CPU, 0, 0, 4000, 0, 0);
	CHECK_LINES(&f, "faults", "my_app;main;work 1\n");
	CHECK_LINES(&f, "brk", "my_app;main;work 20\n");
	CHECK_LINES(&f, "mmap", "my_app;main;work 300\n");
	CHECK_LINES(&f, "cpu", "my_app;main;work 4000\n");
}

/* Of each metric its own. */
static void losses_are_drawn(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, WICK_FAULT, 0, 0, 1, 4096, 0);
	profile_loss(&f.p, "faults", "[lost keys]", WICK_FAULT, 0, 2);
	profile_loss(&f.p, "bytes", "[lost keys]", WICK_FAULT, 1, 8192);
	profile_loss(&f.p, "skipped", NULL, WICK_FAULT, 0, 99);
	CHECK_LINES(&f, "faults", "[lost keys] 2\nmy_app;main;work 1\n");
	{
		_cleanup_free_ char *lines = lines_in(&f, "faults", "bytes", false);

		CHECK_STR(lines, "[lost keys] 8192\nmy_app;main;work 4096\n");
	}
}

int main(void)
{
	RUN(faults_have_three_metrics);
	RUN(kinds_of_faults_are_apart);
	RUN(mappings_of_files_are_apart_and_reservations_left_out);
	RUN(outstanding_is_what_is_held);
	RUN(a_view_has_its_own_samples_only);
	RUN(losses_are_drawn);
	return test_status();
}
