/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.c: `queue DEVICE`: 32 threads that read blocks of a disk, past the page cache, in
 * queue_reads(), each in places of its own. A disk whose queue is shorter than that keeps most of
 * them waiting for room in it. To be ended by a signal.
 */
#include "waits.h"

#include <fcntl.h>

enum { READERS = 32, BLOCK = 4096, BLOCKS = 256 };

static int disk;

FUNCTION static bool queue_reads(void *to, off_t at)
{
	bool done = pread(disk, to, BLOCK, at) == BLOCK;

	__asm__ volatile("" ::: "memory");
	return done;
}

static void *reader(void *arg)
{
	off_t first = (intptr_t)arg * BLOCKS * BLOCK;
	void *block = NULL;

	if (posix_memalign(&block, BLOCK, BLOCK))
		return NULL;
	for (off_t i = 0; queue_reads(block, first + i % BLOCKS * BLOCK); i++)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[READERS];

	disk = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECT) : -1;
	if (disk < 0) {
		perror("queue");
		return 1;
	}
	for (intptr_t i = 0; i < READERS; i++)
		if (pthread_create(&threads[i], NULL, reader, (void *)i))
			return 1;
	ready();
	for (intptr_t i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
