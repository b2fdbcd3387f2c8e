/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h: what wick and its helper processes say to each other, over sockets that keep messages
 * apart (SOCK_SEQPACKET), with descriptors beside them (SCM_RIGHTS).
 *
 * Every message is a struct of fixed size; an opener's request is followed by a path. A reply has
 * the number of its request, so that an answer to another question is seen as such.
 */
#ifndef FILES_MESSAGE_H
#define FILES_MESSAGE_H

#include "debugfile.h"
#include "java.h"
#include "perf_map_open.h"
#include "roots.h"
#include "sources.h"

enum {
	MESSAGE_MAX_FDS = 48,
	MESSAGE_MAX_PATH = 8192,   /* with its end */
	CODE_PIECE = 512,	   /* bytes of code that are read at once */
	MAX_DEBUG_FILES = 4,	   /* that are tried */
	MAX_MAPS_BYTES = 64 << 20, /* of a process's mappings, as text */
};

/* ---- to an opener */

enum opener_task {
	OPEN_MAPPED,	 /* the file of a mapping; fds: none, or the roots to look in */
	OPEN_PROCESS,	 /* a process that may have a perf map: its root, and the map */
	OPEN_PERF_MAP,	 /* the map again; fds: the root */
	OPEN_DEBUG,	 /* debug files of a file; fds: the file, the roots */
	OPEN_STAMP,	 /* what the file is now; fds: the file */
	OPEN_CODE,	 /* a few bytes of it; fds: the file */
	OPEN_MAPS,	 /* /proc/PID/maps; fds: where its text is written to */
	OPEN_CALLED,	 /* is it a file of that name, too? fds: the file, the roots */
	OPEN_VM,	 /* the socket of a Java VM; fds: the root */
	OPEN_MEMORY,	 /* of a process, and where its Java VM is */
	OPEN_ANY_MEMORY, /* of a process */
	OPEN_FOR_PARSER, /* fds: the parser's socket, answer, addresses, the file, debug files */
	NR_OPENER_TASKS,
};

/* ---- to a parser */

enum parser_task {
	PARSE_NAMES,
	PARSE_PERF_MAP,
	PARSE_TABLE,
	PARSE_LINES,
	PARSE_SOURCES,
	PARSE_JITDUMP,
	PARSE_JAVA, /* the file is the memory of a process, as it is of ... */
	PARSE_JAVA_LAYOUT,
	PARSE_JAVA_FRAMES,
	PARSE_JAVA_LINES,
	PARSE_PYTHON, /* memory, too; what is asked of it is in place of addresses */
	NR_PARSER_TASKS
};

/* fds: the answer, the addresses (not for a table), the file (not for the vdso), debug files. */
struct parser_request {
	u32 number;
	u32 task;
	u32 nr_addresses;
	u32 nr_debug_files;
	u32 limit_ms; /* lines: what is not found by then is left out */
	bool vdso;
	u64 libjvm;	    /* where it is loaded */
	struct stamp stamp; /* of the file, to be compared when all is read; size 0: it is not */
};

struct parser_reply {
	u32 number;
	u32 state; /* enum files_state */
	u64 size;  /* of the answer */
	/* Of a file without a symbol table, or lines; or of a debug file, what it shares. */
	bool wants_debug_file;
	struct debug_link link;
	struct files_sources sources;
	struct wick_java java; /* blob_size 0: it is no VM */
};

struct opener_request {
	u32 number;
	u32 task;
	struct files_mapping mapping; /* the path is behind the request */
	struct jit_process process;
	struct stamp stamp; /* of what is expected; size 0: anything */
	struct debug_link link;
	u64 offset;
	struct parser_request parse;
};

struct opener_reply {
	u32 number;
	u32 state; /* enum files_state */
	struct stamp stamp;
	uid_t owner;
	bool local;
	bool has_file, has_root; /* fds: these, in this order; or debug files */
	struct root_identity root;
	struct jit_process process;
	u64 size;   /* of what was read */
	u64 libjvm; /* where it is loaded */
	u8 code[CODE_PIECE];
};

/* ---- to an attacher */

/* fds: the VM's socket, to look through */
struct attach_request {
	u32 pid; /* the VM, in wick's pid namespace */
	uid_t uid;
	gid_t gid;
};

struct attach_reply {
	u32 state; /* enum files_state; FILES_OK: the VM says that it has written its map */
};

/* ---- to a downloader */

/* Behind it are lines NAME=VALUE, for its environment. */
struct download_request {
	u8 id[FILES_MAX_BUILD_ID];
	u32 id_size;
	u32 executable; /* 1: the file itself, 0: its debug file */
};

/* fds: the file */
struct download_reply {
	s32 error; /* -ENOSYS: the client library is not here; -ENOENT: no server has it; ... */
	u64 size;
};

/* ---- to the process that makes the others */

enum helper_role { OPENER, PARSER, ATTACHER, DOWNLOADER, NR_HELPER_ROLES };

struct fork_request {
	u32 end;  /* a process to be ended; 0: one is to be made */
	u32 role; /* fds: its socket */
};

/* fds: a pidfd */
struct fork_reply {
	u32 pid; /* 0: it could not be made */
};

/* ---- all of them */

struct message {
	const void *head;
	size_t size;
	const char *path; /* NULL: none */
	const int *fds;
	size_t nr_fds;
};

/* Waits until `deadline_ns`; UINT64_MAX: for ever. -ETIMEDOUT, -EPIPE: the other end is closed. */
int message_send(int to, const struct message *message, u64 deadline_ns);

struct received {
	char *path; /* room for MESSAGE_MAX_PATH, or NULL */
	int fds[MESSAGE_MAX_FDS];
	size_t nr_fds;
};

/*
 * Receives a message whose head is exactly `size` bytes, and at most `max_fds` descriptors, which
 * are the caller's. -EPROTO: it is another one.
 */
int message_receive(int from, void *head, size_t size, size_t max_fds, struct received *received,
		    u64 deadline_ns);
void received_close(struct received *received);

#endif
