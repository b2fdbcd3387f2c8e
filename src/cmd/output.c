/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"
#include "output.h"
#include "rights.h"
#include "temporary.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int fail_path(struct error *error, const struct output *out, int code)
{
	if (code == -EFBIG)
		return fail(error, code,
			    "cannot write %s: it is larger than the limit of file size allows; "
			    "`ulimit -f unlimited` before wick lifts that",
			    out->path);
	return fail(error, code, "cannot write %s: %s", out->path, strerror(-code));
}

/* ---- the stream ---- */

/* stdio forgets errno; this remembers the first one. */
static ssize_t write_remembering(void *cookie, const char *bytes, size_t size)
{
	struct output *out = cookie;
	size_t done = 0;

	while (done < size && !out->error) {
		ssize_t nr = write(out->fd, bytes + done, size - done);

		if (nr >= 0)
			done += (size_t)nr;
		else if (errno != EINTR)
			out->error = errno;
	}
	return out->error ? 0 : (ssize_t)size;
}

static int open_stream(struct output *out)
{
	cookie_io_functions_t functions = {.write = write_remembering};

	/* The cookie is *out: a struct output is not moved while it is open. */
	out->stream = fopencookie(out, "w", functions);
	if (!out->stream)
		out_of_memory();
	setvbuf(out->stream, NULL, _IOFBF, 1 << 16);
	return 0;
}

/* ---- what is written directly ---- */

/* N of /dev/fd/N and its like, 1 of "-"; -1 of any other path. */
static int inherited_fd(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	static const struct {
		const char *path;
		int fd;
	} names[] = {{"-", 1}, {"/dev/stdout", 1}, {"/dev/stderr", 2}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(path, names[i].path))
			return names[i].fd;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		size_t size = strlen(directories[i]);
		char *end;
		long fd;

		if (strncmp(path, directories[i], size) || !path[size])
			continue;
		fd = strtol(path + size, &end, 10);
		if (!*end && fd >= 0 && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static int open_inherited(struct output *out, int fd, struct error *error)
{
	out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (out->fd < 0)
		return fail_path(error, out, -errno);
	return open_stream(out);
}

/* A number from sudo's environment; -1 where there is none, or we are not root. */
static long sudo_id(const char *variable)
{
	const char *text = getuid() ? NULL : getenv(variable);
	char *end;
	long id;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	id = strtol(text, &end, 10);
	return errno || *end || id > INT_MAX ? -1 : id;
}

static bool is_ours(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid() || (long)st->st_uid == sudo_id("SUDO_UID");
}

/* `path_fd` (O_PATH) is the thing itself, so that what was checked is what is opened. */
static int open_special(struct output *out, int path_fd, const struct stat *st, struct error *error)
{
	_cleanup_free_ char *self = format("/proc/self/fd/%d", path_fd);

	if (S_ISDIR(st->st_mode))
		return fail_path(error, out, -EISDIR);
	if (!is_ours(st))
		return fail(error, -EPERM,
			    "cannot write %s: it is not a file, and belongs to user %u", out->path,
			    st->st_uid);
	out->fd = open(self, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (out->fd < 0)
		return fail_path(error, out, -errno);
	return open_stream(out);
}

/* ---- files ---- */

static int open_directory(struct output *out, struct error *error)
{
	_cleanup_free_ char *for_directory = xstrdup(out->path);
	_cleanup_free_ char *for_name = xstrdup(out->path);
	size_t size = strlen(out->path);

	if (!size || out->path[size - 1] == '/')
		return fail(error, -EISDIR, "cannot write '%s': no file's name", out->path);
	out->directory = open(dirname(for_directory), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (out->directory < 0)
		return fail_path(error, out, -errno);
	out->name = xstrdup(basename(for_name));
	return 0;
}

static int open_temporary(struct output *out, struct error *error)
{
	int slot;

	/* A file without a name gets one by its link there. */
	if (!access("/proc/self/fd", X_OK))
		out->fd = openat(out->directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (out->fd >= 0)
		return open_stream(out);
	/* No /proc, or a file system that has no files without names. */
	slot = temporary_reserve(out->directory);
	if (slot < 0)
		return fail_path(error, out, slot);
	out->fd = openat(out->directory, temporary_name(slot),
			 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (out->fd < 0) {
		int code = -errno;

		temporary_keep(slot);
		return fail_path(error, out, code);
	}
	out->slot = slot;
	return open_stream(out);
}

static int open_file(struct output *out, struct error *error)
{
	_cleanup_close_ int there = -1;
	struct stat st;
	int err = open_directory(out, error);

	if (err)
		return err;
	there = openat(out->directory, out->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (there >= 0 && fstat(there, &st))
		return fail_path(error, out, -errno);
	if (there >= 0 && out->mode == OUTPUT_NEW)
		return fail_path(error, out, -EEXIST);
	if (there < 0 || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return open_temporary(out, error);
	free(steal(&out->name));
	return open_special(out, there, &st, error);
}

int output_open(struct output *out, const char *path, enum output_mode mode, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	int fd = inherited_fd(path);

	*out = (struct output){.path = xstrdup(path), .directory = -1, .fd = -1, .mode = mode};
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return fd >= 0 ? open_inherited(out, fd, error) : open_file(out, error);
}

/* A FIFO would wait for its reader, so what is not a regular file is not opened here. */
static bool is_special(const char *path)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	struct stat st;

	return inherited_fd(path) >= 0 || (!lstat(path, &st) && !S_ISREG(st.st_mode) &&
					   !S_ISLNK(st.st_mode) && !S_ISDIR(st.st_mode));
}

int output_check(const char *path, struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;

	return is_special(path) ? 0 : output_open(&out, path, OUTPUT_REPLACE, error);
}

static int link_to(const struct output *out, const char *name)
{
	_cleanup_free_ char *self = format("/proc/self/fd/%d", out->fd);

	return linkat(AT_FDCWD, self, out->directory, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int rename_temporary(const struct output *out)
{
	const char *name = temporary_name(out->slot);

	return renameat(out->directory, name, out->directory, out->name) ? -errno : 0;
}

static _Noreturn void link_and_rename(const struct output *out)
{
	int err = link_to(out, temporary_name(out->slot));

	if (!err)
		err = rename_temporary(out);
	if (err)
		unlinkat(out->directory, temporary_name(out->slot), 0);
	_exit(-err);
}

/*
 * linkat() cannot replace, so between two calls the file has a temporary name. A child makes both,
 * since it goes on if this process is killed. Signals wait, or their handler would remove the name
 * before it is there.
 */
static int replace_by_child(const struct output *out)
{
	sigset_t all, before;
	int status = 0;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		link_and_rename(out);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = W_EXITCODE(errno, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int replace(struct output *out)
{
	int err, slot = temporary_reserve(out->directory);

	if (slot < 0)
		return slot;
	out->slot = slot;
	err = replace_by_child(out);
	temporary_keep(slot);
	out->slot = 0;
	return err;
}

static int move_into_place(struct output *out)
{
	int err;

	if (!out->slot) {
		err = link_to(out, out->name);
		return err == -EEXIST && out->mode == OUTPUT_REPLACE ? replace(out) : err;
	}
	/* link() fails where there is something; not every file system has RENAME_NOREPLACE. */
	if (out->mode == OUTPUT_NEW)
		return linkat(out->directory, temporary_name(out->slot), out->directory, out->name,
			      0)
			       ? -errno
			       : 0;
	err = rename_temporary(out);
	if (err)
		return err;
	temporary_keep(out->slot);
	out->slot = 0;
	return 0;
}

/* To the user who called sudo. */
static int hand_over(int fd)
{
	long uid = sudo_id("SUDO_UID"), gid = sudo_id("SUDO_GID");

	if (uid < 0 || gid < 0)
		return 0;
	return fchown(fd, (uid_t)uid, (gid_t)gid) ? -errno : 0;
}

/* A file that stays root's is no reason to lose it. */
static void say_not_handed_over(const char *path, int err)
{
	struct error error;

	fail(&error, err, "%s is written, but cannot be given to the user who called sudo: %s",
	     path, strerror(-err));
	print_error(&error);
}

/* Not a file that another process has put in the place of the one just made. */
static int hand_over_directory(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	return st.st_uid == geteuid() ? hand_over(fd) : -EPERM;
}

int output_make_directory(const char *path, enum output_mode mode, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	struct stat st;
	int err = mkdir(path, 0777) ? -errno : 0, handed = err ? 0 : hand_over_directory(path);

	if (handed)
		say_not_handed_over(path, handed);
	if (err == -EEXIST && mode == OUTPUT_REPLACE && !stat(path, &st) && S_ISDIR(st.st_mode))
		return 0;
	return err ? fail(error, err, "cannot make the directory %s: %s", path, strerror(-err)) : 0;
}

static int close_stream(struct output *out)
{
	FILE *stream = steal(&out->stream);

	if (fclose(stream) && !out->error)
		out->error = errno;
	return -out->error;
}

/* Some file systems tell only at a close that there was no room. */
static int flush_file(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 || close(copy) ? -errno : 0;
}

int output_appear(struct output *out, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	int err, handed = out->name ? hand_over(out->fd) : 0;

	if (!out->name)
		return 0;
	err = move_into_place(out);
	if (err)
		return fail_path(error, out, err);
	if (handed)
		say_not_handed_over(out->path, handed);
	free(steal(&out->name));
	return 0;
}

int output_commit(struct output *out, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	int err = close_stream(out), handed = err || !out->name ? 0 : hand_over(out->fd);

	if (!err)
		err = flush_file(out->fd);
	if (!err && out->name)
		err = move_into_place(out);
	close(steal_fd(&out->fd));
	if (err)
		return fail_path(error, out, err);
	if (handed)
		say_not_handed_over(out->path, handed);
	return 0;
}

void output_release(struct output *out)
{
	if (out->stream)
		fclose(steal(&out->stream));
	cleanup_close(&out->fd);
	temporary_remove(out->slot);
	out->slot = 0;
	cleanup_close(&out->directory);
	free(steal(&out->name));
	free(steal(&out->path));
}

int output_write(const char *path, enum output_mode mode, const struct format *format,
		 const struct drawn *drawn, const struct caption *caption, struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	int err = output_open(&out, path, mode, error);

	if (!err)
		err = format_write(format, drawn, caption, out.stream, error);
	return err ? err : output_commit(&out, error);
}
