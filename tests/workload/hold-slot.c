/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold-slot.c: `hold-slot free|keep`: makes the wick that was started last believe that a program is
 * at work on CPU 0, as one is whose virtual CPU stands still: takes one of its slots (bpf/slots.h).
 * Touches PAGES pages in touch_before, takes the slot, lets two slices of the run end, touches as
 * many pages in touch_after, and ends: `free` gives the slot back just before.
 */
#include <linux/bpf.h>
#include <sys/mman.h>

#include "workload.h"

enum { PAGES = 3000, PAGE_SIZE = 4096, SLOTS_A_CPU = 4, TAKEN = 1, LONG_NAME = 64 };

static void must(int done, const char *what)
{
	if (done)
		return;
	perror(what);
	exit(1);
}

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int is_slots(int fd)
{
	struct bpf_map_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (__u32)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	must(!bpf(BPF_OBJ_GET_INFO_BY_FD, &attr), "BPF_OBJ_GET_INFO_BY_FD");
	return !strcmp(info.name, "program_slots");
}

/* The newest map of slots. */
static int open_slots(void)
{
	union bpf_attr attr;
	__u32 id = 0;
	int found = -1;

	for (;;) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_MAP_GET_NEXT_ID, &attr))
			break;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.map_id = id;
		fd = bpf(BPF_MAP_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		if (!is_slots(fd)) {
			close(fd);
			continue;
		}
		if (found >= 0)
			close(found);
		found = fd;
	}
	must(found >= 0, "no map of slots");
	return found;
}

#define TOUCHER(name)                                                                              \
	FUNCTION void name(volatile char *p);                                                      \
	FUNCTION void name(volatile char *p)                                                       \
	{                                                                                          \
		KEEP_FRAME();                                                                      \
		for (long i = 0; i < PAGES; i++)                                                   \
			p[i * PAGE_SIZE] = 1;                                                      \
	}

TOUCHER(touch_before)
TOUCHER(touch_after)

static char *fresh(void)
{
	void *p = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	must(p != MAP_FAILED, "mmap");
	must(!madvise(p, PAGES * PAGE_SIZE, MADV_NOHUGEPAGE), "madvise");
	return p;
}

int main(int argc, char **argv)
{
	volatile __u32 *slots =
		mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, open_slots(), 0);
	double end;

	must(slots != MAP_FAILED, "mmap of slots");
	touch_before(fresh());
	slots[SLOTS_A_CPU - 1] = TAKEN;
	for (end = now() + 2.3; now() < end;)
		usleep(10000);
	touch_after(fresh());
	printf("pages %d\n", PAGES);
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "free"))
		slots[SLOTS_A_CPU - 1] = 0;
	return 0;
}
