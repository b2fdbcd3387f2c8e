/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c: `load CPU-SECONDS A B DIRECTORY`: loads copies of the libraries A and B one after the
 * other, each where the other was: under two paths, then under one path, where B replaces A, then
 * in one file, where B is written over A, first when A is closed, then while it is loaded. Each is
 * called by a function of its own for SECONDS; then A for SECONDS and B for twice that by the same
 * function, so that only time tells their stacks apart. Prints "PART.address ADDRESS" and "PART
 * CPU-SECONDS".
 */
#include <dlfcn.h>

#include "workload.h"

static double seconds;

#define CALL(name)                                                                                 \
	FUNCTION static void name(void (*run)(long))                                               \
	{                                                                                          \
		double stop = thread_cpu() + seconds;                                              \
		while (thread_cpu() < stop)                                                        \
			run(ROUNDS / 4);                                                           \
	}

CALL(call_first)
CALL(call_second)
CALL(call_before)
CALL(call_after)
CALL(call_closed)
CALL(call_over)
CALL(call_loaded)
CALL(call_under)
CALL(call_both)

static const char *const REPLACE = "cp %s %s.new && mv %s.new %s";
static const char *const OVERWRITE = "dd if=%s of=%s conv=notrunc status=none";

static void copy(const char *how, const char *from, const char *to)
{
	char command[16600];

	snprintf(command, sizeof(command), how, from, to, to, to);
	if (system(command))
		exit(1);
}

static void spend(const char *part, void (*call)(void (*)(long)), void (*run)(long))
{
	double cpu = thread_cpu();

	printf("%s.address %lu\n", part, (unsigned long)(uintptr_t)run);
	call(run);
	printf("%s %f\n", part, thread_cpu() - cpu);
}

static void *open_library(const char *path, void (**run)(long))
{
	void *handle = dlopen(path, RTLD_NOW);

	*run = handle ? (void (*)(long))dlsym(handle, "plugin_run") : NULL;
	if (!*run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return handle;
}

static void load(const char *part, const char *library, const char *how, const char *directory,
		 const char *name, void (*call)(void (*)(long)))
{
	char path[4096];
	void *handle;
	void (*run)(long);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	copy(how, library, path);
	handle = open_library(path, &run);
	spend(part, call, run);
	dlclose(handle);
}

/* The code changes under the running program, as it does for who updates a library in place. */
static void load_and_overwrite(const char *a, const char *b, const char *directory)
{
	char path[4096];
	void *handle;
	void (*run)(long);

	snprintf(path, sizeof(path), "%s/loaded.so", directory);
	copy(REPLACE, a, path);
	handle = open_library(path, &run);
	spend("loaded", call_loaded, run);
	copy(OVERWRITE, b, path);
	spend("under", call_under, run);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	seconds = atof(argv[1]);
	load("first", argv[2], REPLACE, argv[4], "one.so", call_first);
	load("second", argv[3], REPLACE, argv[4], "two.so", call_second);
	load("before", argv[2], REPLACE, argv[4], "same.so", call_before);
	load("after", argv[3], REPLACE, argv[4], "same.so", call_after);
	load("closed", argv[2], OVERWRITE, argv[4], "over.so", call_closed);
	load("over", argv[3], OVERWRITE, argv[4], "over.so", call_over);
	load_and_overwrite(argv[2], argv[3], argv[4]);
	/* One call, so that the stacks are the same from end to end. */
	for (volatile int i = 0; i < 2; i++) {
		load(i ? "both_b" : "both_a", argv[2 + i], REPLACE, argv[4],
		     i ? "two.so" : "one.so", call_both);
		seconds *= 2;
	}
	return 0;
}
