/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "open.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

enum {
	MAGIC_EROFS = 0xe0f5e1e2, /* not in <linux/magic.h> everywhere */
	MAGIC_XFS = 0x58465342,
	MAGIC_F2FS = 0xf2f52010,
};

struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size = (u64)st->st_size,
		.mtime = st->st_mtim.tv_sec,
		.mtime_ns = st->st_mtim.tv_nsec,
	};
}

bool stamp_is(const struct stamp *stamp, const struct stat *st)
{
	struct stamp now = stamp_of(st);

	return stamp->device == now.device && stamp->inode == now.inode &&
	       stamp->size == now.size && stamp->mtime == now.mtime &&
	       stamp->mtime_ns == now.mtime_ns;
}

static int look(int root, const char *path, u64 flags)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int look_in_root(int root, const char *path)
{
	return look(root, path, O_NOFOLLOW);
}

int look_through_in_root(int root, const char *path)
{
	return look(root, path, 0);
}

int open_looked(int looked)
{
	char path[64];
	struct stat st;
	int fd;

	if (fstat(looked, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	/* O_NONBLOCK: do not wait for the holder of a lease. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", looked);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static u32 magic_of(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) ? 0 : (u32)fs.f_type;
}

bool is_local(int fd)
{
	static const u32 local[] = {
		EXT4_SUPER_MAGIC, MAGIC_XFS,   BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
		MAGIC_F2FS,	  RAMFS_MAGIC, SQUASHFS_MAGIC,	  MAGIC_EROFS,
	};
	u32 magic = magic_of(fd);

	for (size_t i = 0; i < ARRAY_SIZE(local); i++)
		if (magic == local[i])
			return true;
	return false;
}

bool is_overlay(int fd)
{
	return magic_of(fd) == OVERLAYFS_SUPER_MAGIC;
}

bool hides_device(int fd)
{
	u32 magic = magic_of(fd);

	return magic == OVERLAYFS_SUPER_MAGIC || magic == BTRFS_SUPER_MAGIC;
}

enum files_state state_of_errno(int err)
{
	bool refused = err == -EMEDIUMTYPE || err == -ELOOP || err == -EACCES || err == -EPERM;

	return refused ? FILES_REFUSED : FILES_GONE;
}
