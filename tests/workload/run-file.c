/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run-file.c: `run-file SECONDS OFFSET FILE...`: calls what lies at OFFSET of each file, which does
 * not return, each in a thread of its own. The name "-" is memory without a file, where code is
 * that jumps to itself.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "workload.h"

enum { PAGE = 0x1000 };

#if defined(__x86_64__)
static const unsigned char loop[] = {0xeb, 0xfe};
#elif defined(__aarch64__)
static const unsigned int loop[] = {0x14000000};
#endif

static void *map_memory(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return at;
	memcpy(at, loop, sizeof(loop));
	__builtin___clear_cache(at, (char *)at + PAGE);
	return mprotect(at, PAGE, PROT_READ | PROT_EXEC) ? MAP_FAILED : at;
}

static void *map_file(const char *path, long offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? MAP_FAILED
		      : mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset);
}

static void *call(void *code)
{
	((void (*)(void))(uintptr_t)code)();
	return NULL;
}

int main(int argc, char **argv)
{
	for (int i = 3; i < argc; i++) {
		void *code = strcmp(argv[i], "-") ? map_file(argv[i], atol(argv[2])) : map_memory();
		pthread_t thread;

		/* From here on its page is there, whatever becomes of the file. */
		if (code != MAP_FAILED)
			(void)*(volatile const char *)code;
		if (code == MAP_FAILED || pthread_create(&thread, NULL, call, code)) {
			perror(argv[i]);
			return 1;
		}
		printf("code %lx\n", (unsigned long)(uintptr_t)code);
	}
	ready();
	usleep((useconds_t)(atof(argc > 1 ? argv[1] : "1") * 1e6));
	return 0;
}
