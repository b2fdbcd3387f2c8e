/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind-lazy.c: a library whose calls go through the PLT, bound when they are first made. */
#include <ctype.h>
#include <wchar.h>
#include <wctype.h>

#include "workload.h"

static volatile int sink;

FUNCTION void lazy_calls(int n);
FUNCTION void lazy_calls(int n)
{
	sink += abs(n) + (int)labs(n) + toupper(n) + tolower(n) + isalpha(n) + isdigit(n);
	sink += (int)strlen("abc") + strcmp("a", "b") + atoi("12") + (int)strtol("3", NULL, 10);
	sink += (int)towupper((wint_t)n) + (int)towlower((wint_t)n) + ffs(n) +
		rand_r(&(unsigned){1});
	sink += (int)getpid() + (int)getuid() + strncmp("a", "b", 1) + memcmp("a", "b", 1);
}

void lazy_run(void);
void lazy_run(void)
{
	for (int i = 0; i < 300; i++)
		lazy_calls(i);
	__asm__ volatile("" ::: "memory");
}
