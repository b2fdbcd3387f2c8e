/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugfile.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/strbuf.h"

/* ROOT/.build-id/ab/cdef....debug, as gdb has it. */
static void path_of(struct strbuf *path, const char *root, const u8 *id, size_t size)
{
	strbuf_addf(path, "%s/.build-id/%02x/", root, id[0]);
	for (size_t i = 1; i < size; i++)
		strbuf_addf(path, "%02x", id[i]);
	strbuf_adds(path, ".debug");
}

static int check(int fd, const u8 *id, size_t size)
{
	u8 found[ELF_MAX_BUILD_ID];
	struct bytes bytes;
	struct stat st;
	struct elf elf;
	bool same;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != 0 || (st.st_mode & S_IWOTH))
		return -EPERM;
	if (bytes_of_file(&bytes, fd) || elf_init(&elf, bytes))
		return -ENOENT;
	same = elf_build_id(&elf, found) == size && !memcmp(found, id, size);
	elf_release(&elf);
	return same ? 0 : -ENOENT;
}

int debugfile_open(const struct elf *elf, const char *root)
{
	_cleanup_strbuf_ struct strbuf path = {};
	_cleanup_close_ int fd = -1;
	u8 id[ELF_MAX_BUILD_ID];
	size_t size = elf_build_id(elf, id);
	int err;

	if (size < 2)
		return -ENOENT;
	path_of(&path, root, id, size);
	fd = open(path.s, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = check(fd, id, size);
	return err ? err : steal_fd(&fd);
}
