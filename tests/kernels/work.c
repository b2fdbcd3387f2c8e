/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work SECONDS: what the survey looks for.
 *
 * One thread runs, one sleeps, two talk through pipes, one maps, grows its heap and touches both; each below functions
 * of its own. Built static, without frame pointers, so that only unwind tables lead from a leaf to its root.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone, noipa))

static double end;
static int there[2], back[2];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

FRAME unsigned spin_leaf(unsigned n)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += i * i;
	return sum;
}

/* A large frame: its caller's is found by a large offset. */
FRAME unsigned spin_middle(unsigned n)
{
	volatile char room[3000];

	room[n % 3000] = 1;
	return spin_leaf(n) + (unsigned)room[n % 3000];
}

FRAME int spin_root(void)
{
	unsigned sum = 0;

	while (now() < end)
		sum += spin_middle(20000);
	return (int)sum + 1;
}

FRAME int sleep_leaf(void)
{
	return usleep(3000) + 1;
}

FRAME int sleep_middle(void)
{
	return sleep_leaf() + 1;
}

FRAME int sleep_root(void)
{
	int sum = 0;

	while (now() < end)
		sum += sleep_middle();
	return sum + 1;
}

FRAME int pass_on(int from, int to)
{
	char c;

	return (int)read(from, &c, 1) == 1 && (int)write(to, &c, 1) == 1;
}

FRAME int ping_root(void)
{
	int sum = (int)write(there[1], "x", 1);

	while (now() < end && pass_on(back[0], there[1])) {
		usleep(500);
		sum++;
	}
	close(there[1]);
	return sum + 1;
}

FRAME int pong_root(void)
{
	int sum = 0;

	while (pass_on(there[0], back[1]))
		sum++;
	return sum + 1;
}

FRAME int touch(char *p, size_t n)
{
	for (size_t i = 0; i < n; i += 4096)
		p[i] = 1;
	return p[0];
}

FRAME int map_leaf(void)
{
	size_t size = 256 << 10;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = touch(p, size);

	return munmap(p, size) + sum;
}

FRAME int brk_leaf(void)
{
	char *p = sbrk(16 << 10);

	return touch(p, 16 << 10) + 1;
}

FRAME int memory_root(void)
{
	int sum = 0;

	while (now() < end) {
		sum += map_leaf() + brk_leaf();
		usleep(10000);
	}
	return sum + 1;
}

static void *run(void *function)
{
	return (void *)(long)(*(int (**)(void))function)();
}

int main(int argc, char **argv)
{
	int (*roots[])(void) = {spin_root, sleep_root, ping_root, pong_root, memory_root};
	enum { NR = sizeof(roots) / sizeof(*roots) };
	pthread_t threads[NR];

	end = now() + (argc > 1 ? atof(argv[1]) : 3);
	if (pipe(there) || pipe(back))
		return 1;
	for (int i = 0; i < NR; i++)
		pthread_create(&threads[i], NULL, run, &roots[i]);
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
