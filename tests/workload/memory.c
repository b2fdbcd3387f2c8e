/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c: memory in known amounts, by functions with names. `memory [go] CASE... [wait]` runs
 * cases one after the other, with `go` only when a line has come on standard input, and with `wait`
 * it stays when they are done. Each prints what it has done as lines "FUNCTION.WHAT NUMBER": pages
 * and bytes are what it asked for, `rss` is by how much the kernel says that the resident set has
 * grown.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE sysconf(_SC_PAGESIZE)
#define KB   1024l
#define MB   (1024l * KB)

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static void say(const char *name, const char *what, long value)
{
	printf("%s.%s %ld\n", name, what, value);
}

/* Bytes, by the page tables: the counters in /proc/PID/statm may be some pages behind. */
static long rss(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kb = 0;

	must(f != NULL, "smaps_rollup");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Rss: %ld kB", &kb) == 1)
			break;
	fclose(f);
	return kb * KB;
}

/* In small pages, also where the host would rather have huge ones everywhere. */
static char *fresh(long size)
{
	char *p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	must(p != MAP_FAILED, "mmap");
	must(!madvise(p, (size_t)size, MADV_NOHUGEPAGE) || errno == EINVAL, "MADV_NOHUGEPAGE");
	return p;
}

/* ---- faults */

#define TOUCHER(name)                                                                              \
	FUNCTION void name(volatile char *p, long pages);                                          \
	FUNCTION void name(volatile char *p, long pages)                                           \
	{                                                                                          \
		KEEP_FRAME();                                                                      \
		for (long i = 0; i < pages; i++)                                                   \
			p[i * PAGE] = 1;                                                           \
	}

#define READER(name)                                                                               \
	FUNCTION long name(volatile const char *p, long pages);                                    \
	FUNCTION long name(volatile const char *p, long pages)                                     \
	{                                                                                          \
		long sum = 0;                                                                      \
                                                                                                   \
		KEEP_FRAME();                                                                      \
		for (long i = 0; i < pages; i++)                                                   \
			sum += p[i * PAGE];                                                        \
		return sum;                                                                        \
	}

TOUCHER(touch_one)
TOUCHER(touch_two)
TOUCHER(write_fresh)
TOUCHER(write_huge)
TOUCHER(write_shared)
TOUCHER(write_memfd)
TOUCHER(write_copy)
READER(read_fresh)
READER(read_file)
READER(read_cold)

static int file_of(long size)
{
	char path[] = "/var/tmp/wick-memory-XXXXXX";
	int fd = mkstemp(path);
	char block[64 * KB];

	must(fd >= 0, path);
	unlink(path);
	memset(block, 'x', sizeof(block));
	for (long done = 0; done < size; done += (long)sizeof(block))
		must(write(fd, block, sizeof(block)) == (long)sizeof(block), "write");
	return fd;
}

static void touch(void)
{
	long one = 20000, two = 5000;
	double begin = now();

	touch_one(fresh(one * PAGE), one);
	say("touch_one", "ns", (long)((now() - begin) * 1e9));
	say("touch_one", "pages", one);
	touch_two(fresh(two * PAGE), two);
	say("touch_two", "pages", two);
}

/* A file that is not in memory. */
static void cold(void)
{
	long size = 4 * MB;
	int fd = file_of(size);
	char *p;

	must(!fsync(fd), "fsync");
	must(!posix_fadvise(fd, 0, size, POSIX_FADV_DONTNEED), "posix_fadvise");
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED && !madvise(p, (size_t)size, MADV_RANDOM), "madvise");
	read_cold(p, size / PAGE);
	say("read_cold", "pages", size / PAGE);
}

/* Two functions in turn, so that none is for long at one place. */
static void mixed(void)
{
	long pages = 30000;
	char *p = fresh(pages * PAGE);

	for (long i = 0; i < pages; i += 3) {
		touch_one(p + i * PAGE, 2);
		touch_two(p + (i + 2) * PAGE, 1);
	}
	say("touch_one", "pages", pages / 3 * 2);
	say("touch_two", "pages", pages / 3);
}

FUNCTION char *populate(long size);
FUNCTION char *populate(long size)
{
	char *p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	must(p != MAP_FAILED, "MAP_POPULATE");
	return p;
}

FUNCTION void read_into(char *p, long size);
FUNCTION void read_into(char *p, long size)
{
	int fd = open("/dev/zero", O_RDONLY);

	must(read(fd, p, (size_t)size) == size, "/dev/zero");
	close(fd);
}

#define GROWTH(name, call)                                                                         \
	do {                                                                                       \
		long before = rss();                                                               \
		call;                                                                              \
		say(name, "rss", rss() - before);                                                  \
	} while (0)

/* A private mapping, in which huge pages can be. */
static char *huge_room(long size)
{
	char *p = fresh(size + 2 * MB);

	p = (char *)(((uintptr_t)p + 2 * MB - 1) & ~(uintptr_t)(2 * MB - 1));
	if (madvise(p, (size_t)size, MADV_HUGEPAGE))
		printf("no_huge_pages 1\n");
	return p;
}

static void resident(void)
{
	int fd = file_of(32 * MB), memory = memfd_create("wick", 0);
	char *file = mmap(NULL, 32 * MB, PROT_READ, MAP_PRIVATE, fd, 0);
	char *shared =
		mmap(NULL, 4 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *memfd, *p;

	must(file != MAP_FAILED && shared != MAP_FAILED, "mmap");
	must(!ftruncate(memory, 4 * MB), "memfd");
	memfd = mmap(NULL, 4 * MB, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	must(memfd != MAP_FAILED, "memfd");
	rss();
	GROWTH("read_file", read_file(file, 32 * MB / PAGE));
	p = fresh(8 * MB);
	GROWTH("read_fresh", read_fresh(p, 8 * MB / PAGE));
	p = fresh(8 * MB);
	GROWTH("write_fresh", write_fresh(p, 8 * MB / PAGE));
	GROWTH("populate", populate(16 * MB));
	p = huge_room(16 * MB);
	GROWTH("write_huge", write_huge(p, 16 * MB / PAGE));
	GROWTH("write_shared", write_shared(shared, 4 * MB / PAGE));
	GROWTH("write_memfd", write_memfd(memfd, 4 * MB / PAGE));
	p = fresh(4 * MB);
	GROWTH("read_into", read_into(p, 4 * MB));
}

/* Children write what their parent has written before: their faults, and no new memory. */
static void serve(void)
{
	long pages = 500, requests = 20;
	char *p = fresh(pages * PAGE);

	write_fresh(p, pages);
	for (long i = 0; i < requests; i++) {
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid) {
			prctl(PR_SET_NAME, "served");
			write_copy(p, pages);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	say("write_copy", "pages", pages * requests);
}

static char *guarded;

static void repair(int signal, siginfo_t *info, void *context)
{
	char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));

	(void)signal, (void)context;
	must(!mprotect(page, PAGE, PROT_READ | PROT_WRITE), "mprotect");
}

/* Each page is refused once, and made writable by a handler. */
static void handled(void)
{
	struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
	long pages = 300;

	sigaction(SIGSEGV, &action, NULL);
	guarded = mmap(NULL, (size_t)(pages * PAGE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	touch_one(guarded, pages);
	say("touch_one", "pages", pages);
	say("handled", "signals", pages);
}

static sigjmp_buf after_fault;

static void jump(int signal)
{
	siglongjmp(after_fault, signal);
}

/*
 * The last fault before memory is made resident by a call is one that fails: the third time, all
 * that it takes is there.
 */
static void failed(void)
{
	struct sigaction action = {.sa_handler = jump};
	volatile int times = 0;
	long size = 8 * MB;
	char *p = populate(size);

	sigaction(SIGSEGV, &action, NULL);
	guarded = mmap(NULL, (size_t)PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, (size_t)size);
	sigsetjmp(after_fault, 1);
	if (times++ < 3)
		touch_one(guarded, 1);
	populate(size);
	say("populate", "bytes", 2 * size);
}

/* Ends in the middle. */
static void killed(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "killed");
		touch_two(fresh(3000 * PAGE), 3000);
		populate(4 * MB);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
	say("touch_two", "pages", 3000);
}

/* ---- brk */

FUNCTION void grow_heap(long size);
FUNCTION void grow_heap(long size)
{
	KEEP_FRAME();
	must(sbrk(size) != (void *)-1, "sbrk");
	__asm__ volatile("" ::: "memory");
}

FUNCTION void shrink_heap(long size);
FUNCTION void shrink_heap(long size)
{
	KEEP_FRAME();
	must(sbrk(-size) != (void *)-1, "sbrk");
	__asm__ volatile("" ::: "memory");
}

FUNCTION void grow_more(long size);
FUNCTION void grow_more(long size)
{
	KEEP_FRAME();
	must(sbrk(size) != (void *)-1, "sbrk");
	__asm__ volatile("" ::: "memory");
}

FUNCTION void fail_to_grow(void);
FUNCTION void fail_to_grow(void)
{
	must(sbrk(1l << 46) == (void *)-1 && errno == ENOMEM, "sbrk of 64 TB");
}

/* Grown by 10 times 100,001 bytes, shrunk by 3 times 50,000 and grown by 70,000 again. */
static void heap(void)
{
	for (int i = 0; i < 10; i++)
		grow_heap(100001);
	for (int i = 0; i < 3; i++)
		shrink_heap(50000);
	fail_to_grow();
	grow_more(70000);
	say("grow_heap", "bytes", 1000010);
	say("grow_heap", "calls", 10);
	say("grow_heap", "held", 1000010 - 150000);
	say("shrink_heap", "bytes", 150000);
	say("grow_more", "bytes", 70000);
	say("grow_more", "held", 70000);
}

/* ---- mmap */

#define MAPPER(name, protection, flags, fd)                                                        \
	FUNCTION char *name(long size);                                                            \
	FUNCTION char *name(long size)                                                             \
	{                                                                                          \
		char *p = mmap(NULL, (size_t)size, protection, flags, fd, 0);                      \
                                                                                                   \
		KEEP_FRAME();                                                                      \
		must(p != MAP_FAILED, #name);                                                      \
		return p;                                                                          \
	}

static int mapped_file;

MAPPER(map_anonymous, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
MAPPER(map_for_good, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
MAPPER(map_file, PROT_READ, MAP_PRIVATE, mapped_file)
MAPPER(map_shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1)
MAPPER(reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)
MAPPER(leak, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
MAPPER(map_many, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)
MAPPER(map_other, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)

FUNCTION void unmap(char *p, long size);
FUNCTION void unmap(char *p, long size)
{
	KEEP_FRAME();
	must(!munmap(p, (size_t)size), "munmap");
}

FUNCTION char *enlarge(char *p, long size, long wanted);
FUNCTION char *enlarge(char *p, long size, long wanted)
{
	p = mremap(p, (size_t)size, (size_t)wanted, MREMAP_MAYMOVE);
	KEEP_FRAME();
	must(p != MAP_FAILED, "mremap");
	return p;
}

FUNCTION char *map_over(char *p, long size);
FUNCTION char *map_over(char *p, long size)
{
	p = mmap(p, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	KEEP_FRAME();
	must(p != MAP_FAILED, "MAP_FIXED");
	return p;
}

FUNCTION void fail_to_map(void);
FUNCTION void fail_to_map(void)
{
	must(mmap(NULL, 4 * KB, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED, "bad descriptor");
	must(mmap(NULL, 1ul << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED,
	     "2^60 bytes");
}

static void mappings(void)
{
	char *a, *b, *c, *one, *two;

	mapped_file = file_of(MB);
	/*
	 * Its own pages, rounded up to 74 of them. Half of it goes, then a hole in the rest.
	 */
	a = map_anonymous(74 * PAGE - 3104);
	unmap(a, 37 * PAGE);
	unmap(a + 40 * PAGE, 2 * PAGE);
	b = map_file(MB);
	say("map_file", "bytes", MB);
	say("map_file", "held", MB);
	map_anonymous(PAGE); /* in the way */
	say("map_anonymous", "bytes", 75 * PAGE);
	say("map_anonymous", "held", (37 - 2 + 1) * PAGE);
	c = map_shared(64 * PAGE);
	say("map_shared", "bytes", 64 * PAGE);
	/* Grown to three times its size, which may have to move, and made smaller at its place. */
	c = enlarge(c, 64 * PAGE, 200 * PAGE);
	say("enlarge", "bytes", (200 - 64) * PAGE);
	c = enlarge(c, 200 * PAGE, 100 * PAGE);
	say("map_shared", "held", 64 * PAGE);
	say("enlarge", "held", (100 - 64) * PAGE);
	/* Several mappings at once, with a page between that nobody has. */
	one = map_for_good(600 * PAGE);
	unmap(one, 600 * PAGE);
	two = map_for_good(600 * PAGE);
	must(one == two, "the same place again");
	unmap(two + 100 * PAGE, PAGE);
	map_over(two + 200 * PAGE, 50 * PAGE);
	say("map_over", "bytes", 50 * PAGE);
	say("map_for_good", "bytes", 1200 * PAGE);
	unmap(two + 50 * PAGE, 175 * PAGE);
	say("map_over", "held", 25 * PAGE);
	say("map_for_good", "held", (50 + 350) * PAGE);
	fail_to_map();
	reserve(64l << 30);
	say("reserve", "bytes", 64l << 30);
	/* A page of the file, to where the hole is. */
	b = mremap(b, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a + 40 * PAGE);
	must(b == a + 40 * PAGE, "MREMAP_FIXED");
}

FUNCTION char *map_at(char *p, long size, int flags);
FUNCTION char *map_at(char *p, long size, int flags)
{
	p = mmap(p, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
		 0);
	KEEP_FRAME();
	return p;
}

/*
 * Where the kernel puts what is asked for: 16 pages at an address that is wanted and free, and at
 * one that is taken; 6 MB, aligned, alone and shared; what grows and shrinks where it is. Half of
 * each goes again.
 */
static void places(void)
{
	char *room = reserve(64 * MB), *p;

	unmap(room, 64 * MB);
	p = map_at(room + MB + 1, 16 * PAGE, 0);
	must(p == room + MB, "the page that is wanted");
	must(map_at(p, 16 * PAGE, MAP_FIXED_NOREPLACE) == MAP_FAILED, "MAP_FIXED_NOREPLACE");
	unmap(p, 8 * PAGE);
	p = map_at(p + 8 * PAGE, 16 * PAGE, 0);
	unmap(p + 8 * PAGE, 8 * PAGE);
	unmap(room, PAGE); /* nothing is there */
	say("map_at", "bytes", 32 * PAGE);
	say("map_at", "held", 16 * PAGE);
	p = map_for_good(6 * MB);
	unmap(p + 3 * MB, 3 * MB);
	say("map_for_good", "bytes", 6 * MB);
	say("map_for_good", "held", 3 * MB);
	p = map_shared(6 * MB);
	unmap(p, 3 * MB);
	say("map_shared", "bytes", 6 * MB);
	say("map_shared", "held", 3 * MB);
	p = map_over(room + 32 * MB, 64 * PAGE);
	must(mremap(p, 64 * PAGE, 1ul << 50, 0) == MAP_FAILED, "mremap to 2^50 bytes");
	must(enlarge(p, 64 * PAGE, 200 * PAGE) == p, "mremap where it is");
	must(enlarge(p, 200 * PAGE, 100 * PAGE) == p, "mremap to less");
	say("map_over", "bytes", 64 * PAGE);
	say("map_over", "held", 64 * PAGE);
	say("enlarge", "bytes", 136 * PAGE);
	say("enlarge", "held", 36 * PAGE);
}

/* Ten times a second, a megabyte. */
static void churn(void)
{
	for (int i = 0; i < 50; i++) {
		unmap(map_anonymous(MB), MB);
		usleep(100000);
	}
	say("map_anonymous", "bytes", 50 * MB);
}

static void leaks(void)
{
	for (int i = 0; i < 40; i++) {
		unmap(map_anonymous(256 * KB), 256 * KB);
		leak(64 * KB);
	}
	say("leak", "held", 40 * 64 * KB);
}

/*
 * Two functions in turn, so that no two neighbours are one piece; the kernel makes one mapping of
 * them all.
 */
static void many(void)
{
	long nr = 0;

	for (; nr < 150000; nr++) {
		map_many(PAGE);
		map_other(PAGE);
	}
	say("map_many", "bytes", nr * PAGE);
	say("map_other", "bytes", nr * PAGE);
}

/* ---- processes */

/* A child that shares its parent's memory until it is another program, which then drops its own. */
static void execs(void)
{
	static char *const argv[] = {"/bin/true", NULL};
	pid_t pid = vfork();

	if (!pid) {
		map_for_good(10 * PAGE);
		execv(argv[0], argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "dropped");
		leak(20 * PAGE);
		grow_heap(10 * PAGE);
		execv(argv[0], argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	say("map_for_good", "held", 10 * PAGE);
	say("leak", "bytes", 20 * PAGE);
}

#if defined(__x86_64__)
/* i386's mmap2(), as a program of 32 bits calls it. */
static void narrow(void)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(192l), "b"(0l), "c"(4096l), "d"(3l), "S"(0x22l), "D"(-1l)
			 : "memory", "r8", "r9", "r10", "r11");
	say("narrow", "calls", 1);
}
#else
static void narrow(void)
{
}
#endif

/*
 * Two threads that hand each other's addresses around: munmap() in one, mmap() of the same range in
 * the other.
 */
static void *exchange(void *arg)
{
	for (int i = 0; i < 20000; i++)
		unmap(arg ? map_many(16 * PAGE) : map_other(16 * PAGE), 16 * PAGE);
	return NULL;
}

static void races(void)
{
	pthread_t other;

	pthread_create(&other, NULL, exchange, (void *)1);
	exchange(NULL);
	pthread_join(other, NULL);
	say("map_many", "bytes", 20000 * 16 * PAGE);
	say("map_other", "bytes", 20000 * 16 * PAGE);
}

static void go(void)
{
	ready();
	must(getchar() != EOF, "standard input");
}

static void stay(void)
{
	printf("done\n");
	fflush(stdout);
	pause();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"touch", touch},	{"cold", cold},	    {"mixed", mixed},
	{"resident", resident}, {"serve", serve},   {"handled", handled},
	{"failed", failed},	{"killed", killed}, {"heap", heap},
	{"mappings", mappings}, {"churn", churn},   {"leaks", leaks},
	{"many", many},		{"execs", execs},   {"narrow", narrow},
	{"races", races},	{"places", places}, {"go", go},
	{"wait", stay},
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
			if (!strcmp(argv[i], cases[k].name))
				cases[k].run();
	return 0;
}
