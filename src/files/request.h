/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h: the jobs that the files service gives to its pool. A request carries copies of all it
 * needs, so that it can be given up at any time.
 */
#ifndef FILES_REQUEST_H
#define FILES_REQUEST_H

#include "source.h"

extern const struct job_type open_job;	   /* a mapped file */
extern const struct job_type announce_job; /* a process that may have a perf map */
extern const struct job_type find_map_job; /* look for its map again */
extern const struct job_type names_job;	   /* answers files_ask() */
extern const struct job_type lines_job;	   /* answers files_ask_lines() */
extern const struct job_type called_job;   /* answers files_is_called() */
extern const struct job_type sources_job;  /* answers files_ask_sources() */
extern const struct job_type unwind_job;   /* makes an unwind table */
extern const struct job_type stamp_job;	   /* has the file changed? */
extern const struct job_type code_job;	   /* reads a piece of code */
extern const struct job_type maps_job;	   /* answers files_ask_maps() */
extern const struct job_type java_job;	   /* answers files_ask_java() */
extern const struct job_type frames_job;   /* answers files_ask_java_frames() */
extern const struct job_type python_job;   /* answers files_ask_python() */

struct files_request {
	struct job job;
	struct files *files;
	file_ref ref;
	enum source_kind kind;
	/* Copies of the source's. */
	struct files_mapping mapping;
	struct roots *roots;	     /* a reference */
	struct helpers *helpers;     /* the same */
	struct downloads *downloads; /* the same; NULL: debuginfod is not to be asked */
	struct jit_process process;
	struct stamp stamp;
	enum files_state state;
	uid_t owner;
	int fd, root, debug;
	int jitdump;	/* of the same process; -1: it has mapped none */
	bool attaches;	/* to a Java VM, for a perf map */
	u64 *addresses; /* that were asked for, or what was */
	size_t nr;
	u64 offset;	 /* of code */
	u64 deadline_ns; /* once it runs */
	/* Results. */
	enum files_state failed; /* FILES_OK: helpers did what they were asked */
	struct opener_reply found;
	int found_fd, found_root;
	struct files_symbols *reply;
	struct files_lines *lines;
	struct files_sources sources;
	struct unwind_table *unwind;
	struct wick_java java;
	bool is_java; /* that is filled in */
	u32 *rules;   /* of java_rules.h, one for each address; NULL: there are none */
	struct files_python *python; /* NULL: there is none */
	char *text; /* of /proc/PID/maps, or a name to look for; owned, ends with a 0 */
};

/*
 * With the lock held. The mapping, with a path, is copied; NULL where the job needs none. The job's
 * owner is the source's.
 */
struct files_request *request_new(struct files *files, file_ref ref, const struct job_type *type,
				  unsigned int limit_ms, const struct files_mapping *mapping);
/* With the lock held: another one for a file whose mapping is known. */
struct files_request *request_known(struct files *files, file_ref ref, const struct job_type *type,
				    unsigned int limit_ms);

#endif
