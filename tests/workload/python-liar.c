// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python-liar MODE SECONDS: a program that has all the symbols of a Python 3.11, and the structures
 * that they lead to, which lie: see the modes. Busy in its "evaluator" all the time; blocked there,
 * with 0 seconds.
 *
 * Linked with -rdynamic. Offsets are those of 3.11.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;

enum { WORDS = 512 };

const unsigned long Py_Version = 0x030b07f0;
u64 _PyRuntime[WORDS], PyCode_Type[WORDS];
void _PyEval_EvalFrameDefault(double seconds);

static u64 interpreter[WORDS], thread[WORDS], cframe[WORDS], frames[4][WORDS], codes[4][WORDS];
static u64 name[WORDS], lines[WORDS];
static int renames;

static void put(u64 *object, unsigned int offset, u64 value)
{
	memcpy((char *)object + offset, &value, sizeof(value));
}

static u64 address(const void *of)
{
	return (u64)(uintptr_t)of;
}

/* What an honest interpreter would have: "honest_1" called by "honest_0" ... */
static void be_honest(void)
{
	put(_PyRuntime, 48, address(interpreter));
	put(interpreter, 16, address(thread));
	put(thread, 152, (u64)pthread_self());
	put(thread, 56, address(cframe));
	put(cframe, 8, address(frames[3]));
	put(name, 16, 6);		/* characters */
	put(name, 32, 1 << 2 | 3 << 5); /* one byte each, compact, ASCII */
	memcpy((char *)name + 48, "honest", 6);
	put(lines, 16, 2);
	for (int i = 0; i < 4; i++) {
		put(frames[i], 32, address(codes[i]));
		put(frames[i], 48, i ? address(frames[i - 1]) : 0);
		put(frames[i], 56, address(codes[i]) + 184 + 4);
		put(codes[i], 8, address(PyCode_Type));
		put(codes[i], 112, address(name));
		put(codes[i], 128, address(name));
		put(codes[i], 136, address(lines));
	}
	put(frames[0], 68, 1);
}

static void lie(const char *mode)
{
	if (!strcmp(mode, "cycle"))
		put(frames[0], 48, address(frames[3]));
	else if (!strcmp(mode, "self"))
		put(frames[3], 48, address(frames[3]));
	else if (!strcmp(mode, "threads")) {
		put(thread, 152, 1);
		put(thread, 8, address(thread));
	} else if (!strcmp(mode, "lengths")) {
		put(name, 16, 1ull << 63);
		put(lines, 16, ~0ull);
	} else if (!strcmp(mode, "pointers")) {
		put(codes[3], 128, 0xffffffff81000000);
		put(codes[2], 112, 1);
		put(codes[1], 136, ~0ull);
		put(frames[1], 48, 0xffff888000000000);
	} else if (!strcmp(mode, "kinds"))
		put(name, 32, 7 << 2);
	else if (!strcmp(mode, "controls"))
		memcpy((char *)name + 48, "\033[;\n ", 6);
	else if (!strcmp(mode, "names"))
		renames = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* In "names", each frame is of another function each time. */
__attribute__((noinline)) void _PyEval_EvalFrameDefault(double seconds)
{
	double end = now() + seconds;
	static u64 line;

	if (!seconds)
		pause();

	while (now() < end)
		for (int i = 0; renames && i < 4; i++)
			put(codes[i], 72, ++line);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	be_honest();
	lie(argv[1]);
	puts("ready");
	fflush(stdout);
	_PyEval_EvalFrameDefault(atof(argv[2]));
	return 0;
}
