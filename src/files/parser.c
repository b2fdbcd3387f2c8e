/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser.h"

#include <malloc.h>

#include "answer.h"
#include "elf_lines.h"
#include "elf_names.h"
#include "elf_sources.h"
#include "jail.h"
#include "java_frames.h"
#include "java_layout.h"
#include "java_vm.h"
#include "jitdump.h"
#include "message.h"
#include "perfmap.h"
#include "python_stacks.h"
#include "unwinder.h"
#include "vdso.h"

struct parsing {
	struct parser_request request;
	struct received with;
	struct parser_reply reply;
	struct bytes vdso;
};

/* fds: the answer, the addresses, the file, debug files. */
static int file_of(const struct parsing *p)
{
	size_t at = p->request.task == PARSE_TABLE ? 1 : 2;

	return at < p->with.nr_fds ? p->with.fds[at] : -1;
}

static int open_bytes(const struct parsing *p, struct bytes *bytes)
{
	if (!p->request.vdso)
		return bytes_of_file(bytes, file_of(p));
	*bytes = p->vdso;
	return bytes->size ? 0 : -ENOENT;
}

static struct files_symbols *read_addresses(const struct parsing *p)
{
	size_t size = (size_t)p->request.nr_addresses * sizeof(u64);
	_cleanup_free_ u64 *addresses = xcalloc(1, size);
	struct bytes bytes;

	if (p->with.nr_fds < 2 || bytes_of_file(&bytes, p->with.fds[1]) ||
	    !bytes_read(&bytes, 0, addresses, size))
		return NULL;
	return reply_new(FILES_PENDING, addresses, p->request.nr_addresses);
}

static struct debug_files debug_files_of(const struct parsing *p, struct bytes *debug)
{
	struct debug_files files = {.at = debug};

	for (size_t i = 3; i < p->with.nr_fds && files.nr < MAX_DEBUG_FILES; i++)
		if (!bytes_of_file(&debug[files.nr], p->with.fds[i]))
			files.nr++;
	return files;
}

static void name_file(struct parsing *p, struct bytes bytes, struct files_symbols *names)
{
	struct bytes debug[MAX_DEBUG_FILES];
	struct debug_files files = debug_files_of(p, debug);

	p->reply.wants_debug_file = name_elf(bytes, &files, names, &p->reply.link);
}

static void name_by_map(struct parsing *p, struct bytes bytes, struct files_symbols *names)
{
	(void)p;
	names->state = FILES_OK;
	perfmap_name(&bytes, names);
}

static void parse_names(struct parsing *p, void (*name)(struct parsing *p, struct bytes bytes,
							struct files_symbols *names))
{
	struct files_symbols *names = read_addresses(p);
	struct bytes bytes;

	if (names && !open_bytes(p, &bytes)) {
		name(p, bytes, names);
		p->reply.state = names->state;
		if (answer_write_names(p->with.fds[0], names))
			p->reply.state = FILES_CRASHED;
	}
	files_symbols_free(names);
}

static void parse_file(struct parsing *p)
{
	parse_names(p, name_file);
}

static void parse_perf_map(struct parsing *p)
{
	parse_names(p, name_by_map);
}

static void name_by_jitdump(struct parsing *p, struct bytes bytes, struct files_symbols *names)
{
	(void)p;
	names->state = FILES_OK;
	jitdump_name(&bytes, names);
}

static void parse_jitdump(struct parsing *p)
{
	parse_names(p, name_by_jitdump);
}

/* Memory has no size that could be asked for. */
static void parse_java(struct parsing *p)
{
	const struct bytes memory = {.fd = file_of(p), .size = INT64_MAX};
	struct files_symbols *names = read_addresses(p);

	p->reply.state = FILES_BAD;
	if (names && memory.fd >= 0 && java_vm_name(&memory, p->request.libjvm, names) >= 0) {
		names->state = p->reply.state = FILES_OK;
		if (answer_write_names(p->with.fds[0], names))
			p->reply.state = FILES_CRASHED;
	}
	files_symbols_free(names);
}

static void parse_java_layout(struct parsing *p)
{
	const struct bytes memory = {.fd = file_of(p), .size = INT64_MAX};

	if (memory.fd < 0 || !java_layout_read(&memory, p->request.libjvm, &p->reply.java))
		p->reply.java = (struct wick_java){};
	/* There is no answer but this. */
	p->reply.state = FILES_BAD;
}

/* The answer is a rule for each address. */
static void parse_java_frames(struct parsing *p)
{
	const struct bytes memory = {.fd = file_of(p), .size = INT64_MAX};
	size_t nr = p->request.nr_addresses;
	_cleanup_free_ u64 *addresses = xcalloc(nr, sizeof(*addresses));
	_cleanup_free_ u32 *rules = xcalloc(nr, sizeof(*rules));
	struct bytes asked;

	p->reply.state = FILES_BAD;
	if (memory.fd < 0 || bytes_of_file(&asked, p->with.fds[1]) ||
	    !bytes_read(&asked, 0, addresses, nr * sizeof(*addresses)) ||
	    !java_frames_read(&memory, p->request.libjvm, addresses, nr, rules))
		return;
	p->reply.state = FILES_OK;
	if (write_whole(p->with.fds[0], rules, nr * sizeof(*rules)) || answer_seal(p->with.fds[0]))
		p->reply.state = FILES_CRASHED;
}

static void parse_lines(struct parsing *p)
{
	u64 deadline_ns = monotonic_ns() + p->request.limit_ms * (u64)NSEC_PER_MSEC;
	struct files_symbols *asked = read_addresses(p);
	struct bytes bytes, debug[MAX_DEBUG_FILES];
	struct debug_files files = debug_files_of(p, debug);
	struct found_lines found;

	if (!asked || open_bytes(p, &bytes)) {
		files_symbols_free(asked);
		return;
	}
	found_lines_init(&found, asked->nr);
	p->reply.state = find_lines(bytes, &files, asked, deadline_ns, &found, &p->reply.link);
	p->reply.wants_debug_file = p->reply.link.id_size || *p->reply.link.name;
	if (found_lines_write(&found, p->with.fds[0]))
		p->reply.state = FILES_CRASHED;
	found_lines_release(&found);
	files_symbols_free(asked);
}

static void parse_java_lines(struct parsing *p)
{
	const struct bytes memory = {.fd = file_of(p), .size = INT64_MAX};
	struct files_symbols *asked = read_addresses(p);
	struct found_lines found;

	p->reply.state = FILES_BAD;
	if (!asked || memory.fd < 0) {
		files_symbols_free(asked);
		return;
	}
	found_lines_init(&found, asked->nr);
	if (java_vm_lines(&memory, p->request.libjvm, asked, &found)) {
		p->reply.state = FILES_OK;
		if (found_lines_write(&found, p->with.fds[0]))
			p->reply.state = FILES_CRASHED;
	}
	found_lines_release(&found);
	files_symbols_free(asked);
}

static void parse_python(struct parsing *p)
{
	const struct bytes memory = {.fd = file_of(p), .size = INT64_MAX};
	size_t nr = p->request.nr_addresses;
	_cleanup_free_ u64 *question = xcalloc(nr, sizeof(*question));
	_cleanup_strbuf_ struct strbuf found = {};
	struct bytes asked;

	p->reply.state = FILES_BAD;
	if (memory.fd < 0 || bytes_of_file(&asked, p->with.fds[1]) ||
	    !bytes_read(&asked, 0, question, nr * sizeof(*question)) ||
	    !python_stacks_read(&memory, (const void *)question, nr, &found))
		return;
	p->reply.state = FILES_OK;
	if (write_whole(p->with.fds[0], found.s, found.size) || answer_seal(p->with.fds[0]))
		p->reply.state = FILES_CRASHED;
}

static void parse_sources(struct parsing *p)
{
	struct bytes bytes, debug[MAX_DEBUG_FILES];
	struct debug_files files = debug_files_of(p, debug);

	if (open_bytes(p, &bytes))
		return;
	find_sources(bytes, &files, &p->reply.sources, &p->reply.link);
	p->reply.wants_debug_file = p->reply.link.id_size || *p->reply.link.name;
	/* There is no answer but this. */
	p->reply.state = FILES_BAD;
}

static void parse_table(struct parsing *p)
{
	struct unwind_table *table = NULL;
	int err;

	if (p->request.vdso)
		err = unwind_table_build_image(p->vdso.memory, p->vdso.size, &table, NULL);
	else
		err = unwind_table_build(file_of(p), &table, NULL);
	p->reply.state = FILES_BAD;
	if (!err)
		err = unwind_table_write(table, p->with.fds[0]);
	if (!err && !answer_seal(p->with.fds[0]))
		p->reply.state = FILES_OK;
	unwind_table_free(table);
}

/* What was read counts only if the file is afterwards still what was mapped. */
static void check_file(struct parsing *p)
{
	struct stat st;

	if (p->request.stamp.size && (fstat(file_of(p), &st) || !stamp_is(&p->request.stamp, &st)))
		p->reply.state = FILES_GONE;
}

static void (*const tasks[NR_PARSER_TASKS])(struct parsing *p) = {
	[PARSE_NAMES] = parse_file,
	[PARSE_PERF_MAP] = parse_perf_map,
	[PARSE_TABLE] = parse_table,
	[PARSE_LINES] = parse_lines,
	[PARSE_SOURCES] = parse_sources,
	[PARSE_JAVA] = parse_java,
	[PARSE_JAVA_LAYOUT] = parse_java_layout,
	[PARSE_JAVA_FRAMES] = parse_java_frames,
	[PARSE_JAVA_LINES] = parse_java_lines,
	[PARSE_JITDUMP] = parse_jitdump,
	[PARSE_PYTHON] = parse_python,
};

static int answer(int socket, struct parsing *p)
{
	struct message message = {.head = &p->reply, .size = sizeof(p->reply)};

	p->reply.number = p->request.number;
	p->reply.state = FILES_GONE;
	if (p->request.task < NR_PARSER_TASKS && p->with.nr_fds)
		tasks[p->request.task](p);
	check_file(p);
	received_close(&p->with); /* which may have to wait, and is part of the work */
	return message_send(socket, &message, UINT64_MAX);
}

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* Memory that was used for one file is used for the next: new pages are dear. */
enum { KEPT_BYTES = 16 << 20, LARGE_BYTES = 4 << 20 };

/* What takes system calls that are forbidden afterwards. */
static void prepare(struct bytes *vdso)
{
	char bytes[4096] = {};

	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);

	qsort(bytes, sizeof(bytes), 1, compare); /* looks once how much memory the host has */
	if (vdso_bytes(vdso))
		vdso->size = 0;
}

void parser_run(int socket)
{
	struct bytes vdso = {};
	int err;

	prepare(&vdso);
	jail_parser();
	do {
		struct parsing p = {.vdso = vdso};

		err = message_receive(socket, &p.request, sizeof(p.request), MESSAGE_MAX_FDS,
				      &p.with, UINT64_MAX);
		if (!err)
			err = answer(socket, &p);
	} while (!err);
}
