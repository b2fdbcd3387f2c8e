/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-locks.c: `kernel-locks MILLISECONDS DIRECTORY`: waits for two of the kernel's locks.
 *
 *	k-0 ... k-5	rename a file each in DIRECTORY, there and back, in renames(): a lock of the
 *			directory, of readers and writers
 *	k-a, k-b, k-c	read a terminal, in tty_reads(): the one that waits for input has a mutex
 *	k-type		types a character every few milliseconds
 *
 * Prints of all k-0 ... k-5, and of all that read, what they waited, and how long they were queued:
 * renames.*, reads.*.
 */
#include "waits.h" /* first: it says that we want GNU's */

#include <fcntl.h>
#include <stdatomic.h>
#include <termios.h>

enum { RENAMERS = 6, READERS = 3, NR = RENAMERS + READERS, TYPES_EVERY_MS = 4 };

static const char *directory;
static long long end;
static int keyboard, terminal;

static struct thread {
	char name[8];
	struct waited wait;
	struct life life;
} all[NR];

FUNCTION static void renames(const char *from, const char *to)
{
	if (rename(from, to))
		perror("kernel-locks: rename");
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void tty_reads(void)
{
	read_byte(terminal);
	__asm__ volatile("" ::: "memory");
}

static void rename_until_the_end(struct thread *t)
{
	char here[4096], there[4096];

	snprintf(here, sizeof(here), "%s/%s", directory, t->name);
	snprintf(there, sizeof(there), "%s/%s.there", directory, t->name);
	close(open(here, O_CREAT | O_WRONLY, 0600));
	while (now_ns() < end) {
		TIMED(&t->wait, renames(here, there));
		TIMED(&t->wait, renames(there, here));
	}
	unlink(here);
}

static void *life_of(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	if (t - all < RENAMERS)
		rename_until_the_end(t);
	else
		while (now_ns() < end)
			TIMED(&t->wait, tty_reads());
	life_end(&t->life);
	return NULL;
}

static void open_terminal(void)
{
	struct termios raw;

	keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	if (keyboard < 0 || grantpt(keyboard) || unlockpt(keyboard))
		exit(1);
	terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	if (terminal < 0 || tcgetattr(terminal, &raw))
		exit(1);
	cfmakeraw(&raw);
	tcsetattr(terminal, TCSANOW, &raw);
}

static void print_sums(const char *what, const struct thread *first, int nr)
{
	struct waited sum = {};
	long long queued = 0;

	for (int i = 0; i < nr; i++) {
		sum.calls += first[i].wait.calls;
		sum.wall += first[i].wait.wall;
		sum.off += first[i].wait.off;
		queued += first[i].life.queued;
	}
	waited_print(what, &sum);
	printf("%s.queued %lld\n", what, queued);
}

int main(int argc, char **argv)
{
	pthread_t threads[NR];

	if (argc != 3)
		return 2;
	end = now_ns() + atoi(argv[1]) * NSEC_PER_MSEC;
	directory = argv[2];
	open_terminal();
	for (int i = 0; i < NR; i++) {
		all[i].name[0] = 'k';
		all[i].name[1] = '-';
		all[i].name[2] = (char)(i < RENAMERS ? '0' + i : 'a' + i - RENAMERS);
		pthread_create(&threads[i], NULL, life_of, &all[i]);
	}
	prctl(PR_SET_NAME, "k-type");
	while (now_ns() < end + READERS * TYPES_EVERY_MS * NSEC_PER_MSEC) {
		sleep_ns(TYPES_EVERY_MS * NSEC_PER_MSEC);
		write_byte(keyboard);
	}
	for (int i = 0; i < READERS; i++)
		write_byte(keyboard);
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	print_sums("renames", all, RENAMERS);
	print_sums("reads", all + RENAMERS, READERS);
	return 0;
}
