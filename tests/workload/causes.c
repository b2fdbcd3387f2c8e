/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes.c: `causes SECONDS DIRECTORY`: until then, or until SIGTERM, more waits whose reasons are
 * known, as in reasons.c. Files are made in DIRECTORY, on a disk.
 *
 *	c-hold	holds a lock, until it is wanted; then waits 9 times for a byte of c-pen, which
 *		sleeps 1 ms for each, in hold_reads(), and 4 times for the disk, in hold_syncs()
 *	c-one	wants that lock, and has another one, which c-two wants, and has a third one, which
 *		c-three wants: one_wants(), two_wants(), three_wants()
 *	c-turn	takes a lock that c-four sleeps with for 4 ms, and then one that c-eight sleeps with
 *		for 8 ms: turn_wants_four(), turn_wants_eight(), four_naps(), eight_naps()
 *	c-convoy	8 threads that take one lock in turn, for 2 ms: convoy_wants(), convoy_naps()
 *	c-ask	asks c-serve over TCP, who asks c-third, who sleeps 5 ms: ask_waits(), serve_asks(),
 *		third_naps()
 *	c-ping	waits for c-pong, who sleeps 2 ms: ping_waits(), pong_naps()
 *	c-page	reads a mapped file that is in no cache: page_touches()
 *	c-fifo	takes a CPU for 20 ms of 40, from c-late, who sleeps 3 ms at a time; both come before all
 *		ordinary threads
 *
 * Prints what parts of it took, without the wait for a CPU: NAME.off; c-late.queued; NAME.life.
 */
#include "waits.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { CONVOY = 8, READS = 9, SYNCS = 4, FILE_SIZE = 1 << 20, PAGE = 4096 };

static atomic_bool is_over, is_wanted;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
		       third = PTHREAD_MUTEX_INITIALIZER, four = PTHREAD_MUTEX_INITIALIZER,
		       eight = PTHREAD_MUTEX_INITIALIZER, convoy = PTHREAD_MUTEX_INITIALIZER;
static int pen[2], pen_wanted[2], ping[2], pong[2], journal, pages, serve_port, third_port;
static struct waited pens, syncs;
static struct life late_life;

#define KEEP() __asm__ volatile("" ::: "memory")

#define NAPS(function, us)                                                                         \
	FUNCTION static void function(void)                                                        \
	{                                                                                          \
		sleep_ns((us)*1000ll);                                                             \
		KEEP();                                                                            \
	}

#define WANTS(function, lock)                                                                      \
	FUNCTION static void function(void)                                                        \
	{                                                                                          \
		pthread_mutex_lock(&(lock));                                                       \
		KEEP();                                                                            \
	}

NAPS(pen_naps, 1000)
NAPS(hold_polls, 200)
NAPS(four_naps, 4000)
NAPS(eight_naps, 8000)
NAPS(convoy_naps, 2000)
NAPS(third_naps, 5000)
NAPS(pong_naps, 2000)
NAPS(late_naps, 3000)
NAPS(rests, 1000)
WANTS(one_wants, first)
WANTS(two_wants, second)
WANTS(three_wants, third)
WANTS(turn_wants_four, four)
WANTS(turn_wants_eight, eight)
WANTS(convoy_wants, convoy)

/* What a call takes without the wait for a CPU. */
#define ASLEEP(w, call)                                                                            \
	do {                                                                                       \
		long long queued_ = queued_ns();                                                   \
		TIMED(w, call);                                                                    \
		(w)->off -= queued_ns() - queued_;                                                 \
	} while (0)

static void must(int ok, const char *what)
{
	if (!ok && !is_over) {
		perror(what);
		exit(1);
	}
}

FUNCTION static void hold_reads(void)
{
	for (int i = 0; i < READS; i++)
		must(write_byte(pen_wanted[1]) && read_byte(pen[0]), "pen");
	KEEP();
}

FUNCTION static void hold_syncs(void)
{
	static const char page[PAGE];

	for (int i = 0; i < SYNCS; i++)
		must(pwrite(journal, page, sizeof(page), 0) == sizeof(page) && !fsync(journal),
		     "fsync");
	KEEP();
}

FUNCTION static void pen_waits(void)
{
	must(read_byte(pen_wanted[0]), "pen");
	KEEP();
}

FUNCTION static bool ask_waits(int fd)
{
	bool ok = write_byte(fd) && read_byte(fd);

	KEEP();
	return ok;
}

FUNCTION static bool serve_asks(int fd)
{
	bool ok = write_byte(fd) && read_byte(fd);

	KEEP();
	return ok;
}

FUNCTION static bool waits_for_request(int fd)
{
	bool ok = read_byte(fd);

	KEEP();
	return ok;
}

FUNCTION static void ping_waits(void)
{
	must(write_byte(ping[1]) && read_byte(pong[0]), "ping");
	KEEP();
}

FUNCTION static void pong_waits(void)
{
	must(read_byte(ping[0]), "pong");
	KEEP();
}

/* Dropped from the cache before, and read one by one: the kernel is told not to read ahead. */
FUNCTION static void page_touches(void)
{
	volatile const char *bytes = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, pages, 0);

	must(bytes != MAP_FAILED, "mmap");
	madvise((void *)bytes, FILE_SIZE, MADV_RANDOM);
	for (size_t at = 0; at < FILE_SIZE && !is_over; at += 16 * PAGE)
		(void)bytes[at];
	munmap((void *)bytes, FILE_SIZE);
	KEEP();
}

FUNCTION static void burn(long long ns)
{
	long long end = now_ns() + ns;

	while (now_ns() < end)
		KEEP();
}

/* ---- threads */

static void hold(void)
{
	pthread_mutex_lock(&first);
	while (!is_wanted && !is_over)
		hold_polls();
	hold_reads();
	ASLEEP(&syncs, hold_syncs());
	pthread_mutex_unlock(&first);
	rests();
}

static void write_pen(void)
{
	pen_waits();
	ASLEEP(&pens, pen_naps());
	write_byte(pen[1]);
}

static void one(void)
{
	pthread_mutex_lock(&second);
	is_wanted = true;
	one_wants();
	is_wanted = false;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	rests();
}

static void two(void)
{
	pthread_mutex_lock(&third);
	two_wants();
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&third);
	rests();
}

static void three(void)
{
	three_wants();
	pthread_mutex_unlock(&third);
	rests();
}

static void turn(void)
{
	turn_wants_four();
	pthread_mutex_unlock(&four);
	turn_wants_eight();
	pthread_mutex_unlock(&eight);
}

static void hold_four(void)
{
	pthread_mutex_lock(&four);
	four_naps();
	pthread_mutex_unlock(&four);
	rests();
}

static void hold_eight(void)
{
	pthread_mutex_lock(&eight);
	eight_naps();
	pthread_mutex_unlock(&eight);
	rests();
}

/* It runs between two turns, so that the next thread has the lock by then. */
static void go_in_convoy(void)
{
	convoy_wants();
	convoy_naps();
	pthread_mutex_unlock(&convoy);
	burn(NSEC_PER_MSEC / 5);
}

static int tcp_socket(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

/* Servers' ports are below those that clients get. */
static int listen_at(int *port)
{
	static int next = 20000;
	struct sockaddr_in address;
	int fd = tcp_socket(&address), yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	do {
		*port = next++;
		address.sin_port = htons((unsigned short)*port);
	} while (bind(fd, (void *)&address, sizeof(address)) && errno == EADDRINUSE);
	must(!listen(fd, 1), "listen");
	return fd;
}

static int connect_to(int port)
{
	struct sockaddr_in address;
	int fd = tcp_socket(&address);

	address.sin_port = htons((unsigned short)port);
	must(!connect(fd, (void *)&address, sizeof(address)), "connect");
	return fd;
}

static int serve_listens, third_listens;

static void ask(void)
{
	int fd = connect_to(serve_port);

	while (!is_over && ask_waits(fd))
		;
}

static void serve(void)
{
	int fd = accept(serve_listens, NULL, NULL), next = connect_to(third_port);

	while (!is_over && waits_for_request(fd) && serve_asks(next) && write_byte(fd))
		;
}

static void be_third(void)
{
	int fd = accept(third_listens, NULL, NULL);

	while (!is_over && waits_for_request(fd)) {
		third_naps();
		write_byte(fd);
	}
}

static void answer_ping(void)
{
	pong_waits();
	pong_naps();
	write_byte(pong[1]);
}

static void read_pages(void)
{
	posix_fadvise(pages, 0, 0, POSIX_FADV_DONTNEED);
	page_touches();
	rests();
}

static int last_cpu(void)
{
	int cpus[CPU_SETSIZE];

	return cpus[allowed_cpus(cpus, CPU_SETSIZE) - 1];
}

static void be_real_time(int priority)
{
	struct sched_param param = {.sched_priority = priority};

	pin_to(last_cpu());
	must(!sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
}

static void take_cpu(void)
{
	be_real_time(2);
	while (!is_over) {
		burn(20 * NSEC_PER_MSEC);
		sleep_ns(20 * NSEC_PER_MSEC);
	}
}

static void be_late(void)
{
	be_real_time(1);
	life_begin(&late_life, NULL);
	while (!is_over)
		late_naps();
	life_end(&late_life);
}

struct part {
	const char *name;
	void (*run)(void);
};

static void *repeat(void *part)
{
	const struct part *p = part;

	prctl(PR_SET_NAME, p->name);
	while (!is_over)
		p->run();
	return NULL;
}

static int make_file(const char *directory, const char *name, size_t size)
{
	char path[4096], *bytes = malloc(size + 1);
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	memset(bytes, 'c', size);
	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !fsync(fd), path);
	free(bytes);
	return fd;
}

int main(int argc, char **argv)
{
	static struct part parts[] = {
		{"c-hold", hold},	 {"c-pen", write_pen},	  {"c-one", one},
		{"c-two", two},		 {"c-three", three},	  {"c-turn", turn},
		{"c-four", hold_four},	 {"c-eight", hold_eight}, {"c-third", be_third},
		{"c-serve", serve},	 {"c-ask", ask},	  {"c-ping", ping_waits},
		{"c-pong", answer_ping}, {"c-page", read_pages},  {"c-fifo", take_cpu},
		{"c-late", be_late},
	};
	static struct part in_convoy = {"c-convoy", go_in_convoy};
	struct timespec most = {.tv_sec = argc > 1 ? atol(argv[1]) : 0};
	pthread_t late, thread;
	sigset_t end;

	if (argc < 3 || pipe(pen) || pipe(pen_wanted) || pipe(ping) || pipe(pong))
		return 1;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	journal = make_file(argv[2], "journal", PAGE);
	pages = make_file(argv[2], "pages", FILE_SIZE);
	serve_listens = listen_at(&serve_port);
	third_listens = listen_at(&third_port);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		pthread_create(&late, NULL, repeat, &parts[i]);
	for (int i = 0; i < CONVOY; i++)
		pthread_create(&thread, NULL, repeat, &in_convoy);
	ready();
	sigtimedwait(&end, NULL, &most);
	is_over = true;
	pthread_join(late, NULL);
	waited_print("pens", &pens);
	waited_print("syncs", &syncs);
	life_print("c-late", &late_life);
	return 0;
}
