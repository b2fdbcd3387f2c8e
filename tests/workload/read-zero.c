/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read-zero.c: `read-zero CPU-SECONDS`: like dd, in the kernel nearly all the time. Calls the
 * system itself, since the C library's read() has no frame pointer. Prints its CPU time.
 */
#include <fcntl.h>

#include "workload.h"

static long raw_read(int fd, void *to, size_t size)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_read), "D"((long)fd), "S"(to), "d"(size)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x0 __asm__("x0") = fd, x8 __asm__("x8") = SYS_read;
	register long x1 __asm__("x1") = (long)to, x2 __asm__("x2") = (long)size;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return x0;
#endif
}

FUNCTION static void read_once(int fd, void *to, size_t size)
{
	KEEP_FRAME();
	for (int i = 0; i < 8; i++)
		if (raw_read(fd, to, size) < 0)
			_exit(1);
}

FUNCTION static void read_main(double seconds)
{
	static char block[1 << 16];
	int fd = open("/dev/zero", O_RDONLY);

	while (process_cpu() < seconds)
		read_once(fd, block, sizeof(block));
}

int main(int argc, char **argv)
{
	read_main(argc > 1 ? atof(argv[1]) : 1);
	printf("cpu %f\n", process_cpu());
	return 0;
}
