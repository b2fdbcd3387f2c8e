/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

#define _cleanup_why_ _cleanup_(free_why)

static void free_why(struct why **why)
{
	why_free(*why);
}

enum { PID = 10, WORD = 0x1000 };

/* A stack of functions of libc, on top of one of the program. */
static u32 in_libc(struct fixture *f, const char *function)
{
	u32 libc = profile_file(&f->p, "/usr/lib/libc.so.6"), frames[2];

	f->p.files.at[libc].name = strings_adds(&f->p.names, "libc.so.6");
	frames[0] = profile_frame(&f->p, SPACE_FILE, libc, f->p.frames.nr);
	f->p.frames.at[frames[0]].function =
		profile_function(&f->p, function, strlen(function), "libc.so.6", FRAME_USER, true);
	frames[1] = f->p.stack_frames.at[f->p.stacks.at[stack(f, FRAME_USER, "main")].first];
	return profile_stack(&f->p, frames, 2, WICK_COMPLETE);
}

/* A thread waits for the word, and still does; returns the block's number. */
static u32 waits(struct fixture *f, u32 leg, const char *function, enum wick_object kind,
		 u32 holder)
{
	const struct object object = {.kind = WICK_OBJECT_FUTEX, .id = WORD, .of = PID};

	profile_block(&f->p, &(struct block){
				     .leg = leg,
				     .user = in_libc(f, function),
				     .kernel = stack(f, FRAME_KERNEL, "do_futex;futex_wait"),
				     .state = 'S' | WICK_STATE_STILL,
				     .begin = f->p.begin,
				     .woken = f->p.end,
				     .end = f->p.end,
				     .object_kind = kind,
				     .object = profile_object(&f->p, &object),
				     .holder = holder,
			     });
	return (u32)f->p.blocks.nr - 1;
}

static u32 lives(struct fixture *f, u32 tid)
{
	u32 leg = thread(f, "worker", PID, tid);

	profile_thread(&f->p,
		       &(struct thread_time){.leg = leg, .begin = f->p.begin, .end = f->p.end});
	return leg;
}

static void begin(struct fixture *f)
{
	fixture_init(f);
	f->p.end = f->p.begin + 1000;
}

static enum wick_object kind_of(const struct fixture *f, u32 block)
{
	_cleanup_why_ struct why *why = why_new(&f->p);

	return why_object_kind(why, &f->p.blocks.at[block]);
}

static u32 holder_of(const struct fixture *f, u32 block)
{
	_cleanup_why_ struct why *why = why_new(&f->p);

	return why_holder(why, &f->p.blocks.at[block]);
}

static void a_condition_that_has_counted_to_two_is_no_lock(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 lock, condition;

	begin(&f);
	lock = waits(&f, lives(&f, 11), "pthread_mutex_lock", WICK_OBJECT_LOCK, 0);
	CHECK_EQ(kind_of(&f, lock), WICK_OBJECT_LOCK);
	condition = waits(&f, lives(&f, 12), "__pthread_cond_wait_common", WICK_OBJECT_LOCK, 0);
	CHECK_EQ(kind_of(&f, condition), WICK_OBJECT_FUTEX);
	CHECK_EQ(kind_of(&f, lock), WICK_OBJECT_LOCK);
}

static void a_word_that_is_mostly_another_number_is_no_lock(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 two;

	begin(&f);
	two = waits(&f, lives(&f, 11), "syscall", WICK_OBJECT_LOCK, 0);
	waits(&f, lives(&f, 12), "syscall", WICK_OBJECT_LOCK, 0);
	waits(&f, lives(&f, 13), "syscall", WICK_OBJECT_FUTEX, 0);
	CHECK_EQ(kind_of(&f, two), WICK_OBJECT_LOCK);
	waits(&f, lives(&f, 14), "syscall", WICK_OBJECT_FUTEX, 0);
	CHECK_EQ(kind_of(&f, two), WICK_OBJECT_FUTEX);
}

static void wakes(struct fixture *f, u32 block, enum wick_cause cause, const char *kernel, u32 leg)
{
	const struct hop hop = {
		.cause = cause, .leg = leg, .kernel = stack(f, FRAME_KERNEL, kernel)};
	u32 ref = profile_hop(&f->p, &hop);

	f->p.blocks.at[block].state = 'S';
	f->p.blocks.at[block].chain = profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

static u32 times_out(struct fixture *f, u32 leg, const char *function)
{
	u32 block = waits(f, leg, function, WICK_OBJECT_LOCK, 0);

	wakes(f, block, WICK_BY_INTERRUPT,
	      "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;"
	      "hrtimer_wakeup;try_to_wake_up",
	      0);
	return block;
}

static void a_word_at_which_threads_only_nap_is_no_lock(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 leg, nap;

	begin(&f);
	leg = lives(&f, 11);
	nap = times_out(&f, leg, "syscall");
	times_out(&f, leg, "syscall");
	CHECK_EQ(kind_of(&f, nap), WICK_OBJECT_LOCK);
	times_out(&f, leg, "syscall");
	waits(&f, leg, "syscall", WICK_OBJECT_LOCK, 0);
	CHECK_EQ(kind_of(&f, nap), WICK_OBJECT_FUTEX);
	/* Somebody lets it go. */
	wakes(&f, waits(&f, leg, "syscall", WICK_OBJECT_LOCK, 0), WICK_BY_TASK,
	      "futex_wake;try_to_wake_up", lives(&f, 12));
	CHECK_EQ(kind_of(&f, nap), WICK_OBJECT_LOCK);
}

static void a_word_that_names_no_thread_is_no_lock(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 leg, parked;

	begin(&f);
	leg = lives(&f, 11);
	parked = waits(&f, leg, "syscall", WICK_OBJECT_LOCK, 0x3fffffff);
	CHECK_EQ(kind_of(&f, parked), WICK_OBJECT_FUTEX);
	CHECK_EQ(holder_of(&f, parked), 0);
}

static void a_mutex_that_nobody_lets_go_is_a_lock(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 leg, block = 0;

	begin(&f);
	leg = lives(&f, 11);
	for (u32 i = 0; i < 5; i++)
		block = times_out(&f, leg, "pthread_mutex_timedlock");
	CHECK_EQ(kind_of(&f, block), WICK_OBJECT_LOCK);
}

static void a_holder_is_a_thread_that_was_there(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 holder, waiter;

	begin(&f);
	waiter = lives(&f, 11);
	holder = lives(&f, 12);
	CHECK_EQ(holder_of(&f, waits(&f, waiter, "syscall", WICK_OBJECT_LOCK, 12)), holder);
	CHECK_EQ(holder_of(&f, waits(&f, waiter, "syscall", WICK_OBJECT_LOCK, 13)), 0);
	CHECK_EQ(holder_of(&f, waits(&f, waiter, "syscall", WICK_OBJECT_LOCK, 11)), 0);
}

/* Of words that are no mutex of glibc, what is beside them means something else. */
static void what_is_beside_a_word_is_the_owner_of_a_mutex(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 holder, waiter, owner = 12 | WICK_HOLDER_BESIDE;

	begin(&f);
	waiter = lives(&f, 11);
	holder = lives(&f, 12);
	CHECK_EQ(holder_of(&f, waits(&f, waiter, "syscall", WICK_OBJECT_LOCK, owner)), 0);
	CHECK_EQ(holder_of(&f, waits(&f, waiter, "pthread_mutex_lock", WICK_OBJECT_LOCK, owner)),
		 holder);
}

static void a_lock_that_is_not_let_go_is_what_its_holder_does(void)
{
	_cleanup_fixture_ struct fixture f;
	struct why_pieces pieces = {};
	u32 first, block;

	begin(&f);
	first = lives(&f, 11);
	block = waits(&f, first, "pthread_mutex_lock", WICK_OBJECT_LOCK, 12);
	waits(&f, lives(&f, 12), "pthread_mutex_lock", WICK_OBJECT_LOCK, 11);
	{
		_cleanup_why_ struct why *why = why_new(&f.p);

		/* They wait for each other. */
		why_explain_block(why, block, &pieces);
		CHECK_EQ(pieces.pieces.nr, 1);
		CHECK_EQ(pieces.pieces.at[0].what, WHY_CYCLE);
		CHECK_EQ(pieces.pieces.at[0].ns, 1000);
		CHECK_STR(why_class_names[why_class(why, block)], "lock");
	}
	why_pieces_release(&pieces);
}

int main(void)
{
	RUN(a_condition_that_has_counted_to_two_is_no_lock);
	RUN(a_word_that_is_mostly_another_number_is_no_lock);
	RUN(a_word_at_which_threads_only_nap_is_no_lock);
	RUN(a_word_that_names_no_thread_is_no_lock);
	RUN(a_mutex_that_nobody_lets_go_is_a_lock);
	RUN(a_holder_is_a_thread_that_was_there);
	RUN(what_is_beside_a_word_is_the_owner_of_a_mutex);
	RUN(a_lock_that_is_not_let_go_is_what_its_holder_does);
	return test_status();
}
