/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's own place in a stack: why/places.h and report/facts.h. */
#include "test.h"
#include "report/facts.h"
#include "why/places.h"

struct fixture {
	struct profile p;
	struct facts f;
	VEC(u32) frames; /* leaf first */
};

static void fixture_init(struct fixture *x)
{
	*x = (struct fixture){};
	profile_init(&x->p);
	facts_init(&x->f, &x->p, &(struct report_options){});
}

static void fixture_release(struct fixture *x)
{
	vec_release(&x->frames);
	facts_release(&x->f);
	profile_release(&x->p);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

/* A function of a file, which calls those that were pushed before it. */
static void push(struct fixture *x, const char *file, const char *name)
{
	u32 function = profile_function(&x->p, name, strlen(name), file, FRAME_USER, true);
	u32 frame = profile_frame(&x->p, SPACE_FILE, profile_file(&x->p, file), function);

	x->p.frames.at[frame].function = function;
	*vec_add(&x->frames) = frame;
}

static void push_python(struct fixture *x, const char *name)
{
	u32 function = profile_function(&x->p, name, strlen(name), "app.py", FRAME_JIT, true);
	u32 frame = profile_frame(&x->p, SPACE_NOTE, 0, function);

	x->p.frames.at[frame].function = function;
	*vec_add(&x->frames) = frame;
}

/* Takes the frames: where the program waits, in one word and in some. */
static void check_place(struct fixture *x, const char *function, const char *words)
{
	u32 stack = profile_stack(&x->p, x->frames.at, x->frames.nr, WICK_COMPLETE);
	struct places places = {};
	struct place place = places_place(&places, &x->p, stack);
	struct string found = short_place_of(&x->f, &x->p, NULL, stack, 0);

	CHECK_STR(strings_get(&x->p.names, x->p.functions.at[place.function].shown.name).s,
		  function);
	CHECK_STR(found.s, words);
	places_release(&places);
	x->frames.nr = 0;
}

static void libc_says_how_a_program_waits(void)
{
	_cleanup_fixture_ struct fixture x;

	fixture_init(&x);
	push(&x, "libc.so.6", "__futex_abstimed_wait");
	push(&x, "libc.so.6", "pthread_mutex_lock");
	push(&x, "server", "take");
	push(&x, "server", "serve");
	push(&x, "server", "loop");
	push(&x, "libc.so.6", "start_thread");
	check_place(&x, "take", "pthread_mutex_lock < take < serve");
}

static void the_interpreters_functions_are_not_its_programs(void)
{
	_cleanup_fixture_ struct fixture x;

	fixture_init(&x);
	push(&x, "libc.so.6", "clock_nanosleep");
	push(&x, "python3.11", "time_sleep");
	push_python(&x, "worker (app.py:10)");
	push_python(&x, "Thread.run (threading.py:982)");
	push(&x, "python3.11", "_PyEval_Vector");
	push_python(&x, "Thread._bootstrap (threading.py:1002)");
	push(&x, "python3.11", "thread_run");
	check_place(&x, "worker (app.py:10)",
		    "worker (app.py:10) < Thread.run (threading.py:982) < "
		    "Thread._bootstrap (threading.py:1002)");
}

static void its_lock_and_native_extensions_are(void)
{
	_cleanup_fixture_ struct fixture x;

	fixture_init(&x);
	push(&x, "libc.so.6", "pthread_cond_timedwait");
	push(&x, "libpython3.12.so.1.0", "take_gil");
	push(&x, "libpython3.12.so.1.0", "PyEval_RestoreThread");
	push_python(&x, "worker (app.py:10)");
	check_place(&x, "take_gil", "take_gil < worker (app.py:10)");
	push(&x, "libc.so.6", "poll");
	push(&x, "_psycopg.so", "wait_for_answer");
	push_python(&x, "query (app.py:20)");
	check_place(&x, "wait_for_answer", "wait_for_answer < query (app.py:20)");
}

static void without_a_programs_frames_the_interpreters_are_all_there_is(void)
{
	_cleanup_fixture_ struct fixture x;

	fixture_init(&x);
	push(&x, "libc.so.6", "clock_nanosleep");
	push(&x, "python3.11", "time_sleep");
	push(&x, "python3.11", "thread_run");
	check_place(&x, "time_sleep", "clock_nanosleep < time_sleep < thread_run");
}

int main(void)
{
	RUN(libc_says_how_a_program_waits);
	RUN(the_interpreters_functions_are_not_its_programs);
	RUN(its_lock_and_native_extensions_are);
	RUN(without_a_programs_frames_the_interpreters_are_all_there_is);
	return test_status();
}
