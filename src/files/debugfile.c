/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugfile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "open.h"

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

/* ---- beside the file */

enum { MAX_LINK = 256, MAX_CHECKED = 1 << 30, BLOCK = 1 << 16 };

/*
 * A name, zeros up to the next multiple of four, the checksum. False: there is none, or it is no
 * mere name.
 */
static bool read_link(const struct elf *elf, char name[MAX_LINK], u32 *checksum)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".gnu_debuglink");
	size_t size;

	if (!section || section->sh_size < 8 || section->sh_size > MAX_LINK ||
	    !bytes_read(&elf->bytes, section->sh_offset, name, section->sh_size) ||
	    !memchr(name, '\0', section->sh_size - sizeof(*checksum)))
		return false;
	memcpy(checksum, name + section->sh_size - sizeof(*checksum), sizeof(*checksum));
	size = strlen(name);
	return size && !memchr(name, '/', size);
}

static bool has_checksum(const struct bytes *bytes, u32 wanted)
{
	_cleanup_free_ char *block = xcalloc(1, BLOCK);
	uLong sum = crc32(0, NULL, 0);

	if (bytes->size > MAX_CHECKED)
		return false;
	for (u64 at = 0; at < bytes->size; at += BLOCK)
		sum = crc32(sum, (const Bytef *)block,
			    (uInt)bytes_read_some(bytes, at, block, BLOCK));
	return sum == wanted;
}

/* A debug file is trusted if its owner can write the binary too, or if everybody may read it. */
static bool is_trusted(const struct elf *elf, const struct stat *st)
{
	struct stat own;

	if (fstat(elf->bytes.fd, &own) || (st->st_dev == own.st_dev && st->st_ino == own.st_ino))
		return false;
	return st->st_uid == own.st_uid || (!st->st_uid && st->st_mode & S_IROTH);
}

static bool is_meant(const struct elf *elf, int fd, u32 checksum)
{
	u8 wanted[ELF_MAX_BUILD_ID], found[ELF_MAX_BUILD_ID];
	size_t size = elf_build_id(elf, wanted);
	struct bytes bytes;
	struct elf debug;
	bool same;

	if (bytes_of_file(&bytes, fd) || elf_init(&debug, bytes))
		return false;
	same = size ? elf_build_id(&debug, found) == size && !memcmp(found, wanted, size)
		    : has_checksum(&bytes, checksum);
	elf_release(&debug);
	return same;
}

static int try_beside(const struct elf *elf, int root, const char *path, u32 checksum)
{
	_cleanup_close_ int looked = look_in_root(root, path), fd = -1;
	struct stat st;

	if (looked < 0)
		return looked;
	if (fstat(looked, &st) || !is_trusted(elf, &st))
		return -EPERM;
	fd = open_looked(looked);
	if (fd < 0)
		return fd;
	return is_meant(elf, fd, checksum) ? steal_fd(&fd) : -ENOENT;
}

int debugfile_beside(const struct elf *elf, int root, const char *path)
{
	static const struct {
		const char *before, *behind; /* the directory */
	} places[] = {{"", "/"}, {"", "/.debug/"}, {"/usr/lib/debug", "/"}};
	const char *slash = strrchr(path, '/');
	char name[MAX_LINK];
	int fd = -ENOENT;
	u32 checksum;

	if (!slash || elf->bytes.memory || !read_link(elf, name, &checksum))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places) && fd < 0; i++) {
		_cleanup_free_ char *at = format("%s%.*s%s%s", places[i].before,
						 (int)(slash - path), path, places[i].behind, name);

		fd = try_beside(elf, root, at, checksum);
	}
	return fd;
}

/* ---- by the build id */

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
