/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stuck-stack: a thread sleeps with its stack pointer in memory that is never there, since nobody
 * answers for it (userfaultfd): who reads it waits for ever. Prints "ready".
 */
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1 << 20 };

/* Sleeps on another stack; the kernel does not touch it. */
static void pause_on(char *stack)
{
#if defined(__aarch64__)
	register long nr __asm__("x8") = SYS_ppoll;
	register long fds __asm__("x0") = 0;
	register long nr_fds __asm__("x1") = 0;
	register long timeout __asm__("x2") = 0;
	register long mask __asm__("x3") = 0;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %1\n\t"
			 "svc 0\n\t"
			 "mov sp, x19"
			 : "+r"(fds)
			 : "r"(stack), "r"(nr), "r"(nr_fds), "r"(timeout), "r"(mask)
			 : "x19", "memory");
#else
	long result = SYS_pause;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %1, %%rsp\n\t"
			 "syscall\n\t"
			 "mov %%rbx, %%rsp"
			 : "+a"(result)
			 : "r"(stack)
			 : "rbx", "rcx", "r11", "memory");
#endif
}

static void *sleeper(void *stack)
{
	prctl(PR_SET_NAME, "stuck-stack");
	puts("ready");
	fflush(stdout);
	pause_on(stack);
	return NULL;
}

int main(void)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register all = {.range = {(unsigned long)memory, SIZE},
				      .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_t thread;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &all))
		err(1, "userfaultfd");
	pthread_create(&thread, NULL, sleeper, memory + SIZE / 2);
	pthread_join(thread, NULL);
	return 0;
}
