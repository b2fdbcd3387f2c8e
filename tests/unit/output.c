/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "cmd/output.h"
#include "cmd/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Each case has an empty directory that it is in. */
struct scratch {
	char path[32];
};

static void scratch_release(struct scratch *s)
{
	_cleanup_free_ char *command = format("rm -rf %s", s->path);

	CHECK_EQ(chdir("/"), 0);
	CHECK_EQ(system(command), 0);
}

#define _cleanup_scratch_ _cleanup_(scratch_release)

static struct scratch scratch_new(void)
{
	struct scratch s = {"/tmp/wick-output-XXXXXX"};

	CHECK(mkdtemp(s.path) != NULL);
	CHECK_EQ(chdir(s.path), 0);
	return s;
}

static size_t nr_files(void)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	size_t nr = 0;

	while ((entry = readdir(directory)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(directory);
	return nr;
}

static char *contents(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = xcalloc(1, 100);

	if (file && fread(text, 1, 99, file)) {
	}
	if (file)
		fclose(file);
	return text;
}

static void check_contents(const char *path, const char *want)
{
	_cleanup_free_ char *got = contents(path);

	CHECK_STR(got, want);
}

static int write_text(const char *path, enum output_mode mode, const char *text,
		      struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	int err = output_open(&out, path, mode, error);

	if (err)
		return err;
	fputs(text, out.stream);
	return output_commit(&out, error);
}

static void a_file_appears_at_the_commit(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	struct error error;

	CHECK_EQ(output_open(&out, "x", OUTPUT_REPLACE, &error), 0);
	fputs("text", out.stream);
	fflush(out.stream);
	CHECK(access("x", F_OK));
	CHECK_EQ(output_commit(&out, &error), 0);
	check_contents("x", "text");
	CHECK_EQ(nr_files(), 1);
}

static void what_is_not_committed_never_was(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct output out = OUTPUT_CLOSED;
	struct error error;

	CHECK_EQ(write_text("x", OUTPUT_REPLACE, "old", &error), 0);
	CHECK_EQ(output_open(&out, "x", OUTPUT_REPLACE, &error), 0);
	fputs("new", out.stream);
	output_release(&out);
	check_contents("x", "old");
	CHECK_EQ(nr_files(), 1);
}

static void only_a_named_file_is_replaced(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;

	CHECK_EQ(write_text("x", OUTPUT_NEW, "1", &error), 0);
	CHECK_EQ(write_text("x", OUTPUT_NEW, "2", &error), -EEXIST);
	CHECK_STR(error.text, "cannot write x: File exists");
	check_contents("x", "1");
	CHECK_EQ(write_text("x", OUTPUT_REPLACE, "3", &error), 0);
	check_contents("x", "3");
	CHECK_EQ(nr_files(), 1);
}

/* Somebody makes the file between the open and the commit. */
static void a_new_file_is_new_at_the_commit_too(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct output out = OUTPUT_CLOSED;
	struct error error;

	CHECK_EQ(output_open(&out, "x", OUTPUT_NEW, &error), 0);
	CHECK_EQ(write_text("x", OUTPUT_NEW, "theirs", &error), 0);
	CHECK_EQ(output_commit(&out, &error), -EEXIST);
	output_release(&out);
	check_contents("x", "theirs");
	CHECK_EQ(nr_files(), 1);
}

static void a_symbolic_link_is_replaced_not_followed(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;
	struct stat st;

	CHECK_EQ(write_text("victim", OUTPUT_NEW, "precious", &error), 0);
	CHECK_EQ(symlink("victim", "x"), 0);
	CHECK_EQ(write_text("x", OUTPUT_REPLACE, "new", &error), 0);
	check_contents("victim", "precious");
	CHECK_EQ(lstat("x", &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_EQ(symlink("victim", "y"), 0);
	CHECK_EQ(write_text("y", OUTPUT_NEW, "new", &error), -EEXIST);
}

static void errors_name_the_path(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	static const struct {
		const char *path;
		int err;
		const char *text;
	} cases[] = {
		{"no/such/x", -ENOENT, "cannot write no/such/x: No such file or directory"},
		{"d", -EISDIR, "cannot write d: Is a directory"},
		{"d/", -EISDIR, "cannot write 'd/': no file's name"},
		{"", -EISDIR, "cannot write '': no file's name"},
		{"/dev/full", -ENOSPC, "cannot write /dev/full: No space left on device"},
		{"/dev/fd/999", -EBADF, "cannot write /dev/fd/999: Bad file descriptor"},
	};

	CHECK_EQ(mkdir("d", 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error error;

		CHECK_EQ(write_text(cases[i].path, OUTPUT_REPLACE, "x", &error), cases[i].err);
		CHECK_STR(error.text, cases[i].text);
	}
}

static void devices_are_written_directly(void)
{
	struct error error;
	struct stat st;

	CHECK_EQ(write_text("/dev/null", OUTPUT_REPLACE, "x", &error), 0);
	CHECK_EQ(stat("/dev/null", &st), 0);
	CHECK(S_ISCHR(st.st_mode));
}

static void somebody_elses_fifo_is_refused(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;

	if (geteuid())
		return;
	CHECK_EQ(mkfifo("x", 0666), 0);
	CHECK_EQ(chown("x", 12345, 12345), 0);
	CHECK_EQ(write_text("x", OUTPUT_REPLACE, "x", &error), -EPERM);
}

static void a_pipe_without_a_reader_is_an_error(void)
{
	struct error error;
	_cleanup_free_ char *path = NULL;
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	close(fds[0]);
	path = format("/dev/fd/%d", fds[1]);
	CHECK_EQ(write_text(path, OUTPUT_REPLACE, "x", &error), -EPIPE);
	close(fds[1]);
}

/* More than any buffer: the first failure counts, not the last. */
static void a_full_disk_is_an_error_and_leaves_nothing(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	struct error error;

	CHECK_EQ(mkdir("small", 0755), 0);
	if (geteuid() || mount("none", "small", "tmpfs", 0, "size=64k"))
		return;
	CHECK_EQ(output_open(&out, "small/x", OUTPUT_REPLACE, &error), 0);
	for (int i = 0; i < 100000; i++)
		fputs("0123456789", out.stream);
	CHECK_EQ(output_commit(&out, &error), -ENOSPC);
	CHECK_STR(error.text, "cannot write small/x: No space left on device");
	output_release(&out);
	CHECK_EQ(chdir("small"), 0);
	CHECK_EQ(nr_files(), 0);
	CHECK_EQ(chdir(".."), 0);
	CHECK_EQ(umount("small"), 0);
}

/* `*code`: what the commit has returned in a child that `prepare` has changed. */
static void write_in_child(void (*prepare)(void), size_t size, int *code)
{
	struct output out = OUTPUT_CLOSED;
	struct error error = {};
	int status;
	pid_t pid = fork();

	if (pid) {
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status));
		*code = WEXITSTATUS(status);
		return;
	}
	prepare();
	if (output_open(&out, "x", OUTPUT_REPLACE, &error))
		_exit(255);
	for (size_t i = 0; i < size; i++)
		fputc('x', out.stream);
	status = -output_commit(&out, &error);
	output_release(&out);
	if (status == EFBIG && !strstr(error.text, "ulimit -f unlimited"))
		status = 255;
	_exit(status);
}

static void limit_file_size(void)
{
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
}

static void a_file_beyond_the_limit_is_an_error_and_leaves_nothing(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	int code = 0;

	write_in_child(limit_file_size, 200000, &code);
	CHECK_EQ(code, EFBIG);
	CHECK_EQ(nr_files(), 0);
	write_in_child(limit_file_size, 99999, &code);
	CHECK_EQ(code, 0);
	CHECK_EQ(nr_files(), 1);
}

static void lose_chown(void)
{
	cap_t now = cap_get_proc();
	cap_value_t number = CAP_CHOWN;

	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "4321", 1);
	cap_set_flag(now, CAP_EFFECTIVE, 1, &number, CAP_CLEAR);
	cap_set_proc(now);
	cap_free(now);
	close(STDERR_FILENO);
}

static void a_file_that_cannot_be_given_away_is_not_lost(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct stat st;
	int code = 0;

	if (geteuid())
		return;
	write_in_child(lose_chown, 10, &code);
	CHECK_EQ(code, 0);
	CHECK_EQ(stat("x", &st), 0);
	CHECK_EQ(st.st_uid, 0);
	CHECK_EQ(st.st_size, 10);
}

static void under_sudo_files_are_the_users(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;
	struct stat st;

	if (geteuid())
		return;
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "4321", 1);
	CHECK_EQ(write_text("x", OUTPUT_REPLACE, "x", &error), 0);
	CHECK_EQ(stat("x", &st), 0);
	CHECK_EQ(st.st_uid, 1234);
	CHECK_EQ(st.st_gid, 4321);
	setenv("SUDO_UID", "0x1", 1);
	CHECK_EQ(write_text("y", OUTPUT_REPLACE, "x", &error), 0);
	CHECK_EQ(stat("y", &st), 0);
	CHECK_EQ(st.st_uid, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

/* A child makes the temporary file by name, as it would without O_TMPFILE, and is then killed. */
static void die_with_a_temporary(int signal_number)
{
	int directory = open(".", O_PATH | O_DIRECTORY), slot = temporary_reserve(directory);

	if (openat(directory, temporary_name(slot), O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		_exit(1);
	raise(signal_number);
	_exit(2);
}

static void a_fatal_signal_removes_temporary_files(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		_cleanup_scratch_ struct scratch s = scratch_new();
		int status;
		pid_t pid = fork();

		if (!pid)
			die_with_a_temporary(signals[i]);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		CHECK_EQ(nr_files(), 0);
	}
}

static void handled_signals_stay_handled(void)
{
	struct sigaction action;

	signal(SIGINT, SIG_IGN);
	temporary_keep(temporary_reserve(-1));
	CHECK_EQ(sigaction(SIGINT, NULL, &action), 0);
	CHECK(action.sa_handler == SIG_IGN);
}

static void many_temporaries_are_an_error(void)
{
	int slots[100], nr = 0, slot;

	while ((slot = temporary_reserve(-1)) > 0 && nr < 100)
		slots[nr++] = slot;
	CHECK_EQ(slot, -EMFILE);
	while (nr)
		temporary_keep(slots[--nr]);
}

static void a_directory_is_made_or_used(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;
	struct stat st;

	CHECK_EQ(output_make_directory("d", OUTPUT_NEW, &error), 0);
	CHECK(!stat("d", &st) && S_ISDIR(st.st_mode));
	CHECK_EQ(output_make_directory("d", OUTPUT_REPLACE, &error), 0);
	CHECK_EQ(output_make_directory("d", OUTPUT_NEW, &error), -EEXIST);
	CHECK(strstr(error.text, "cannot make the directory d: "));
	CHECK_EQ(close(open("file", O_CREAT | O_WRONLY, 0600)), 0);
	CHECK_EQ(output_make_directory("file", OUTPUT_REPLACE, &error), -EEXIST);
	CHECK_EQ(output_make_directory("no/such", OUTPUT_REPLACE, &error), -ENOENT);
}

static void under_sudo_a_directory_is_the_users(void)
{
	_cleanup_scratch_ struct scratch s = scratch_new();
	struct error error;
	struct stat st;

	if (geteuid())
		return;
	CHECK_EQ(mkdir("theirs", 0700), 0);
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "1235", 1);
	CHECK_EQ(output_make_directory("d", OUTPUT_NEW, &error), 0);
	/* What was there before belongs to whom it belonged to. */
	CHECK_EQ(output_make_directory("theirs", OUTPUT_REPLACE, &error), 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	CHECK_EQ(stat("d", &st), 0);
	CHECK_EQ(st.st_uid, 1234);
	CHECK_EQ(st.st_gid, 1235);
	CHECK_EQ(stat("theirs", &st), 0);
	CHECK_EQ(st.st_uid, 0);
}

int main(void)
{
	RUN(a_file_appears_at_the_commit);
	RUN(what_is_not_committed_never_was);
	RUN(only_a_named_file_is_replaced);
	RUN(a_new_file_is_new_at_the_commit_too);
	RUN(a_symbolic_link_is_replaced_not_followed);
	RUN(errors_name_the_path);
	RUN(devices_are_written_directly);
	RUN(somebody_elses_fifo_is_refused);
	RUN(a_pipe_without_a_reader_is_an_error);
	RUN(a_full_disk_is_an_error_and_leaves_nothing);
	RUN(a_file_beyond_the_limit_is_an_error_and_leaves_nothing);
	RUN(a_file_that_cannot_be_given_away_is_not_lost);
	RUN(under_sudo_files_are_the_users);
	RUN(a_directory_is_made_or_used);
	RUN(under_sudo_a_directory_is_the_users);
	RUN(a_fatal_signal_removes_temporary_files);
	RUN(handled_signals_stay_handled);
	RUN(many_temporaries_are_an_error);
	return test_status();
}
