/* SPDX-License-Identifier: GPL-2.0-or-later */
/* older.c: processes that are older than the run are read, those that it is about first. */
#include "test.h"

#include "follow.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
	struct profile profile;
	struct files *files;
	struct follow *follow;
};

static void run_init(struct run *run)
{
	profile_init(&run->profile);
	run->files = files_new();
	run->follow = follow_new(&run->profile, run->files, false, 0, (struct wanted_sink){},
				 (struct java_sink){});
}

static void run_release(struct run *run)
{
	follow_free(run->follow);
	files_free(run->files);
	profile_release(&run->profile);
}

#define _cleanup_run_ __attribute__((cleanup(run_release)))

static void the_chosen_ones_come_first(void)
{
	_cleanup_run_ struct run run;
	u32 pids[] = {(u32)getpid(), (u32)fork()};

	if (!pids[1])
		pause();
	run_init(&run);
	follow_read_first(run.follow, pids, 1, monotonic_ns() + 10 * NSEC_PER_SEC);
	CHECK_EQ(follow_counts(run.follow).mappings_read, 1);
	follow_read_first(run.follow, pids, 2, monotonic_ns() + 10 * NSEC_PER_SEC);
	CHECK_EQ(follow_counts(run.follow).mappings_read, 2);
	kill((pid_t)pids[1], SIGKILL);
	waitpid((pid_t)pids[1], NULL, 0);
}

static void time_that_is_up_is_up(void)
{
	_cleanup_run_ struct run run;
	const u32 pid = (u32)getpid();

	run_init(&run);
	follow_read_first(run.follow, &pid, 1, 0);
	CHECK_EQ(follow_counts(run.follow).mappings_read, 0);
}

/* The run ends while the helper is at it. */
static void what_was_asked_in_advance_is_no_loss(void)
{
	_cleanup_run_ struct run run;

	run_init(&run);
	CHECK(follow_read_older(run.follow, 0));
	CHECK_EQ(follow_counts(run.follow).mappings_unread, 0);
}

int main(void)
{
	RUN(the_chosen_ones_come_first);
	RUN(time_that_is_up_is_up);
	RUN(what_was_asked_in_advance_is_no_loss);
	return test_status();
}
