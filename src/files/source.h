/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h: what the tokens of files.h stand for, shared between the caller's thread and the pool's
 * under the pool's lock.
 */
#ifndef FILES_SOURCE_H
#define FILES_SOURCE_H

#include "base/table.h"
#include "base/vec.h"
#include "perf_map_open.h"
#include "binding.h"
#include "bytes.h"
#include "code.h"
#include "downloads.h"
#include "helpers.h"
#include "pool.h"

enum source_kind { MAPPED, PERF_MAP, VDSO, NR_SOURCE_KINDS };

/* What a token stands for. */
struct source {
	enum source_kind kind;
	enum files_state state;
	int fd;	       /* of the file, to look through (O_PATH); -1: not held (any more) */
	int debug;     /* what may be its debug file, as the caller says; -1: nothing */
	int root;      /* of a perf map's process, until its map is found; else -1 */
	bool recent;   /* announced since the sweep came by */
	bool replaced; /* the file has another content since; a later token stands for that */
	bool hopeless; /* a job for it was given up */
	bool local;    /* on a local file system: is_local() */
	bool outdated; /* it has another content, as an opener has seen */
	bool checking; /* an opener looks whether it has */
	uid_t owner;   /* who made the bytes, or at least can choose which are read */
	unsigned int nr_opening;
	u64 checked_ns;	  /* when it was last asked for changes */
	struct code code; /* what was read of it */
	enum { UNWIND_UNKNOWN, UNWIND_PENDING, UNWIND_READY, UNWIND_EVICTED } unwind_state;
	struct unwind_table *unwind; /* NULL when ready: there is none */
	u64 unwind_ns;		     /* when it was asked for last; evicted: when that was */
	bool unwind_fresh;	     /* it came since files_trim_tables(), and is to be seen once */
	unsigned int nr_again; /* how often the file was announced again for another content */
	struct stamp stamp;
	struct files_mapping mapping; /* owns its path */
	struct jit_process process;
};

/* File systems by device number, as mappings have it. */
struct device {
	u32 major, minor;
	bool local;    /* a file on it was opened and is on a local file system */
	bool hopeless; /* it did not answer */
};

/* Users, by how many of their files and processes cost a helper process. */
struct owner {
	uid_t uid;
	unsigned int nr_failures;
};

struct files {
	struct pool *pool; /* its lock guards all this */
	struct helpers *helpers;
	struct roots *roots;
	VEC(struct source *) sources; /* [0] is the token for no file */
	VEC(struct device) devices;
	VEC(struct owner) owners;
	struct table by_inode; /* the caller's thread only */
	file_ref vdso;
	struct bytes vdso_bytes;	       /* of wick's own memory */
	struct binding bound[NR_FILES_TABLES]; /* the caller's thread only */
	struct files_tables tables;
	bool hurries; /* files_hurry() */
	bool attaches_java;
	struct downloads *downloads; /* NULL: debuginfod is not to be asked */
	unsigned int nr_held, max_held;
	file_ref sweep; /* where the next source to be closed is looked for */
};

/* With the lock held. */
struct source *source_of(struct files *files, file_ref ref);
/* 0 when there are too many. The mapping's path is copied. */
file_ref source_add(struct files *files, const struct source *source);
void source_free(struct source *source);

/* It is not tried again: a helper process did not come to an end with it, for this reason. */
void source_give_up(struct files *files, struct source *source, enum files_state why);
/* Nor are other files of its file system, if that did not answer, or of a user of many such. */
bool source_is_hopeless(struct files *files, const struct source *source);
/* A user's file or process has cost a helper. */
void owner_failed(struct files *files, uid_t uid);
bool owner_is_hopeless(struct files *files, uid_t uid);
/* Remembers that files of its device can be opened without fear. */
void source_is_on_local(struct files *files, const struct source *source);

/* Descriptors that are held: *at, one of a source's, becomes `fd`; what it was is closed. */
void hold_fd(struct files *files, int *at, int fd);
/* Closes what was announced longest ago when too many are held. */
void sweep_fds(struct files *files);
/* Raises the limit of open files; returns how many of them may be held. */
unsigned int raise_fd_limit(void);

#endif
