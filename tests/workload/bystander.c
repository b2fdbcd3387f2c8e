/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * bystander.c: `bystander SECONDS [FILE]`: threads that interrupts wake, on a CPU on which a thread
 * "bystander" spins, that has nothing to do with it:
 *
 *	by-hrtimer	in_hrtimer(): a sleep, ended by a timer in a hard interrupt
 *	by-timer	in_timer(): recv() with a timeout, ended by a timer in a softirq
 *	by-device	in_device(): reads of FILE from its disk, where that can be done
 *
 * Prints NAME.wait.*, and its .tid, .queued, .life, .life-off.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

LEAF(bystander_leaf)
CALLER(bystander_outer, bystander_leaf)

enum { MAX_CPUS = 512, BLOCK = 4096, NR = 3 };

static double stop;
static int cpu;
static int disk = -1, sockets[2];
static off_t disk_size;

FUNCTION static void in_hrtimer(void)
{
	sleep_ns(5 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_timer(void)
{
	char byte;

	if (recv(sockets[0], &byte, 1, 0) >= 0)
		_exit(1);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_device(void)
{
	static _Alignas(BLOCK) char block[BLOCK];
	static off_t at;

	if (pread(disk, block, BLOCK, at) < 0)
		_exit(1);
	at = (at + 7 * BLOCK) % disk_size;
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void between_reads(void)
{
	sleep_ns(NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

static struct thread {
	char name[16];
	void (*wait)(void);
	struct waited waited;
	struct life life;
} all[NR] = {{"by-hrtimer", in_hrtimer}, {"by-timer", in_timer}, {"by-device", in_device}};

FUNCTION static void *life_of(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	pin_to(cpu);
	while (now() < stop) {
		TIMED(&t->waited, t->wait());
		/* A disk that answers from its cache would take the CPU for itself. */
		if (t->wait == in_device)
			between_reads();
	}
	life_end(&t->life);
	return NULL;
}

FUNCTION static void *spin(void *unused)
{
	pin_to(cpu);
	prctl(PR_SET_NAME, "bystander");
	while (now() < stop)
		bystander_outer(ROUNDS / 4);
	return unused;
}

static void open_disk(const char *path)
{
	struct stat st;

	disk = open(path, O_RDONLY | O_DIRECT);
	if (disk >= 0 && !fstat(disk, &st))
		disk_size = st.st_size / BLOCK * BLOCK;
	if (!disk_size)
		disk = -1;
}

int main(int argc, char **argv)
{
	struct timeval timeout = {.tv_usec = 6000};
	pthread_t threads[NR + 1];
	int cpus[MAX_CPUS], nr = 0;
	char name[32];

	stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	cpu = cpus[allowed_cpus(cpus, MAX_CPUS) - 1];
	if (argc > 2)
		open_disk(argv[2]);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) ||
	    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		return 1;
	for (int i = 0; i < NR; i++)
		if (all[i].wait != in_device || disk >= 0)
			pthread_create(&threads[nr++], NULL, life_of, &all[i]);
	pthread_create(&threads[nr++], NULL, spin, NULL);
	while (nr)
		pthread_join(threads[--nr], NULL);
	for (int i = 0; i < NR; i++) {
		if (!all[i].waited.calls)
			continue;
		snprintf(name, sizeof(name), "%.15s.wait", all[i].name);
		waited_print(name, &all[i].waited);
		life_print(all[i].name, &all[i].life);
	}
	return 0;
}
