// SPDX-License-Identifier: GPL-2.0-or-later
// unwind-throw.cc: `unwind-throw TAG MS`: the C++ runtime unwinds ten frames, again and again.
#include "workload.h"

#undef FUNCTION
#define FUNCTION __attribute__((noinline))

struct guard {
	int &count;
	FUNCTION ~guard()
	{
		count++;
	}
};

FUNCTION static void thrower(int n, int &count)
{
	guard g{count};

	if (!n)
		throw count;
	thrower(n - 1, count);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void catcher(int &count)
{
	try {
		thrower(9, count);
	} catch (int) {
		count = 0;
	}
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	char name[16];
	int count = 0;

	if (argc < 3)
		return 2;
	snprintf(name, sizeof(name), "throw-%s", argv[1]);
	prctl(PR_SET_NAME, name);
	double stop = thread_cpu() + atof(argv[2]) / 1000;
	while (thread_cpu() < stop)
		for (int i = 0; i < 10; i++)
			catcher(count);
	prctl(PR_SET_NAME, "unwind-next");
	return 0;
}
