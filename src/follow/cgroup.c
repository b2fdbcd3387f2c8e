/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Where the v2 hierarchy is mounted: alone, or beside v1 ("hybrid"). */
static char *cgroup2_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *found = NULL;

	if (!mounts)
		return NULL;
	while (!found && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			found = xstrdup(entry->mnt_dir);
	endmntent(mounts);
	return found;
}

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (u32)fs.f_type == CGROUP2_SUPER_MAGIC;
}

static u32 depth(const char *path)
{
	u32 nr = 0;

	for (; *path; path++)
		if (*path == '/' && path[1] && path[1] != '/')
			nr++;
	return nr;
}

int cgroup_find(const char *name, u64 *id, u32 *level, struct error *error)
{
	_cleanup_free_ char *mount = cgroup2_mount();
	_cleanup_free_ char *path = NULL, *real = NULL;
	struct stat st;

	if (!mount)
		return fail(error, -ENOENT,
			    "cannot filter by cgroup %s: no cgroup v2 hierarchy is mounted here",
			    name);
	path = *name == '/' && is_cgroup2(name) ? xstrdup(name) : format("%s/%s", mount, name);
	real = realpath(path, NULL);
	if (!real || stat(real, &st) || !S_ISDIR(st.st_mode))
		return fail(
			error, -ENOENT,
			"no such cgroup: %s (looked for %s). `ls %s` shows those that there are.",
			name, path, mount);
	if (!is_cgroup2(real) || strncmp(real, mount, strlen(mount)))
		return fail(error, -ENOENT,
			    "%s is not a cgroup of the v2 hierarchy, which is mounted on %s", name,
			    mount);
	*id = st.st_ino;
	*level = depth(real + strlen(mount));
	return 0;
}

/* The kernel's handle of a cgroup is its id (fs/kernfs/mount.c, FILEID_KERNFS since 5.5). */
enum { FILEID_KERNFS = 0xfe };

char *cgroup_path(u64 id)
{
	_cleanup_free_ char *mount = cgroup2_mount();
	_cleanup_close_ int mount_fd = mount ? open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_cleanup_close_ int fd = -1;
	struct {
		struct file_handle handle;
		u64 id;
	} by_id = {.handle = {.handle_bytes = sizeof(u64), .handle_type = FILEID_KERNFS}, .id = id};
	char link[64], target[PATH_MAX];
	ssize_t size;

	if (mount_fd < 0)
		return NULL;
	fd = open_by_handle_at(mount_fd, &by_id.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, target, sizeof(target) - 1);
	if (size < (ssize_t)strlen(mount))
		return NULL;
	target[size] = '\0';
	return xstrdup(target[strlen(mount)] ? target + strlen(mount) : "/");
}
