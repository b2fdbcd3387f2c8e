/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload.c: `reload SECONDS A B`: loads the libraries A and B in turn, each where the other was, and
 * lets each wait some milliseconds, in the same function's call. Their code is the same, so the
 * stacks differ in nothing but the file. Prints "moved 1" if they were at more than one address, and
 * "peach.off", "lemon.off": what each has waited, in nanoseconds.
 */
#include "waits.h"

#include <dlfcn.h>

enum { WAITS = 10 };

static long long off[2];
static void *last;
static int moved;

FUNCTION static void wait_in(const char *path, int which)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*plugin_wait)(void);
	struct stamp a, b;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	plugin_wait = (void (*)(void))dlsym(library, "plugin_wait");
	moved |= last && last != (void *)plugin_wait;
	last = (void *)plugin_wait;
	a = stamp();
	for (int i = 0; i < WAITS; i++)
		plugin_wait();
	b = stamp();
	off[which] += b.wall - a.wall - (b.cpu - a.cpu);
	dlclose(library);
}

int main(int argc, char **argv)
{
	double stop = now() + (argc > 3 ? atof(argv[1]) : 0);

	while (now() < stop)
		for (int i = 0; i < 2; i++)
			wait_in(argv[2 + i], i);
	printf("moved %d\npeach.off %lld\nlemon.off %lld\n", moved, off[0], off[1]);
	return 0;
}
