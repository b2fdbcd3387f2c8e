/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h: from what arrives to a profile: processes and what they map, the ids that BPF counts
 * by, the memory that threads hold. Three channels are put in order of time:
 *
 *	ring buffer --bodies--.
 *	                       >-- by time --> processes, profile <-- by id -- counts
 *	perf rings --records--'
 *
 * A body has a meaning at once, for those that come after it and name its id. But the mapping that
 * a user stack outside of files, or a copy of one, is in depends on its time: it waits for the
 * side-band records up to then, and since those of another CPU can come late, for a horizon.
 *
 * A copy of a stack is walked when the tables of its files are there, which are made behind
 * files.h.
 *
 * Needs no privileges of its own, and no libbpf. The profile and the files are the caller's and
 * must outlive it.
 */
#ifndef WICK_FOLLOW_H
#define WICK_FOLLOW_H

#include "files.h"
#include "mapping.h"
#include "profile.h"
#include "wick.h"

/* A record of the kernel's side-band (include/uapi/linux/perf_event.h), of any process. */
enum sideband_type {
	SIDEBAND_MMAP,
	SIDEBAND_EXEC, /* a COMM record of an exec: all mappings before it are gone */
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
};

struct sideband_record {
	enum sideband_type type;
	u64 time;
	u32 pid, tid;
	u32 parent;		 /* FORK: its pid */
	u64 start, size, offset; /* MMAP, executable ones only */
	u32 major, minor;
	u64 inode, generation;
	bool shared;	  /* MMAP: by MAP_SHARED */
	const char *path; /* MMAP: NUL-terminated, good until the callback returns */
};

/*
 * Is told what BPF has met and does not know: a copy that says so, and its mapping; NULL: not known
 * either.
 */
struct wanted_sink {
	void (*want)(void *ctx, const struct wick_copy_body *copy, const struct mapping *mapping);
	void *ctx;
};

/*
 * Is told how to walk through the code of a process that is a Java VM; NULL: it is none any more.
 */
struct java_sink {
	void (*tell)(void *ctx, u32 pid, const struct wick_java *java);
	void *ctx;
};

struct follow;

/*
 * `rows`: copies are walked by unwind tables; without, by frame pointers. Copies that wait for
 * tables have at most `copies` bytes. `wanted` and `java` may be empty.
 */
struct follow *follow_new(struct profile *profile, struct files *files, bool rows, u64 copies,
			  struct wanted_sink wanted, struct java_sink java);
void follow_free(struct follow *f);

/* Copies what a BPF program sent. A record that makes no sense is -EINVAL and ignored. */
int follow_body(struct follow *f, const void *body, size_t size);
/* Announces the record's file at once: its process may be gone in a moment. */
void follow_record(struct follow *f, const struct sideband_record *record);
/* Adds a count; one whose bodies have not come yet waits for them. */
void follow_count(struct follow *f, const struct wick_key *key, const struct wick_columns *columns);

/*
 * A copy waits for its time: it may be of a file that BPF does not know yet. Or a Java VM is being
 * looked at.
 */
bool follow_hurries(const struct follow *f);
/*
 * Applies everything older than `horizon`, in order, and walks the copies whose tables have come
 * since.
 */
void follow_until(struct follow *f, u64 horizon);
/*
 * Reads the mappings of processes that are older than the run, until all are read or the time is
 * up. Returns true while there are more.
 */
bool follow_read_older(struct follow *f, u64 until_ns);
/*
 * The same of these processes, which the run is about, and waits until BPF has been told of those
 * that it has to know of: on a busy host that would come late, and their stacks would have no
 * names, or break off.
 */
void follow_read_first(struct follow *f, const u32 *pids, size_t nr, u64 until_ns);
/*
 * follow_read_older(), before the window: and waits, until another time, until BPF has been told of
 * those that it has to know of.
 */
void follow_prepare(struct follow *f, u64 until_ns, u64 told_ns);
/* Forgets processes that exited before `time`. */
void follow_forget(struct follow *f, u64 time);
/*
 * Bodies are kept by id for as long as counts can name them. True when there are so many that the
 * window's epoch should be changed; they are forgotten one call later.
 */
bool follow_rotate(struct follow *f);
/*
 * After the last follow_until(): counts that still wait for their bodies are counted without them;
 * copies wait for tables until `deadline_ns`, then are walked with those there are; the memory that
 * is held goes into the profile.
 */
void follow_finish(struct follow *f, u64 deadline_ns);

/*
 * Announces the file of a mapping once more, since its content is no longer that of the file that
 * was opened: its row in profile.files from now on; 0: it is gone.
 */
u32 follow_announce_again(struct follow *f, u32 pid, const struct mapping *mapping);

struct follow_counts {
	u64 bodies, body_bytes, copies, mappings_read;
	u64 mappings_unread; /* processes whose mappings did not come in time */
	u64 python_copies;   /* copies that have Python's evaluator, whose frames they lack */
	u64 lost_stacks;     /* samples that ended without a stack that they named */
};

struct follow_counts follow_counts(const struct follow *f);

/* ---- cgroups, version 2 */

/*
 * `name` is a directory below the cgroup v2 mount, or a path inside the hierarchy
 * ("/system.slice"). `id` is what the kernel calls it (its inode), `level` its depth, 0 for the
 * root. -ENOENT.
 */
int cgroup_find(const char *name, u64 *id, u32 *level, struct error *error);

/*
 * The path inside the hierarchy of the cgroup with this id, to be freed:
 * "/system.slice/nginx.service", "/" for the root. NULL where it is gone, or there is no v2
 * hierarchy.
 */
char *cgroup_path(u64 id);

#endif
