/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zombies.c: so many children that end at once, and of which none is waited for. Prints how many. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 1, made = 0;

	for (; made < nr; made++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0)
			break;
	}
	printf("zombies %ld\n", made);
	return 0;
}
