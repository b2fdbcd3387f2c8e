/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "opener.h"

#include <fcntl.h>

#include "jail.h"
#include "java_attach.h"
#include "java_open.h"
#include "mapped.h"
#include "message.h"

enum { MAX_REPLY_FDS = MAX_DEBUG_FILES };
_Static_assert(MAX_REPLY_FDS >= 2, "a file and a root");

struct opening {
	struct opener_request request;
	struct received with;
	struct opener_reply reply;
	int fds[MAX_REPLY_FDS]; /* for the reply */
	size_t nr_fds;
};

static void give(struct opening *o, int fd)
{
	o->fds[o->nr_fds++] = fd;
}

static int given(const struct opening *o, size_t i)
{
	return i < o->with.nr_fds ? o->with.fds[i] : -1;
}

/* ---- finding */

static void give_opened(struct opening *o, struct opened *opened)
{
	o->reply.state = opened->state;
	o->reply.stamp = opened->stamp;
	o->reply.owner = opened->owner;
	o->reply.local = opened->local;
	o->reply.has_file = opened->look >= 0;
	o->reply.has_root = opened->knows_root;
	o->reply.root = opened->identity;
	if (opened->look >= 0)
		give(o, steal_fd(&opened->look));
	if (opened->knows_root)
		give(o, steal_fd(&opened->root));
	opened_release(opened);
}

static void open_file(struct opening *o)
{
	struct opened opened;

	if (o->with.nr_fds)
		open_mapped_in(o->with.fds, o->with.nr_fds, &o->request.mapping, &opened);
	else
		open_mapped(&o->request.mapping, &opened);
	give_opened(o, &opened);
}

static void find_map(struct opening *o, int root)
{
	int look = -1;

	o->reply.state = jit_find(&o->request.process, root, &look);
	o->reply.has_file = look >= 0;
	if (look >= 0)
		give(o, look);
}

static void open_process(struct opening *o)
{
	int root = jit_announce(&o->request.process);

	o->reply.state = FILES_GONE;
	o->reply.process = o->request.process;
	if (root < 0)
		return;
	find_map(o, root);
	o->reply.has_root = true;
	give(o, root);
}

static void open_perf_map(struct opening *o)
{
	find_map(o, given(o, 0));
}

static void open_vm(struct opening *o)
{
	int look = -1;

	o->reply.state = java_find_socket(&o->request.process, given(o, 0), &look);
	o->reply.has_file = look >= 0;
	if (look >= 0)
		give(o, look);
}

static void open_memory(struct opening *o)
{
	int look = -1;

	o->reply.state = java_find_memory(&o->request.process, &o->reply.libjvm, &look);
	o->reply.has_file = look >= 0;
	if (look >= 0)
		give(o, look);
}

static void open_any_memory(struct opening *o)
{
	_cleanup_close_ int process = jit_open_process(&o->request.process);
	int look = process < 0 ? -1 : openat(process, "mem", O_PATH | O_CLOEXEC);

	o->reply.state = look < 0 ? FILES_GONE : FILES_OK;
	o->reply.has_file = look >= 0;
	if (look >= 0)
		give(o, look);
}

static void open_debug(struct opening *o)
{
	const struct debug_link *link = &o->request.link;
	_cleanup_close_ int own = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int found;

	o->reply.state = FILES_OK;
	if (!debug_link_is_sane(link) || !o->with.nr_fds)
		return;
	found = link->shared ? shared_file_open(link, DEBUG_ROOT)
			     : debugfile_open(link, DEBUG_ROOT);
	if (found >= 0)
		give(o, found);
	if (link->shared)
		return;
	o->nr_fds += debugfiles_beside(link, own, o->request.mapping.path, given(o, 0),
				       o->fds + o->nr_fds, MAX_DEBUG_FILES - o->nr_fds);
	for (size_t i = 1; i < o->with.nr_fds; i++)
		o->nr_fds += debugfiles_beside(link, o->with.fds[i], o->request.mapping.path,
					       given(o, 0), o->fds + o->nr_fds,
					       MAX_DEBUG_FILES - o->nr_fds);
}

/* By a link in its directory. */
static void find_called(struct opening *o)
{
	const char *path = o->request.mapping.path, *slash = strrchr(path, '/');
	const char *name = o->request.link.name;
	_cleanup_free_ char *other = NULL;
	struct stat own, st;

	o->reply.state = FILES_GONE;
	if (!slash || !*name || !debug_link_is_sane(&o->request.link) || fstat(given(o, 0), &own))
		return;
	other = format("%.*s/%s", (int)(slash - path), path, name);
	for (size_t i = 1; i < o->with.nr_fds; i++) {
		_cleanup_close_ int look = look_through_in_root(o->with.fds[i], other);

		if (look >= 0 && !fstat(look, &st) && st.st_dev == own.st_dev &&
		    st.st_ino == own.st_ino)
			o->reply.state = FILES_OK;
	}
}

static void stamp_file(struct opening *o)
{
	struct stat st;

	o->reply.state = FILES_GONE;
	if (fstat(given(o, 0), &st))
		return;
	o->reply.state = FILES_OK;
	o->reply.stamp = stamp_of(&st);
}

/* ---- reading */

static void read_code(struct opening *o)
{
	_cleanup_close_ int fd = open_looked(given(o, 0));
	ssize_t size;

	o->reply.state = state_of_errno(fd);
	if (fd < 0)
		return;
	size = pread(fd, o->reply.code, CODE_PIECE, (off_t)o->request.offset);
	o->reply.state = size < 0 ? FILES_GONE : FILES_OK;
	o->reply.size = size < 0 ? 0 : (u64)size;
}

/* The kernel's own text; in it, what a process's user chose is escaped. */
static void read_maps(struct opening *o)
{
	_cleanup_free_ char *path = format("/proc/%u/maps", o->request.mapping.pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	ssize_t size = -1;

	o->reply.state = FILES_GONE;
	while (fd >= 0 && o->reply.size < MAX_MAPS_BYTES &&
	       (size = read(fd, chunk, sizeof(chunk))) > 0) {
		if (write_whole(given(o, 0), chunk, (size_t)size))
			return;
		o->reply.size += (u64)size;
	}
	if (size >= 0)
		o->reply.state = FILES_OK;
}

/* ---- for a parser */

/* The file is what it was, and the parser gets it. */
static enum files_state check_stamp(const struct opening *o, int fd)
{
	struct stat st;

	if (o->request.stamp.size && (fstat(fd, &st) || !stamp_is(&o->request.stamp, &st)))
		return FILES_GONE;
	return FILES_OK;
}

/*
 * What was looked at, opened for reading: the file, and debug files as far as they can be. Returns
 * how many debug files, or -1 with the reply's state set.
 */
static int open_all(struct opening *o, size_t first, int *fds)
{
	int nr = 0;

	fds[0] = open_looked(given(o, first));
	o->reply.state = fds[0] < 0 ? state_of_errno(fds[0]) : check_stamp(o, fds[0]);
	if (o->reply.state != FILES_OK) {
		cleanup_close(&fds[0]);
		return -1;
	}
	for (size_t i = first + 1; i < o->with.nr_fds && nr < MAX_DEBUG_FILES; i++) {
		int fd = open_looked(o->with.fds[i]);

		if (fd >= 0)
			fds[1 + nr++] = fd;
	}
	return nr;
}

static void open_for_parser(struct opening *o)
{
	struct parser_request *parse = &o->request.parse;
	size_t nr = parse->task == PARSE_TABLE ? 1 : 2; /* the answer, and the addresses */
	int fds[2 + 1 + MAX_DEBUG_FILES], nr_debug;

	if (o->with.nr_fds < 1 + nr + 1)
		return;
	memcpy(fds, o->with.fds + 1, nr * sizeof(*fds));
	nr_debug = open_all(o, 1 + nr, fds + nr);
	if (nr_debug < 0)
		return;
	parse->nr_debug_files = (u32)nr_debug;
	nr += 1 + (size_t)nr_debug;
	if (message_send(o->with.fds[0],
			 &(struct message){
				 .head = parse, .size = sizeof(*parse), .fds = fds, .nr_fds = nr},
			 UINT64_MAX))
		o->reply.state = FILES_CRASHED;
	/* Closing may have to wait, and has to be over when this is answered. */
	for (size_t i = nr - 1 - (size_t)nr_debug; i < nr; i++)
		close(fds[i]);
}

/* ---- all */

static void (*const tasks[NR_OPENER_TASKS])(struct opening *o) = {
	[OPEN_MAPPED] = open_file,	 [OPEN_PROCESS] = open_process,
	[OPEN_PERF_MAP] = open_perf_map, [OPEN_DEBUG] = open_debug,
	[OPEN_STAMP] = stamp_file,	 [OPEN_CODE] = read_code,
	[OPEN_MAPS] = read_maps,	 [OPEN_FOR_PARSER] = open_for_parser,
	[OPEN_CALLED] = find_called,	 [OPEN_VM] = open_vm,
	[OPEN_MEMORY] = open_memory,	 [OPEN_ANY_MEMORY] = open_any_memory,
};

static int answer(int socket, struct opening *o)
{
	struct message message = {.head = &o->reply, .size = sizeof(o->reply), .fds = o->fds};

	o->reply.number = o->request.number;
	o->reply.state = FILES_GONE;
	o->request.mapping.path = o->with.path;
	if (o->request.task < NR_OPENER_TASKS)
		tasks[o->request.task](o);
	received_close(&o->with);
	message.nr_fds = o->nr_fds;
	return message_send(socket, &message, UINT64_MAX);
}

void opener_run(int socket)
{
	char *path = xcalloc(1, MESSAGE_MAX_PATH);
	int err;

	jail_opener();
	do {
		struct opening o = {.with.path = path};

		err = message_receive(socket, &o.request, sizeof(o.request), MESSAGE_MAX_FDS,
				      &o.with, UINT64_MAX);
		if (!err)
			err = answer(socket, &o);
		for (size_t i = 0; i < o.nr_fds; i++)
			close(o.fds[i]);
	} while (!err);
	free(path);
}
