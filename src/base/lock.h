/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h: a lock between threads of different priority: its holder has that of the highest one that
 * waits for it.
 */
#ifndef WICK_LOCK_H
#define WICK_LOCK_H

#include <pthread.h>

static inline void lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

#endif
