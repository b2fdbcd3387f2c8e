/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as /proc/kallsyms. */
#include <fcntl.h>
#include <sys/mman.h>

#include "symbolize.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

static void take(void *ctx, size_t i, const char *name, const char *module)
{
	const size_t *nr = ctx;

	assert(i < *nr && strlen(name) < 512 && (!module || strlen(module) < 64));
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	static const u64 addresses[] = {0, 1, 0x10, 0x1000, 0xffffffff81000000, UINT64_MAX};
	size_t nr = ARRAY_SIZE(addresses);
	_cleanup_close_ int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct kernel_namer namer;
	char path[64];

	assert(fd >= 0 && write(fd, input, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	namer = kallsyms_namer(path);
	namer.names(namer.self, addresses, nr, take, &nr);
	return 0;
}
