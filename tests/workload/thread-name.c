/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-name.c: `thread-name CPU-SECONDS`: two threads whose names do harm where they are not
 * escaped.
 */
#include "workload.h"

LEAF(name_leaf)

static double seconds;

static void *burn(void *name)
{
	prctl(PR_SET_NAME, name);
	while (thread_cpu() < seconds)
		name_leaf(ROUNDS / 4);
	return NULL;
}

int main(int argc, char **argv)
{
	static char harmful[] = "a;b<script>x\n\x1b", words[] = "two words";
	pthread_t one, two;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_create(&one, NULL, burn, harmful);
	pthread_create(&two, NULL, burn, words);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
