/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stripped file and the debug file beside it, both a stranger's: the size of the first one, its
 * bytes, those of the other, which is found by its name d.debug.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "elf_mutator.h"
#include "files/debugfile.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *input, size_t size, size_t room, unsigned int seed);

/* Mutates one of the two files in its place. */
size_t LLVMFuzzerCustomMutator(u8 *input, size_t size, size_t room, unsigned int seed)
{
	u32 first;

	if (size < sizeof(first))
		return LLVMFuzzerMutate(input, size, room);
	memcpy(&first, input, sizeof(first));
	size -= sizeof(first);
	input += sizeof(first);
	if (first < size && seed & 1)
		elf_mutate(input, first, first, seed >> 1);
	else if (first < size)
		size = first + elf_mutate(input + first, size - first, room - sizeof(first) - first,
					  seed >> 1);
	return sizeof(first) + size;
}

static char directory[] = "/dev/shm/wick-fuzz-XXXXXX";

static void remove_directory(void)
{
	_cleanup_free_ char *file = format("%s/d.debug", directory);

	unlink(file);
	rmdir(directory);
}

static int open_root(void)
{
	static int fd = -1;

	if (fd >= 0)
		return fd;
	assert(mkdtemp(directory) && !atexit(remove_directory));
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(fd >= 0);
	return fd;
}

/* A file in memory, or of that name below `root`. */
static int file_of(int root, const char *name, const u8 *content, size_t size)
{
	int fd = name ? openat(root, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
		      : memfd_create("stripped", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, content, size) == (ssize_t)size);
	return fd;
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	_cleanup_close_ int stripped = -1, debug = -1, found = -1;
	_cleanup_(elf_release) struct elf elf = {};
	struct bytes bytes, debug_bytes;
	int root = open_root();
	struct debug_link link;
	u32 first;

	if (size < sizeof(first))
		return 0;
	memcpy(&first, input, sizeof(first));
	input += sizeof(first);
	size -= sizeof(first);
	if (first > size)
		return 0;
	stripped = file_of(root, NULL, input, first);
	debug = file_of(root, "d.debug", input + first, size - first);
	if (bytes_of_file(&bytes, stripped) || elf_init(&elf, bytes))
		return 0;
	if (!debug_link_read(&elf, &link))
		return 0;
	assert(debug_link_is_sane(&link));
	assert(debugfile_open(&link, directory) < 0);
	if (debugfiles_beside(&link, root, "/stripped", stripped, &found, 1) &&
	    !bytes_of_file(&debug_bytes, debug))
		debug_link_means(&link, &debug_bytes);
	return 0;
}
