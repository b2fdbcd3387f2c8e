/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bytes.h"

#include <sys/stat.h>

#include "base/checked.h"

int bytes_of_file(struct bytes *bytes, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*bytes = (struct bytes){.fd = fd, .size = (u64)st.st_size};
	return 0;
}

struct bytes bytes_of_memory(const void *memory, size_t size)
{
	return (struct bytes){.fd = -1, .memory = memory, .size = size};
}

static size_t pread_some(int fd, u64 offset, char *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, to + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

size_t bytes_read_some(const struct bytes *bytes, u64 offset, void *to, size_t size)
{
	size = (size_t)part_within(offset, size, bytes->size);
	if (!size)
		return 0;
	if (!bytes->memory)
		return pread_some(bytes->fd, offset, to, size);
	memcpy(to, (const char *)bytes->memory + offset, size);
	return size;
}

bool bytes_read(const struct bytes *bytes, u64 offset, void *to, size_t size)
{
	return bytes_read_some(bytes, offset, to, size) == size;
}
