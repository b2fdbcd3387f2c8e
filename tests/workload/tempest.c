/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tempest.c: `tempest KIND SECONDS NR`: one thing in large numbers. Prints "ready" when it is there.
 *
 *	processes	NR processes that burn in tempest_turn() a little, and sleep most of the time
 *	mappings	a process with NR executable mappings of its own file, one of which comes and
 *			goes all the time; burns in tempest_turn()
 *	names		NR threads that rename themselves, map a page and touch it, all the time
 *	stacks		NR threads that go NEST calls deep at random, and there sleep, map or touch
 *	deep		the same, DEEP_NEST calls deep
 *	files		NR threads that write a new file with code, remove it, map it, and sleep in a
 *			call through it, all the time
 *	forked-maps	a process with NR mappings forks all the time; the child maps one more
 *	new-mappings	NR executable mappings are made one after the other, and go again, all the time
 *	bystander	NR processes that burn in bystander_leaf(), by way of bystander_outer(), and nap
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "workload.h"

enum { NEST = 30, DEEP_NEST = 400 };

LEAF(tempest_turn)
LEAF(bystander_leaf)
CALLER(bystander_outer, bystander_leaf)

static double stop;
static int nest = NEST;
static long page;

static void nap(long us)
{
	usleep((useconds_t)us);
}

/* ---- processes */

static void turn(long number)
{
	while (now() < stop) {
		tempest_turn(ROUNDS / 100);
		nap(500000 + number % 97 * 10000);
	}
	_exit(0);
}

static void processes(long nr)
{
	for (long i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			fprintf(stderr, "tempest: no more than %ld processes\n", i);
			exit(1);
		}
		if (!pid)
			turn(i);
	}
	ready();
	nap((long)((stop - now()) * 1e6));
}

/* ---- mappings */

static void *map_code(int fd)
{
	return mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

static void mappings(long nr)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	/* The same page of the file each time: two neighbours do not merge. */
	for (long i = 0; i < nr; i++)
		if (map_code(fd) == MAP_FAILED) {
			fprintf(stderr, "tempest: no more than %ld mappings\n", i);
			exit(1);
		}
	ready();
	while (now() < stop) {
		void *code = map_code(fd);

		tempest_turn(ROUNDS / 10);
		munmap(code, (size_t)page);
		nap(100);
	}
}

/* ---- names */

static void touch_new_page(void)
{
	char *at = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		return;
	*(volatile char *)at = 1;
	munmap(at, (size_t)page);
}

static void *rename_always(void *number)
{
	char name[32];

	for (long i = 0; now() < stop; i++) {
		snprintf(name, sizeof(name), "name-%u", (unsigned)((long)number << 24 | i));
		prctl(PR_SET_NAME, name);
		touch_new_page();
	}
	return number;
}

/* ---- stacks */

struct dice {
	uint64_t state;
	long turns;
};

static uint32_t roll(struct dice *d)
{
	d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(d->state >> 33);
}

typedef long step(struct dice *d, int depth);
static step *const steps[16];

/* At the leaf: a sleep, a new page, a fault, or some work. */
FUNCTION static long bottom(struct dice *d)
{
	switch (d->turns++ % 4) {
	case 0:
		nap(1);
		break;
	case 1:
	case 2:
		touch_new_page();
		break;
	default:
		sched_yield();
	}
	return 1;
}

#define STEP(n)                                                                                    \
	FUNCTION static long step_##n(struct dice *d, int depth)                                   \
	{                                                                                          \
		volatile long result = n;                                                          \
                                                                                                   \
		result += depth ? steps[roll(d) % 16](d, depth - 1) : bottom(d);                   \
		return result;                                                                     \
	}
#define STEPS(X)                                                                                   \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
STEPS(STEP)
#define STEP_OF(n) step_##n,
static step *const steps[16] = {STEPS(STEP_OF)};

static void *stack_always(void *number)
{
	struct dice d = {.state = (uint64_t)number + (uint64_t)getpid() * 0x9e3779b97f4a7c15ull};

	while (now() < stop)
		steps[roll(&d) % 16](&d, nest);
	return number;
}

/* ---- files */

FUNCTION static void pass_through(void (*call)(long), long us)
{
	call(us);
	__asm__ volatile("" ::: "memory");
}

static void write_copy(const char *path, const char *bytes, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(1);
	close(fd);
}

static void *files_always(void *number)
{
	extern char __executable_start;
	size_t at = (size_t)((char *)pass_through - &__executable_start), size;
	static char bytes[1 << 20];
	char path[64];
	int fd = open("/proc/self/exe", O_RDONLY);

	size = (size_t)pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	for (long i = 0; now() < stop; i++) {
		char *code;

		snprintf(path, sizeof(path), "/tmp/tempest-%d-%ld-%ld", getpid(), (long)number, i);
		write_copy(path, bytes, size);
		fd = open(path, O_RDONLY);
		unlink(path);
		code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		((void (*)(void (*)(long), long))(code + at))(nap, 1000);
		munmap(code, size);
		close(fd);
	}
	return number;
}

/* ---- mappings that come and go */

static void forked_maps(long nr)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (long i = 0; i < nr; i++)
		map_code(fd);
	ready();
	while (now() < stop) {
		pid_t pid = fork();

		if (!pid) {
			munmap(map_code(fd), (size_t)page);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void new_mappings(long nr)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void **at = calloc((size_t)nr, sizeof(*at));

	ready();
	while (now() < stop) {
		for (long i = 0; i < nr; i++)
			at[i] = map_code(fd);
		for (long i = 0; i < nr; i++)
			munmap(at[i], (size_t)page);
	}
	free(at);
}

/* ---- bystanders */

static void bystander(long nr)
{
	for (long i = 1; i < nr; i++)
		if (!fork())
			break;
	prctl(PR_SET_NAME, "bystander");
	ready();
	while (now() < stop) {
		bystander_outer(ROUNDS / 2);
		nap(2000);
	}
}

static void threads(void *(*run)(void *), long nr)
{
	pthread_t thread;

	for (long i = 1; i < nr; i++)
		if (pthread_create(&thread, NULL, run, (void *)i)) {
			fprintf(stderr, "tempest: no more than %ld threads\n", i);
			exit(1);
		}
	ready();
	run(NULL);
}

static void names(long nr)
{
	threads(rename_always, nr);
}

static void stacks(long nr)
{
	threads(stack_always, nr);
}

static void deep(long nr)
{
	nest = DEEP_NEST;
	stacks(nr);
}

static void files(long nr)
{
	threads(files_always, nr);
}

static const struct {
	const char *name;
	void (*run)(long nr);
} kinds[] = {
	{"processes", processes},
	{"mappings", mappings},
	{"names", names},
	{"stacks", stacks},
	{"deep", deep},
	{"files", files},
	{"forked-maps", forked_maps},
	{"new-mappings", new_mappings},
	{"bystander", bystander},
};

int main(int argc, char **argv)
{
	if (argc < 4)
		return 1;
	stop = now() + atof(argv[2]);
	page = sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(atol(argv[3]));
			return 0;
		}
	return 1;
}
