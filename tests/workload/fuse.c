/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse DIRECTORY PROGRAM FILE: mounts a file system on DIRECTORY that has one file, `program`, with the
 * content of PROGRAM. As soon as FILE exists, it takes requests and answers none: who asked waits, and no
 * signal ends that, until this process ends.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOT = 1, PROGRAM = 2, ROOM = 1 << 20 };

struct server {
	int fuse, program;
	struct stat st;
	const char *stop;
	char in[ROOM + 4096], out[ROOM + 4096];
};

static void reply(struct server *s, const struct fuse_in_header *in, int err, const void *body,
		  size_t size)
{
	struct fuse_out_header *out = (void *)s->out;

	*out = (struct fuse_out_header){
		.len = (unsigned int)(sizeof(*out) + size), .error = err, .unique = in->unique};
	if (size && (char *)body != s->out + sizeof(*out))
		memcpy(s->out + sizeof(*out), body, size);
	if (write(s->fuse, s->out, out->len) < 0)
		perror("fuse: write");
}

/* Good for no time: each stat() is a request. */
static struct fuse_attr attributes(const struct server *s, unsigned long node)
{
	struct fuse_attr attr = {.ino = node, .mode = S_IFDIR | 0755, .nlink = 1, .blksize = 4096};

	if (node != PROGRAM)
		return attr;
	attr.mode = S_IFREG | 0755;
	attr.size = (unsigned long)s->st.st_size;
	attr.mtime = (unsigned long)s->st.st_mtime;
	return attr;
}

static void answer(struct server *s, const struct fuse_in_header *in)
{
	const void *body = in + 1;

	switch (in->opcode) {
	case FUSE_INIT: {
		const struct fuse_init_in *init = body;
		struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
					    .minor = init->minor,
					    .max_readahead = 4096,
					    .max_write = 4096};

		reply(s, in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out out = {.nodeid = PROGRAM, .attr = attributes(s, PROGRAM)};

		if (strcmp(body, "program"))
			reply(s, in, -2 /* ENOENT */, NULL, 0);
		else
			reply(s, in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {.attr = attributes(s, in->nodeid)};

		reply(s, in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: {
		struct fuse_open_out out = {};

		reply(s, in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READ: {
		const struct fuse_read_in *read_in = body;
		char *to = s->out + sizeof(struct fuse_out_header);
		size_t size = read_in->size < ROOM ? read_in->size : ROOM;
		ssize_t got = pread(s->program, to, size, (off_t)read_in->offset);

		reply(s, in, got < 0 ? -5 : 0, to, got < 0 ? 0 : (size_t)got);
		break;
	}
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	case FUSE_STATFS: {
		struct fuse_statfs_out out = {
			.st = {.bsize = 4096, .frsize = 4096, .namelen = 255}};

		reply(s, in, 0, &out, sizeof(out));
		break;
	}
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		reply(s, in, 0, NULL, 0);
		break;
	default:
		reply(s, in, -38 /* ENOSYS */, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static struct server s;
	char options[128];

	if (argc != 4)
		return 2;
	s.stop = argv[3];
	s.fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	s.program = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (s.fuse < 0 || s.program < 0 || fstat(s.program, &s.st)) {
		perror("fuse: open");
		return 1;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 s.fuse);
	if (mount("test", argv[1], "fuse", 0, options)) {
		perror("fuse: mount");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(s.fuse, s.in, sizeof(s.in)) > 0)
		if (access(s.stop, F_OK))
			answer(&s, (struct fuse_in_header *)s.in);
	return 0;
}
