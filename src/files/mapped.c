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

/* The program itself, for those who may not use map_files. */
static int look_by_exe(int process, const struct files_mapping *m)
{
	int look = process < 0 ? -ENOENT : openat(process, "exe", O_PATH | O_CLOEXEC);

	if (look < 0 || is_mapped_file(look, m, false))
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

static int look_in_own_root(const struct files_mapping *m)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? -errno : look_by_path(root, m);
}

static int look_by_process(const struct files_mapping *m, struct opened *opened)
{
	_cleanup_close_ int process = -1;
	char path[32];
	int found;

	snprintf(path, sizeof(path), "/proc/%u", m->pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process >= 0)
		opened->root = root_open(process, &opened->identity, &opened->knows_root);
	found = look_by_map_files(process, m);
	if (found < 0 && opened->root >= 0)
		found = look_by_path(opened->root, m);
	if (found < 0)
		found = look_by_exe(process, m);
	return found;
}

/* Opened for reading too, and closed again: whether that is allowed is known from now on. */
static void check_file(const struct files_mapping *m, int looked, struct opened *opened)
{
	_cleanup_close_ int look = looked, fd = -1;
	struct stat st;

	opened->state = state_of_errno(looked);
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
	opened->owner = st.st_uid;
	opened->local = is_local(fd);
	opened->look = steal_fd(&look);
}

void open_mapped(const struct files_mapping *m, struct opened *opened)
{
	int looked;

	*opened = (struct opened){.look = -1, .root = -1};
	looked = look_by_process(m, opened);
	if (looked < 0)
		looked = look_in_own_root(m);
	check_file(m, looked, opened);
}

void open_mapped_in(const int *roots, size_t nr_roots, const struct files_mapping *m,
		    struct opened *opened)
{
	int looked = -ENOENT;

	*opened = (struct opened){.look = -1, .root = -1};
	for (size_t i = 0; i < nr_roots && looked < 0; i++)
		looked = look_by_path(roots[i], m);
	check_file(m, looked, opened);
}

void opened_release(struct opened *opened)
{
	cleanup_close(&opened->look);
	cleanup_close(&opened->root);
}
