/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map_open.c: whose file is /tmp/perf-1234.map? Everybody may write into /tmp, pids are used
 * again, and wick reads it as root. It is believed when
 *
 *   - the process is the one that was seen: everything is read below one descriptor of its
 *     /proc directory, which fails when that process is gone, even if its pid is used again, and
 *     its start time is compared;
 *   - the file belongs to the process's user, so that users can only fool themselves;
 *     or to root, and then everybody may read it (a hard link must not show what only root may
 *     read);
 *   - it was written since the process began: else it is a leftover of another one with this pid.
 */
#include "perf_map_open.h"

#include <fcntl.h>
#include <time.h>

/* Seconds that clocks and file systems may disagree. */
enum { TOLERANCE = 2 };

/* The whole of a small file of /proc. */
static int read_small(int dir, const char *name, char *to, size_t room)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, to, room - 1);
	if (n <= 0)
		return n < 0 ? -errno : -ESRCH;
	to[n] = '\0';
	return 0;
}

/* The 22nd field of stat, in clock ticks since boot; the name in the 2nd may hold anything. */
static int read_start_ticks(int process, u64 *ticks)
{
	char text[1024], *at;
	int err = read_small(process, "stat", text, sizeof(text));

	if (err)
		return err;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -EINVAL;
	*ticks = strtoull(at, NULL, 10);
	return 0;
}

static int check_start(int process, struct jit_process *p)
{
	u64 ns_per_tick = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK), ticks;
	struct timespec boot, wall;
	int err = read_start_ticks(process, &ticks);

	if (err)
		return err;
	if (p->start_ns && p->start_ns / ns_per_tick != ticks)
		return -ESRCH;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &wall);
	p->started = wall.tv_sec - boot.tv_sec + (s64)(ticks * ns_per_tick / NSEC_PER_SEC);
	return 0;
}

static int read_ids(int process, struct jit_process *p)
{
	char text[4096], *uid, *pids;
	unsigned int euid, egid;
	int err = read_small(process, "status", text, sizeof(text));

	if (err)
		return err;
	uid = strstr(text, "\nUid:");
	if (!uid || sscanf(uid, "\nUid: %*u %u %*u %*u Gid: %*u %u", &euid, &egid) != 2)
		return -EINVAL;
	p->uid = euid;
	p->gid = egid;
	pids = strstr(text, "\nNSpid:");
	if (p->inner_pid || !pids)
		return 0;
	/* From wick's namespace inwards: the last one is the innermost. */
	for (pids += strlen("\nNSpid:"); *pids == '\t';)
		p->inner_pid = (u32)strtoul(pids, &pids, 10);
	return 0;
}

/* Its directory in /proc. */
static int open_process(u32 pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

uid_t process_owner(u32 pid)
{
	_cleanup_close_ int process = open_process(pid);
	struct jit_process p = {.inner_pid = pid};

	return process < 0 || read_ids(process, &p) ? (uid_t)-1 : p.uid;
}

u32 files_inner_pid(u32 pid)
{
	_cleanup_close_ int process = open_process(pid);
	struct jit_process p = {};

	return process < 0 || read_ids(process, &p) || !p.inner_pid ? pid : p.inner_pid;
}

int jit_announce(struct jit_process *p)
{
	_cleanup_close_ int process = open_process(p->pid), root = -1;
	int err;

	if (process < 0)
		return -ESRCH;
	root = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	err = read_ids(process, p);
	if (!err)
		err = check_start(process, p);
	return err ? err : steal_fd(&root);
}

int jit_open_process(const struct jit_process *p)
{
	_cleanup_close_ int process = open_process(p->pid);
	struct jit_process same = *p;
	int err;

	if (process < 0)
		return -ESRCH;
	err = check_start(process, &same);
	return err ? err : steal_fd(&process);
}

static enum files_state check_owner(const struct jit_process *p, const struct stat *st)
{
	bool own = st->st_uid == p->uid;

	if (!S_ISREG(st->st_mode))
		return FILES_REFUSED;
	if (!own && !(st->st_uid == 0 && (st->st_mode & S_IROTH)))
		return FILES_REFUSED;
	return st->st_mtim.tv_sec + TOLERANCE < p->started ? FILES_NO_MAP : FILES_OK;
}

enum files_state jit_find(const struct jit_process *p, int root, int *found)
{
	_cleanup_close_ int look = -1, fd = -1;
	enum files_state state;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", p->inner_pid);
	look = look_in_root(root, path);
	if (look == -ENOENT || look == -ENOTDIR)
		return FILES_NO_MAP;
	if (look < 0)
		return state_of_errno(look);
	if (fstat(look, &st))
		return FILES_GONE;
	state = check_owner(p, &st);
	if (state != FILES_OK)
		return state;
	fd = open_looked(look);
	if (fd < 0)
		return state_of_errno(fd);
	*found = steal_fd(&look);
	return FILES_OK;
}
