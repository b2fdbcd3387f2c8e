/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reload-plugin.c: a library for reload.c, built with several PREFIXes: the same code. */
#include "workload.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

FUNCTION void JOIN(PREFIX, _waits)(void);
FUNCTION void JOIN(PREFIX, _waits)(void)
{
	struct timespec t = {.tv_nsec = 2000000};

	nanosleep(&t, NULL);
	__asm__ volatile("" ::: "memory");
}

void plugin_wait(void);
void plugin_wait(void)
{
	JOIN(PREFIX, _waits)();
	__asm__ volatile("" ::: "memory");
}
