/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.c: from a mapping to the descriptor of its file. What is found by a path may be another
 * file by now, so it counts only when it is the inode that was mapped: number, device and, where
 * the file system tells it, generation. Some file systems show other devices to stat() than
 * mappings have (btrfs: one a subvolume; overlayfs: its own); there the number has to do.
 */
#include "mapped.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

/* With xino, overlayfs keeps the number of the layer in the upper bits. */
static bool same_inode(int look, u64 found, u64 wanted)
{
	return found == wanted || (is_overlay(look) && (found ^ wanted) << 16 == 0);
}

static bool is_mapped_file(int look, const struct files_mapping *m, bool any_device)
{
	struct stat st;

	if (fstat(look, &st) || !same_inode(look, st.st_ino, m->inode))
		return false;
	return any_device || (major(st.st_dev) == m->major && minor(st.st_dev) == m->minor) ||
	       hides_device(look);
}

/* A number can have been given to a new file: the generation tells them apart (ext4, xfs, btrfs,
 * f2fs). */
static bool same_generation(int fd, const struct files_mapping *m)
{
	long generation = 0;

	if (!m->has_generation || !m->generation || ioctl(fd, FS_IOC_GETVERSION, &generation))
		return true;
	return (u32)generation == (u32)m->generation;
}

static int look_by_map_files(int process, const struct files_mapping *m)
{
	char path[64];
	int look;

	if (process < 0 || m->start >= m->end)
		return -ENOENT;
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)m->start,
		 (unsigned long long)m->end);
	look = openat(process, path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return -errno;
	if (is_mapped_file(look, m, true))
		return look;
	close(look);
	return -ENOENT;
}

static int look_by_path(int root, const struct files_mapping *m)
{
	int look = look_in_root(root, m->path);

	if (look < 0 || is_mapped_file(look, m, false))
		return look;
	close(look);
	return -ENOENT;
}

static int look_in_other_roots(struct roots *roots, const struct files_mapping *m)
{
	int fds[NR_ROOTS + 1];
	size_t nr = roots_all(roots, fds);
	int look = -ENOENT;

	for (size_t i = 0; i < nr; i++) {
		if (look < 0)
			look = look_by_path(fds[i], m);
		close(fds[i]);
	}
	return look;
}

static int look(struct roots *roots, const struct files_mapping *m)
{
	_cleanup_close_ int process = -1, root = -1;
	char path[32];
	int found;

	snprintf(path, sizeof(path), "/proc/%u", m->pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process >= 0)
		root = roots_of(roots, process);
	found = look_by_map_files(process, m);
	if (found < 0 && root >= 0)
		found = look_by_path(root, m);
	if (found < 0)
		found = look_in_other_roots(roots, m);
	return found;
}

void open_mapped(struct roots *roots, const struct files_mapping *m, struct opened *opened)
{
	_cleanup_close_ int looked = look(roots, m), fd = -1;
	struct stat st;

	*opened = (struct opened){.state = state_of_errno(looked), .fd = -1};
	if (looked < 0)
		return;
	fd = open_looked(looked);
	opened->state = state_of_errno(fd);
	if (fd < 0)
		return;
	opened->state = FILES_GONE;
	if (fstat(fd, &st) || !same_generation(fd, m))
		return;
	opened->state = FILES_OK;
	opened->stamp = stamp_of(&st);
	opened->local = is_local(fd);
	opened->fd = steal_fd(&fd);
}
