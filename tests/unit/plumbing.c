/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "plumbing.h"

static bool hidden(const char *name, enum frame_kind kind, const char *module)
{
	_cleanup_(strings_release) struct strings names = {};
	struct tree_frame frame = {.kind = kind};

	strings_init(&names);
	frame.name = strings_adds(&names, name);
	frame.module = strings_adds(&names, module);
	return frame_is_plumbing(&names, &frame);
}

static void the_kernels_way_in_and_its_scheduler_are_plumbing(void)
{
	static const char *const names[] = {
		"entry_SYSCALL_64_after_hwframe",
		"do_syscall_64",
		"el0t_64_sync_handler",
		"invoke_syscall.constprop.0",
		"__schedule",
		"schedule_timeout",
		"__wake_up_common",
		"__wake_up_common",
		"finish_task_switch.isra.0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CHECK(hidden(names[i], FRAME_KERNEL, ""));
		CHECK(hidden(names[i], FRAME_WAKER, "kernel"));
		CHECK(hidden(names[i], FRAME_WAKER, ""));
		CHECK(hidden(names[i], FRAME_USER, ""));
	}
}

static void libcs_start_is_plumbing(void)
{
	CHECK(hidden("_start", FRAME_USER, "sshd"));
	CHECK(hidden("__libc_start_main@@GLIBC_2.34", FRAME_USER, "libc.so.6"));
	CHECK(hidden("start_thread", FRAME_USER, ""));
	CHECK(!hidden("start_thread", FRAME_KERNEL, ""));
}

static void what_says_something_is_not(void)
{
	static const char *const names[] = {
		"__x64_sys_read", "futex_wait",	   "pipe_read", "main",
		"schedulework",	  "kthreadd_work", "",		"cloned"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!hidden(names[i], FRAME_KERNEL, ""));
}

static void a_programs_own_function_of_that_name_is_not(void)
{
	CHECK(!hidden("schedule", FRAME_USER, "myserver"));
	CHECK(!hidden("schedule", FRAME_WAKER, "myserver"));
	CHECK(!hidden("schedule", FRAME_GROUP, ""));
	CHECK(!hidden("start_thread", FRAME_JIT, ""));
	CHECK(!hidden("[schedule]", FRAME_NOTE, ""));
}

int main(void)
{
	RUN(the_kernels_way_in_and_its_scheduler_are_plumbing);
	RUN(libcs_start_is_plumbing);
	RUN(what_says_something_is_not);
	RUN(a_programs_own_function_of_that_name_is_not);
	return test_status();
}
