/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c: `load CPU-SECONDS A B DIRECTORY`: loads copies of the libraries A and B one after the other,
 * each where the other was: under two paths, then under one path, where B replaces A. Each is called
 * by a function of its own for SECONDS; then A for SECONDS and B for twice that by the same function,
 * so that only time tells their stacks apart. Prints "PART.address ADDRESS" and "PART CPU-SECONDS".
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
CALL(call_both)

static void load(const char *part, const char *library, const char *directory, const char *name,
		 void (*call)(void (*)(long)))
{
	double cpu;
	char path[4096], copy[8300];
	void *handle;
	void (*run)(long);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(copy, sizeof(copy), "cp %s %s.new && mv %s.new %s", library, path, path, path);
	if (system(copy))
		exit(1);
	handle = dlopen(path, RTLD_NOW);
	run = handle ? (void (*)(long))dlsym(handle, "plugin_run") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	printf("%s.address %lu\n", part, (unsigned long)(uintptr_t)run);
	cpu = thread_cpu();
	call(run);
	printf("%s %f\n", part, thread_cpu() - cpu);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	seconds = atof(argv[1]);
	load("first", argv[2], argv[4], "one.so", call_first);
	load("second", argv[3], argv[4], "two.so", call_second);
	load("before", argv[2], argv[4], "same.so", call_before);
	load("after", argv[3], argv[4], "same.so", call_after);
	/* One call, so that the stacks are the same from end to end. */
	for (volatile int i = 0; i < 2; i++) {
		load(i ? "both_b" : "both_a", argv[2 + i], argv[4], i ? "two.so" : "one.so",
		     call_both);
		seconds *= 2;
	}
	return 0;
}
