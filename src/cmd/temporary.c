/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temporary.c: what a fatal signal must clean up. A handler knows nothing but global variables, so
 * here is the one table of the program that is not constant: names, reserved before the files are
 * made. Signals that have a handler already are left to it.
 */
#include "temporary.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>

enum { MAX_TEMPORARIES = 64 };

static struct temporary {
	volatile sig_atomic_t used;
	int directory;
	char name[TEMPORARY_SIZE];
} temporaries[MAX_TEMPORARIES];

static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS};

void temporary_remove_all(void)
{
	for (size_t i = 0; i < MAX_TEMPORARIES; i++)
		if (temporaries[i].used)
			unlinkat(temporaries[i].directory, temporaries[i].name, 0);
}

static void clean_up(int signal_number)
{
	temporary_remove_all();
	/* The disposition was reset on entry: this one ends the process as it would have. */
	raise(signal_number);
}

static void handle_fatal_signals(void)
{
	struct sigaction ours = {.sa_handler = clean_up, .sa_flags = (int)SA_RESETHAND}, old;

	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		if (!sigaction(fatal[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &ours, NULL);
}

int temporary_reserve(int directory)
{
	struct temporary *t = temporaries;
	u64 random = 0;

	while (t < temporaries + MAX_TEMPORARIES && t->used)
		t++;
	if (t == temporaries + MAX_TEMPORARIES)
		return -EMFILE;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = monotonic_ns();
	snprintf(t->name, sizeof(t->name), ".wick-%016llx", (unsigned long long)random);
	t->directory = directory;
	handle_fatal_signals();
	t->used = 1;
	return (int)(t - temporaries) + 1;
}

const char *temporary_name(int slot)
{
	return temporaries[slot - 1].name;
}

void temporary_keep(int slot)
{
	if (slot)
		temporaries[slot - 1].used = 0;
}

void temporary_remove(int slot)
{
	if (!slot)
		return;
	unlinkat(temporaries[slot - 1].directory, temporaries[slot - 1].name, 0);
	temporary_keep(slot);
}
