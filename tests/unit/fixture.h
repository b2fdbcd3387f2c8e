/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture.h: a scratch directory, files in it, programs compiled into it.
 */
#ifndef WICK_FIXTURE_H
#define WICK_FIXTURE_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/strbuf.h"
#include "files.h"
#include "test.h"

static char fixture_directory[] = "/tmp/wick-test-XXXXXX";

static inline void fixture_begin(void)
{
	if (!mkdtemp(fixture_directory))
		test_report("mkdtemp: %m");
}

static inline int run_command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline int run_command(const char *fmt, ...)
{
	char command[4096];
	__builtin_va_list args;

	__builtin_va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	__builtin_va_end(args);
	return system(command);
}

static inline void fixture_end(void)
{
	run_command("rm -rf %s", fixture_directory);
}

/* A path in the scratch directory; good until the next but three calls. */
static inline const char *in_fixture(const char *name)
{
	static char paths[4][256];
	static unsigned int at;
	char *path = paths[at++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", fixture_directory, name);
	return path;
}

static inline void write_file(const char *path, const void *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		test_report("%s: %m", path);
}

static inline void read_file(const char *path, struct strbuf *out)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char block[65536];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) > 0)
		strbuf_add(out, block, (size_t)n);
}

/* Compiles a C text to NAME in the scratch directory. */
static inline bool compile(const char *name, const char *flags, const char *text)
{
	_cleanup_free_ char *source = format("%s/%s.c", fixture_directory, name);

	write_file(source, text, strlen(text));
	return run_command("gcc -w -o %s/%s %s %s 2>&1", fixture_directory, name, source, flags) ==
	       0;
}

/* An anonymous file with that content. */
static inline int memory_file(const void *text, size_t size)
{
	int fd = memfd_create("wick-test", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		test_report("memfd: %m");
	return fd;
}

/* What /proc/PID/maps would say of a file that this process maps. */
static inline struct files_mapping mapping_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		test_report("%s: %m", path);
	return (struct files_mapping){
		.pid = (u32)getpid(),
		.path = path,
		.major = major(st.st_dev),
		.minor = minor(st.st_dev),
		.inode = st.st_ino,
	};
}

#endif
