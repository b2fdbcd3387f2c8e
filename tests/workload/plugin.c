/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c: a shared library, built with several PREFIXes: the same code at the same offsets. */
#include "workload.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

LEAF(JOIN(PREFIX, _leaf))
CALLER(JOIN(PREFIX, _outer), JOIN(PREFIX, _leaf))

void plugin_run(long n);
void plugin_run(long n)
{
	JOIN(PREFIX, _outer)(n);
	__asm__ volatile("" ::: "memory");
}
