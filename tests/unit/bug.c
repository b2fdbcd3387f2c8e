/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "base/bug.h"
#include "base/strings.h"
#include "tree.h"

#include <fcntl.h>

static bool is_odd(int number)
{
	return bug(number % 2);
}

/* What is said in `run`. */
static char *said(void (*run)(void))
{
	char *text = xcalloc(1, 1000);
	int pipes[2], before = dup(STDERR_FILENO);

	CHECK_EQ(pipe2(pipes, O_NONBLOCK), 0);
	dup2(pipes[1], STDERR_FILENO);
	run();
	dup2(before, STDERR_FILENO);
	if (read(pipes[0], text, 999) < 0)
		text[0] = '\0';
	close(pipes[0]);
	close(pipes[1]);
	close(before);
	return text;
}

static void three_odd_ones(void)
{
	CHECK(!is_odd(2));
	CHECK(is_odd(1));
	CHECK(is_odd(3));
	CHECK(!is_odd(4));
	CHECK(is_odd(5));
}

static void each_place_speaks_once_and_all_are_counted(void)
{
	u64 before = bugs_found();
	_cleanup_free_ char *text = said(three_odd_ones);

	CHECK_EQ(bugs_found() - before, 3);
	CHECK_STR(text, "wick: a bug in wick: tests/unit/bug.c:11: number % 2; it goes on without "
			"that. Please report this line\n");
}

static void misuse(void)
{
	struct strings names;
	struct call_tree tree;
	struct tree_frame frame = {};
	struct error error;

	strings_init(&names);
	CHECK_EQ(strings_get(&names, 77).size, 0);
	call_tree_init(&tree, &names);
	frame.name = strings_adds(&names, "f");
	call_tree_add(&tree, &frame, 1, 1);
	call_tree_finish(&tree);
	call_tree_add(&tree, &frame, 1, 1);
	call_tree_finish(&tree);
	CHECK_EQ(tree.at[0].total, 1);
	CHECK(fail(&error, 0, "no error") < 0);
	call_tree_release(&tree);
	strings_release(&names);
}

static void own_misuse_ends_nothing(void)
{
	u64 before = bugs_found();
	_cleanup_free_ char *text = said(misuse);

	CHECK_EQ(bugs_found() - before, 4);
	CHECK(strstr(text, "strings.h:") && strstr(text, "tree.c:") && strstr(text, "base.c:"));
}

int main(void)
{
	RUN(each_place_speaks_once_and_all_are_counted);
	RUN(own_misuse_ends_nothing);
	return test_status();
}
