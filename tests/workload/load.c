/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c: `load SECONDS A B DIRECTORY`: loads copies of the libraries A and B one after the other,
 * each where the other was: under two paths, then under one path, where B replaces A. Each is called
 * by a function of its own for SECONDS, and "PART ADDRESS" is printed for it.
 */
#include <dlfcn.h>

#include "workload.h"

static double seconds;

#define CALL(name)                                                                                 \
	FUNCTION static void name(void (*run)(long))                                               \
	{                                                                                          \
		double stop = now() + seconds;                                                     \
		while (now() < stop)                                                               \
			run(ROUNDS / 4);                                                           \
	}

CALL(call_first)
CALL(call_second)
CALL(call_before)
CALL(call_after)

static void load(const char *part, const char *library, const char *directory, const char *name,
		 void (*call)(void (*)(long)))
{
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
	printf("%s %lu\n", part, (unsigned long)(uintptr_t)run);
	call(run);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	seconds = atof(argv[1]);
	for (int round = 0; round < 2; round++) {
		load("first", argv[2], argv[4], "one.so", call_first);
		load("second", argv[3], argv[4], "two.so", call_second);
		load("before", argv[2], argv[4], "same.so", call_before);
		load("after", argv[3], argv[4], "same.so", call_after);
	}
	return 0;
}
