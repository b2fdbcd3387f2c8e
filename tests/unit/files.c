/* SPDX-License-Identifier: GPL-2.0-or-later */
/* needs-root: other users' processes, mount namespaces, map_files. */
#include "files.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "fixture.h"
#include "files/elf.h"

/* What answers does so in less, however busy the host is; what does not is waited for as long as SILENT_MS. */
enum { TIMEOUT_MS = 30000, SILENT_MS = 3000 };

static const char program[] = "int alpha(int x) { return x * 3; }\n"
			      "int main(void) { return alpha(1); }\n";

/* The offset of alpha() in a file that was compiled from `program`. */
static u64 alpha_in(const char *path)
{
	_cleanup_free_ char *command = format("nm %s | grep ' alpha'", path);
	FILE *nm = popen(command, "r");
	struct bytes bytes;
	unsigned long address = 0;
	struct elf elf;
	u64 offset = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK_EQ(fscanf(nm, "%lx", &address), 1);
	pclose(nm);
	CHECK_EQ(bytes_of_file(&bytes, fd), 0);
	CHECK_EQ(elf_init(&elf, bytes), 0);
	vec_for_each (&elf.segments, s)
		if (s->p_type == PT_LOAD && address - s->p_vaddr < s->p_filesz)
			offset = address - s->p_vaddr + s->p_offset;
	elf_release(&elf);
	close(fd);
	return offset;
}

static void expect(struct files *files, file_ref file, u64 address, enum files_state state,
		   const char *name)
{
	struct files_symbols *reply = files_symbols(files, file, &address, 1, TIMEOUT_MS);

	CHECK_EQ(reply->state, state);
	if (name)
		CHECK_STR(reply->at[0].name, name);
	else
		CHECK(!reply->at[0].name);
	files_symbols_free(reply);
}

static void the_same_file_has_the_same_token(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program")), n = m;
	file_ref ref = files_open(files, &m);

	CHECK(ref != 0);
	CHECK_EQ(files_open(files, &m), ref);
	n.generation = 77, n.has_generation = true;
	CHECK_EQ(files_open(files, &n), ref);
	n.generation = 78;
	CHECK(files_open(files, &n) != ref);
	expect(files, ref, alpha_in(m.path), FILES_OK, "alpha");
	expect(files, ref, 0, FILES_OK, NULL);
	files_free(files);
}

static void what_is_no_file_has_no_token(void)
{
	struct files *files = files_new();

	CHECK_EQ(files_open(files, &(struct files_mapping){.path = "[heap]"}), 0);
	CHECK_EQ(files_open(files, &(struct files_mapping){.path = "//anon", .inode = 0}), 0);
	expect(files, 0, 1, FILES_GONE, NULL);
	files_free(files);
}

/* Like a compiler that writes over its output. */
static void a_changed_file_is_another(void)
{
	struct files *files = files_new();
	const char *path = in_fixture("changing");
	struct files_mapping m;
	file_ref first, second;
	u64 offset;

	CHECK(compile("changing", "", program));
	offset = alpha_in(path);
	m = mapping_of(path);
	first = files_open(files, &m);
	expect(files, first, offset, FILES_OK, "alpha");
	CHECK_EQ(run_command("sed s/alpha/gamma/ %s > %s.new && cat %s.new > %s", path, path, path,
			     path),
		 0);
	second = files_open(files, &m);
	CHECK(second != first);
	expect(files, first, offset, FILES_GONE, NULL);
	expect(files, second, offset, FILES_OK, "gamma");
	/* Also when nobody announced it again. */
	CHECK_EQ(truncate(path, 100), 0);
	expect(files, second, offset, FILES_GONE, NULL);
	files_free(files);
}

/* Somebody else has noticed. */
static void a_changed_file_can_be_announced_again(void)
{
	struct files *files = files_new();
	const char *path = in_fixture("changing");
	struct files_mapping m;
	file_ref first, second;
	u64 offset;

	CHECK(compile("changing", "", program));
	offset = alpha_in(path);
	m = mapping_of(path);
	first = files_open(files, &m);
	expect(files, first, offset, FILES_OK, "alpha");
	CHECK_EQ(files_open_again(files, first, m.pid, m.start, m.end), 0); /* it has not changed */
	CHECK_EQ(run_command("sed s/alpha/gamma/ %s > %s.new && cat %s.new > %s", path, path, path,
			     path),
		 0);
	second = files_open_again(files, first, m.pid, m.start, m.end);
	CHECK(second && second != first);
	expect(files, first, offset, FILES_GONE, NULL);
	expect(files, second, offset, FILES_OK, "gamma");
	CHECK_EQ(files_open_again(files, first, m.pid, m.start, m.end), second);
	CHECK_EQ(files_open(files, &m), second);
	files_free(files);
}

static void announcements_of_a_changing_file_are_bounded(void)
{
	enum { ENOUGH = 40 };
	struct files *files = files_new();
	const char *path = in_fixture("changing");
	struct files_mapping m;
	file_ref ref;
	int nr = 0;

	CHECK(compile("changing", "", program));
	m = mapping_of(path);
	ref = files_open(files, &m);
	for (; ref && nr < ENOUGH; nr++) {
		expect(files, ref, 0, FILES_OK, NULL);
		CHECK_EQ(run_command("printf x >> %s", path), 0);
		ref = files_open_again(files, ref, m.pid, m.start, m.end);
	}
	CHECK(nr > 4 && nr < ENOUGH);
	files_free(files);
}

static const struct unwind_table *wait_for_table(struct files *files, file_ref file)
{
	const struct unwind_table *table = NULL;
	bool pending = true;

	for (int i = 0; i < TIMEOUT_MS && pending; i++) {
		pending = false;
		table = files_unwind_table(files, file, &pending);
		usleep(1000);
	}
	return table;
}

static void tables_are_freed_and_made_again(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program"));
	file_ref ref = files_open(files, &m);
	u64 start, offset = alpha_in(m.path);
	bool pending = false;

	CHECK(wait_for_table(files, ref));
	CHECK(files_tables(files).bytes > 0);
	files_trim_tables(files); /* without a bound */
	files_limit_tables(files, 1, 0);
	files_trim_tables(files); /* it has come since the last time */
	CHECK_EQ(files_tables(files).nr_evicted, 0);
	files_trim_tables(files);
	CHECK_EQ(files_tables(files).nr_evicted, 1);
	CHECK_EQ(files_tables(files).bytes, 0);
	CHECK(!files_unwind_table(files, ref, &pending));
	CHECK(pending);
	CHECK_EQ(files_tables(files).nr_pending, 0); /* not at once */
	CHECK(wait_for_table(files, ref));
	files_trim_tables(files);
	files_trim_tables(files);
	CHECK_EQ(files_tables(files).nr_evicted, 2);
	CHECK(files_function_start(files, ref, offset + 1, &start));
	CHECK_EQ(start, offset);
	files_free(files);
}

static void a_file_above_the_bound_has_no_table(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program"));
	file_ref ref = files_open(files, &m);

	files_limit_tables(files, 1 << 20, 100);
	CHECK(!wait_for_table(files, ref));
	CHECK_EQ(files_tables(files).bytes, 0);
	files_free(files);
}

static void a_file_is_kept_when_it_is_deleted(void)
{
	struct files *files = files_new();
	const char *path = in_fixture("deleted");
	struct files_mapping m;
	file_ref ref;
	u64 offset;

	CHECK(compile("deleted", "", program));
	offset = alpha_in(path);
	m = mapping_of(path);
	ref = files_open(files, &m);
	expect(files, ref, offset, FILES_OK, "alpha");
	CHECK_EQ(unlink(path), 0);
	expect(files, ref, offset, FILES_OK, "alpha");
	files_free(files);
}

static void a_mapped_file_is_found_after_it_was_deleted(void)
{
	struct files *files = files_new();
	_cleanup_free_ char *path = xstrdup(in_fixture("mapped"));
	_cleanup_free_ char *deleted = format("%s (deleted)", path);
	struct files_mapping m;
	u64 offset;
	void *at;
	int fd;

	CHECK(compile("mapped", "", program));
	offset = alpha_in(path);
	m = mapping_of(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	CHECK(at != MAP_FAILED);
	CHECK_EQ(unlink(path), 0);
	m.path = deleted;
	/* Replaced, too: by path it would be the wrong one. */
	write_file(path, "x", 1);
	expect(files, files_open(files, &m), offset, FILES_GONE, NULL);
	m.start = (u64)at;
	m.end = m.start + 4096;
	expect(files, files_open(files, &m), offset, FILES_OK, "alpha");
	munmap(at, 4096);
	files_free(files);
}

/* The process is gone, the file is still there. */
static void a_gone_process_needs_only_the_path(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program"));

	m.pid = 0x3fffffff;
	expect(files, files_open(files, &m), alpha_in(m.path), FILES_OK, "alpha");
	m.path = "/nonexistent", m.inode++;
	expect(files, files_open(files, &m), 1, FILES_GONE, NULL);
	files_free(files);
}

static void only_regular_elf_files_are_read(void)
{
	struct files *files = files_new();
	static const struct {
		const char *make;
		enum files_state state;
	} cases[] = {
		{"mkfifo %s", FILES_REFUSED},	   {"mkdir %s", FILES_REFUSED},
		{"mknod %s c 1 5", FILES_REFUSED}, {"echo hello > %s", FILES_BAD},
		{"touch %s", FILES_BAD},	   {"head -c 1000 /bin/true > %s", FILES_BAD},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = format("%s/kind%zu", fixture_directory, i);
		struct files_mapping m;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		CHECK_EQ(run_command(cases[i].make, path), 0);
#pragma GCC diagnostic pop
		m = mapping_of(path);
		expect(files, files_open(files, &m), 1, cases[i].state, NULL);
	}
	files_free(files);
}

/* stat() said one file, the path leads to another. */
static void a_symlink_is_not_followed(void)
{
	struct files *files = files_new();
	const char *link = in_fixture("link");
	struct files_mapping m;

	CHECK_EQ(symlink(in_fixture("program"), link), 0);
	m = mapping_of(link);
	expect(files, files_open(files, &m), alpha_in(in_fixture("program")), FILES_GONE, NULL);
	files_free(files);
}

/* Runs f() in a child that waits to be killed afterwards. Returns its pid when f() is through. */
static pid_t child(void (*f)(void *arg), void *arg)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		f(arg);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &c, 1), 0);
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* In a chroot, whose root is no mount point, whoever made it has seen to privacy. */
static int have_own_mounts(void)
{
	if (unshare(CLONE_NEWNS))
		return -1;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && errno != EINVAL ? -1 : 0;
}

/* A file system of its own at `directory`, with another program at the same path. */
static void enter_container(void *directory)
{
	if (have_own_mounts() ||
	    run_command("cp %s/program /tmp/wick-test-inner", fixture_directory) ||
	    mount("none", directory, "tmpfs", 0, NULL) ||
	    run_command("mv /tmp/wick-test-inner %s/program", (char *)directory))
		_exit(1);
}

static void containers_have_their_own_paths(void)
{
	struct files *files = files_new();
	_cleanup_free_ char *path = format("%s/container/program", fixture_directory);
	_cleanup_free_ char *directory = format("%s/container", fixture_directory);
	_cleanup_free_ char *outside = format("/proc/%d/root%s", 0, path);
	struct files_mapping m, gone;
	pid_t pid;

	CHECK_EQ(mkdir(directory, 0755), 0);
	write_file(path, "another file", 12);
	pid = child(enter_container, directory);
	free(outside);
	outside = format("/proc/%d/root%s", pid, path);
	m = mapping_of(outside);
	m.pid = (u32)pid;
	m.path = path;
	expect(files, files_open(files, &m), alpha_in(outside), FILES_OK, "alpha");
	/* Another file of that container, whose process is gone: by way of the first one's root. */
	CHECK_EQ(run_command("cp %s %s2", outside, outside), 0);
	{
		_cleanup_free_ char *path2 = format("%s2", path);
		_cleanup_free_ char *outside2 = format("%s2", outside);

		gone = mapping_of(outside2);
		gone.pid = 0x3fffffff;
		gone.path = path2;
		expect(files, files_open(files, &gone), alpha_in(outside2), FILES_OK, "alpha");
	}
	end_child(pid);
	expect(files, files_open(files, &m), 0, FILES_OK, NULL);
	files_free(files);
}

static void many_files_do_not_run_out_of_descriptors(void)
{
	struct rlimit low = {60, 60};
	u64 offset = alpha_in(in_fixture("program"));
	file_ref refs[200];
	struct files *files;

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
	files = files_new();
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		_cleanup_free_ char *path = format("%s/many%zu", fixture_directory, i);
		struct files_mapping m;

		CHECK_EQ(run_command("cp %s %s", in_fixture("program"), path), 0);
		m = mapping_of(path);
		refs[i] = files_open(files, &m);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++)
		expect(files, refs[i], offset, FILES_OK, "alpha");
	files_free(files);
}

static void announcing_a_known_file_is_cheap(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program"));
	u64 begin;

	expect(files, files_open(files, &m), 0, FILES_OK, NULL);
	begin = monotonic_ns();
	for (int i = 0; i < 100000; i++)
		files_open(files, &m);
	/* A helper that is asked takes a hundred times as long. */
	CHECK(monotonic_ns() - begin < 2 * NSEC_PER_SEC);
	files_free(files);
}

static enum files_state state_of(struct files *files, file_ref file)
{
	struct files_symbols *reply = files_symbols(files, file, (u64[]){1}, 1, SILENT_MS);
	enum files_state state = reply->state;

	CHECK(!reply->at[0].name);
	files_symbols_free(reply);
	return state;
}

/* A file system whose server never answers anything. */
static int mount_dead_server(const char *directory)
{
	_cleanup_free_ char *options = NULL;
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	options = format("fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mkdir(directory, 0755) || mount("dead", directory, "fuse", 0, options)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void a_dead_server_costs_only_its_own_files(void)
{
	_cleanup_free_ char *directory = format("%s/dead", fixture_directory);
	struct files_mapping live = mapping_of(in_fixture("program"));
	u64 offset = alpha_in(live.path), begin;
	int fd = mount_dead_server(directory);
	struct files *files = files_new();
	file_ref refs[50], ref;
	size_t nr_silent = 0;

	if (fd < 0) {
		printf("skip a_dead_server_costs_only_its_own_files: no FUSE here\n");
		files_free(files);
		return;
	}
	begin = monotonic_ns();
	for (u32 i = 0; i < ARRAY_SIZE(refs); i++) {
		_cleanup_free_ char *path = format("%s/file%u", directory, i);
		struct files_mapping m = {.pid = (u32)getpid(),
					  .path = path,
					  .major = 0,
					  .minor = 4242,
					  .inode = i + 1};

		refs[i] = files_open(files, &m);
		CHECK(refs[i] != 0);
	}
	CHECK(monotonic_ns() - begin < 2 * NSEC_PER_SEC);
	ref = files_open(files, &live);
	for (u32 i = 0; i < ARRAY_SIZE(refs); i++) {
		enum files_state state = state_of(files, refs[i]);

		/* On a busy host a helper may not have come as far as the server. */
		CHECK(state == FILES_TIMED_OUT || state == FILES_TOO_LONG);
		nr_silent += state == FILES_TIMED_OUT;
	}
	CHECK(nr_silent >= ARRAY_SIZE(refs) / 2);
	expect(files, ref, offset, FILES_OK, "alpha");
	/* One after the other, they took more than two minutes. */
	CHECK(monotonic_ns() - begin < 60 * NSEC_PER_SEC);
	begin = monotonic_ns();
	files_free(files);
	CHECK(monotonic_ns() - begin < 20 * NSEC_PER_SEC);
	close(fd);
	umount2(directory, MNT_DETACH);
	usleep(100000); /* the threads that were left come back */
}

/* Perf maps. */

struct user {
	uid_t uid;
};

static void become(void *arg)
{
	const struct user *user = arg;

	if (user->uid && (setgid(user->uid) || setuid(user->uid)))
		_exit(1);
}

static void expect_map(const char *make, uid_t uid, enum files_state state, const char *name)
{
	struct files *files = files_new();
	struct user user = {uid};
	pid_t pid = child(become, &user);
	_cleanup_free_ char *path = format("/tmp/perf-%d.map", pid);
	_cleanup_free_ char *command = format("MAP=%s; rm -rf $MAP; %s", path, make);

	CHECK_EQ(run_command("%s", command), 0);
	expect(files, files_open_perf_map(files, (u32)pid, 0, 0), 0x1008, state, name);
	if (pid > 0)
		CHECK_EQ(run_command("rm -rf %s", path), 0);
	end_child(pid);
	files_free(files);
}

#define LINE "echo 1000 10 jitted > $MAP; "

static void a_map_must_be_trustworthy(void)
{
	expect_map(LINE, 0, FILES_OK, "jitted");
	expect_map("true", 0, FILES_NO_MAP, NULL);
	expect_map("mkfifo $MAP", 0, FILES_REFUSED, NULL);
	expect_map("mkdir $MAP", 0, FILES_REFUSED, NULL);
	expect_map("mknod $MAP c 1 5", 0, FILES_REFUSED, NULL);
	expect_map("python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).bind(os.environ"
		   "[\"MAP\"])' 2>/dev/null || mkfifo $MAP",
		   0, FILES_REFUSED, NULL);
	expect_map("echo 1000 10 secret > $MAP.x; ln -s $MAP.x $MAP", 0, FILES_REFUSED, NULL);
	expect_map("ln -s /nonexistent $MAP", 0, FILES_REFUSED, NULL);
	/* Another user's: root's own process does not believe it. */
	expect_map(LINE "chown 12345 $MAP", 0, FILES_REFUSED, NULL);
	expect_map(LINE "chown 12345 $MAP", 12345, FILES_OK, "jitted");
	expect_map(LINE "chown 12346 $MAP", 12345, FILES_REFUSED, NULL);
	expect_map(LINE "chmod 644 $MAP", 12345, FILES_OK, "jitted");
	/* A hard link to what only root may read. */
	expect_map(LINE "chmod 600 $MAP", 12345, FILES_REFUSED, NULL);
	/* A leftover of another process with this pid. */
	expect_map(LINE "touch -d '1 hour ago' $MAP", 0, FILES_NO_MAP, NULL);
	run_command("rm -f /tmp/perf-*.map.x");
}

static u64 start_of(pid_t pid)
{
	_cleanup_free_ char *path = format("/proc/%d/stat", pid);
	_cleanup_strbuf_ struct strbuf text = {};
	char *at;

	read_file(path, &text);
	at = strrchr(text.s, ')');
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	return strtoull(at, NULL, 10) * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
}

static void a_map_is_found_when_its_process_is_gone(void)
{
	struct files *files = files_new();
	struct user user = {12345};
	pid_t pid = child(become, &user);
	_cleanup_free_ char *path = format("/tmp/perf-%d.map", pid);
	static const char text[] = "1000 10 late\n";
	file_ref map = files_open_perf_map(files, (u32)pid, (u32)pid, start_of(pid));
	file_ref other = files_open_perf_map(files, (u32)pid, 0, start_of(pid) + NSEC_PER_SEC);
	file_ref gone;

	expect(files, map, 0x1000, FILES_NO_MAP, NULL);
	expect(files, other, 0x1000, FILES_GONE, NULL);
	end_child(pid);
	gone = files_open_perf_map(files, (u32)pid, (u32)pid, 0);
	write_file(path, text, strlen(text));
	CHECK_EQ(chown(path, 12345, 12345), 0);
	files_exiting(files, map);
	expect(files, map, 0x1000, FILES_OK, "late");
	expect(files, gone, 0x1000, FILES_GONE, NULL);
	/* Held open: it may be deleted now, and grow. */
	CHECK_EQ(run_command("echo 2000 10 later >> %s; rm %s", path, path), 0);
	expect(files, map, 0x2001, FILES_OK, "later");
	files_free(files);
}

static void enter_own_tmp(void *arg)
{
	(void)arg;
	if (have_own_mounts() || mount("none", "/tmp", "tmpfs", 0, NULL))
		_exit(1);
	write_file("/tmp/perf-7.map", "1000 10 inner\n", 14);
}

static void a_map_lies_in_the_processs_own_tmp(void)
{
	struct files *files = files_new();
	pid_t pid = child(enter_own_tmp, NULL);
	file_ref map = files_open_perf_map(files, (u32)pid, 7, 0);

	expect(files, map, 0x1000, FILES_OK, "inner");
	end_child(pid);
	expect(files, map, 0x1000, FILES_OK, "inner");
	files_free(files);
}

static void requests_work_side_by_side(void)
{
	struct files *files = files_new();
	struct files_mapping m = mapping_of(in_fixture("program"));
	u64 offset = alpha_in(m.path);
	struct files_request *requests[100];

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		requests[i] = files_ask(files, i % 2 ? files_open(files, &m) : files_vdso(files),
					&offset, 1, TIMEOUT_MS);
	for (size_t i = ARRAY_SIZE(requests); i-- > 0;) {
		struct files_symbols *reply = files_answer(files, requests[i]);

		if (i % 2)
			CHECK_STR(reply->at[0].name, "alpha");
		files_symbols_free(reply);
	}
	files_free(files);
}

static void freeing_abandons_what_is_under_way(void)
{
	for (int i = 0; i < 20; i++) {
		struct files *files = files_new();

		for (int k = 0; k < 50; k++) {
			struct files_mapping m = mapping_of(in_fixture("program"));

			m.inode += (u64)k;
			files_open(files, &m);
			files_exiting(files, files_open_perf_map(files, 1, 0, 0));
		}
		files_free(files);
	}
}

static void every_state_has_a_reason(void)
{
	for (enum files_state state = FILES_PENDING; state < NR_FILES_STATES; state++)
		CHECK((*files_why(state) == '\0') == (state == FILES_OK));
}

int main(void)
{
	fixture_begin();
	CHECK(compile("program", "", program));
	RUN(the_same_file_has_the_same_token);
	RUN(what_is_no_file_has_no_token);
	RUN(a_changed_file_is_another);
	RUN(a_changed_file_can_be_announced_again);
	RUN(announcements_of_a_changing_file_are_bounded);
	RUN(tables_are_freed_and_made_again);
	RUN(a_file_above_the_bound_has_no_table);
	RUN(a_file_is_kept_when_it_is_deleted);
	RUN(a_mapped_file_is_found_after_it_was_deleted);
	RUN(a_gone_process_needs_only_the_path);
	RUN(only_regular_elf_files_are_read);
	RUN(a_symlink_is_not_followed);
	RUN(containers_have_their_own_paths);
	RUN(announcing_a_known_file_is_cheap);
	RUN(a_dead_server_costs_only_its_own_files);
	RUN(a_map_must_be_trustworthy);
	RUN(a_map_is_found_when_its_process_is_gone);
	RUN(a_map_lies_in_the_processs_own_tmp);
	RUN(requests_work_side_by_side);
	RUN(freeing_abandons_what_is_under_way);
	RUN(every_state_has_a_reason);
	/* The last: a limit that was lowered stays so. */
	RUN(many_files_do_not_run_out_of_descriptors);
	fixture_end();
	return test_status();
}
