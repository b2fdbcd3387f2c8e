/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.c: a thread waits for the signals, which are blocked in all threads. So the second one
 * quits also where the others are in a read of the kernel or write to a pipe, and the first one
 * interrupts nothing. (Read from a signalfd between the phases of a run, two signals in one phase
 * were one.)
 */
#include "signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

enum { COPIES_US = 5 * 1000 };

/* A terminal that is closed ends the run too, unless SIGHUP is ignored: nohup. */
static void fill_signals(sigset_t *signals)
{
	struct sigaction hangup;

	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(signals, SIGHUP);
}

/* Capabilities are a thread's own, and this one needs none. */
static void drop_capabilities(void)
{
	cap_t none = cap_init();

	if (!none)
		return;
	cap_set_proc(none);
	cap_free(none);
}

/*
 * Ends the process by the signal, so that its parent sees which one it was. A handler is that of
 * temporary.c, which ends the process too; a shell has background jobs ignore SIGINT.
 */
static void quit_by(int number)
{
	struct sigaction now;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	if (!sigaction(number, NULL, &now) && now.sa_handler == SIG_IGN)
		signal(number, SIG_DFL);
	kill(getpid(), number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* timeout(1) sends its signal to the process and to its group: that is one. */
static void forget_copies(int number)
{
	static const struct timespec at_once = {};
	sigset_t copies;

	sigemptyset(&copies);
	sigaddset(&copies, number);
	usleep(COPIES_US);
	sigtimedwait(&copies, NULL, &at_once);
}

static void *wait_for_signals(void *ctx)
{
	int number, stop_fd = (int)(intptr_t)ctx;
	sigset_t signals;

	drop_capabilities();
	fill_signals(&signals);
	if (sigwait(&signals, &number) || eventfd_write(stop_fd, 1))
		return NULL;
	forget_copies(number);
	if (!sigwait(&signals, &number))
		quit_by(number);
	return NULL;
}

int signals_catch(void)
{
	int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigset_t signals, before;
	pthread_t thread;

	if (stop_fd < 0)
		return -1;
	fill_signals(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	if (pthread_create(&thread, NULL, wait_for_signals, (void *)(intptr_t)stop_fd)) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		close(stop_fd);
		return -1;
	}
	pthread_detach(thread);
	return stop_fd;
}
