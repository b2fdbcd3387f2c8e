/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h: the one place where other people's files are opened and parsed.
 *
 * wick runs as root and reads what any user can write. Everything that does so lies behind this
 * seam of requests and replies: a token goes in, an immutable table comes out, each request has a
 * deadline. Nothing else parses ELF, DWARF or perf maps.
 *
 * The work is done by helper processes, so that what a file does to its reader stays there:
 * openers, which see paths and may hang in a file system (FUSE, a dead NFS server), and parsers,
 * which see bytes and may do nothing but read them. What comes back from a parser is checked as if
 * the file itself had written it. A helper that is late, dies or answers nonsense is killed and
 * replaced, and costs the request; a file system that did not answer once is not asked again, and a
 * user whose files cost several helpers has no more of them read.
 *
 * wick itself holds files by descriptors to look through only (O_PATH). Files are looked for at
 * once when they are announced, because their process may be gone a moment later, and parsed when
 * names are asked for, only those with hits.
 *
 * Rules for opening (O_PATH first, so that looking never has an effect on a device or FIFO):
 *   1. /proc/PID/map_files/START-END: the mapping itself, also when the file was deleted or
 * replaced;
 *   2. else the path inside /proc/PID/root, by openat2(RESOLVE_IN_ROOT|RESOLVE_NO_MAGICLINKS), and
 *      only if it is still the inode that was mapped;
 *   3. else /proc/PID/exe, if that is the inode: a program that was deleted or has no path (memfd);
 *   4. else the same path inside the root of a process that was seen in the same mount namespace.
 * Regular files only. Sizes, numbers of lines, symbols and sections are bounded; everything is
 * read, nothing is mapped, so a file that is cut meanwhile is an error and no SIGBUS.
 *
 * A file's identity is device, inode, generation, size and mtime of the *opened* file. The build id
 * only finds debug files.
 */
#ifndef WICK_FILES_H
#define WICK_FILES_H

#include "base/base.h"
#include "file_state.h"

/* A token. 0 is no file. Tokens are small consecutive numbers and live as long as struct files. */
typedef u32 file_ref;

struct files;

/* What a MMAP2 record or a line of /proc/PID/maps says of a mapped file. */
struct files_mapping {
	u32 pid;	  /* in wick's pid namespace */
	u64 start, end;	  /* addresses, for map_files; both 0: not known */
	const char *path; /* as the process sees it; " (deleted)" may follow */
	u32 major, minor; /* of the device */
	u64 inode;
	u64 generation;	     /* of the inode */
	bool has_generation; /* /proc/PID/maps does not tell it */
	bool shared;	     /* mapped by MAP_SHARED */
};

/* A name that was found. Names are bytes as they stood in the file, not demangled. */
struct files_symbol {
	u64 address;	  /* the one that was asked for */
	u64 start;	  /* of the function, in the same space */
	const char *name; /* NULL: nothing covers the address. Owned by the reply */
	u32 name_size;
};

enum { FILES_MAX_BUILD_ID = 64 };

struct files_symbols {
	enum files_state state;
	bool cut;	 /* a bound was reached: the file has more than was read */
	bool debug_file; /* names came from a separate debug file */
	bool vm;	 /* a Java VM was found, and names came from its memory */
	/* What the file says of itself, which anybody can write into his own. */
	u8 build_id[FILES_MAX_BUILD_ID];
	size_t build_id_size; /* 0: it has none */
	size_t nr;
	struct files_symbol *at; /* in the order that was asked */
};

/*
 * Forks the process that makes the helpers: to be called early, when the program is small and has
 * one thread. It gets the priority and what else a child inherits.
 *
 * Raises the limit of open files (RLIMIT_NOFILE) to what is allowed, since each file of each
 * process may be held open: a program that is started has to get it back.
 */
struct files *files_new(void);
/* Abandons what is under way, and ends the helpers. */
void files_free(struct files *files);

/*
 * Announces a mapped file; returns its token at once; workers open it. The same file
 * (device, inode, generation) has the same token as long as it has not changed since, which is
 * looked at once for announcements that come at once; where looking may have to wait (a file system
 * that is not local), a later announcement has the other token. What comes without a generation is
 * the file of that device and inode that is known. A file that could not be opened is tried again
 * with the next announcement. 0 where it can have no file.
 */
file_ref files_open(struct files *files, const struct files_mapping *mapping);

/*
 * A file that the caller has opened, which no process need map; `debug` is what may be its debug
 * file, or -1. Both are descriptors to look through (O_PATH), and owned from now on. 0 where it is
 * no regular file.
 */
file_ref files_take(struct files *files, int fd, int debug, const char *path);

/* What the kernel knows a mapped file by, when it comes from elsewhere than the announcement. */
struct files_identity {
	u32 major, minor;
	u64 inode;
	u32 generation;
	u64 size;
	u64 mtime_sec, mtime_nsec;
};

enum files_match { FILES_SAME, FILES_ANOTHER, FILES_NOT_OPEN_YET };

/*
 * Is it the announced file? Size and time of the last change have to be those of the file that was
 * opened; device and inode may differ where one file system shows another's file (overlayfs). A
 * file that could not be opened is known by device, inode and generation.
 */
enum files_match files_match(struct files *files, file_ref file,
			     const struct files_identity *identity);

/*
 * Announces that a process runs code without a file. If that is a Java VM, and lives when names are
 * asked for, they are read from its memory. Its runtime may write /tmp/perf-PID.map, PID
 * as the process itself knows it, /tmp in its own root. Regular file, owned by the process's user,
 * or by root and readable by all; no symlink at the end; not older than the process. A jitdump,
 * jit-PID.dump, which it has mapped and which was announced as a file, names it, too. The root is
 * opened at once and kept, the map is opened then or, when it is not there yet, at files_exiting()
 * or when it is asked for. `start_ns` is the process's start time (CLOCK_BOOTTIME), so that another
 * process which got its pid is not taken for it; 0: not known.
 */
file_ref files_open_perf_map(struct files *files, u32 pid, u32 inner_pid, u64 start_ns);
/* PID as the process itself knows it; as wick does where it is gone. */
u32 files_inner_pid(u32 pid);
/* The process is about to end, or has: look for its map now. */
void files_exiting(struct files *files, file_ref perf_map);

/*
 * From now on, a Java VM whose code is to be named, and that has written no map, is asked for one
 * where its attach socket is open already: it then writes the file into its own /tmp.
 */
void files_attach_java(struct files *files);

/* The vdso of this kernel, as a token: offsets count from its first byte. */
file_ref files_vdso(struct files *files);

/*
 * Asks for the names of `nr` addresses, sorted ascending: offsets in the file for a mapped file,
 * virtual addresses for a perf map. Requests work side by side; each may take `timeout_ms` from
 * when its work begins. Every request must be answered before files_free(). Without addresses only
 * the build id is read, which takes as good as nothing.
 */
struct files_request;
struct files_request *files_ask(struct files *files, file_ref file, const u64 *addresses, size_t nr,
				unsigned int timeout_ms);
/*
 * Waits for the answer and frees the request. The reply is the caller's, to be freed with
 * files_symbols_free(); never NULL, never FILES_PENDING.
 */
struct files_symbols *files_answer(struct files *files, struct files_request *request);
void files_symbols_free(struct files_symbols *symbols);

/* Both at once. */
struct files_symbols *files_symbols(struct files *files, file_ref file, const u64 *addresses,
				    size_t nr, unsigned int timeout_ms);

/*
 * Is it the file of that name in its own directory, as its process sees that, by a link? `name` is
 * without a slash. Waits for the answer.
 */
bool files_is_called(struct files *files, file_ref file, const char *name, unsigned int timeout_ms);

/*
 * Announces a known file anew, which has another content than when it was opened, by a process that
 * maps it at [start, end). Its token from now on; the old one has no names any more. 0: it was not
 * so, or happens too often.
 */
file_ref files_open_again(struct files *files, file_ref file, u32 pid, u64 start, u64 end);

/*
 * The table that stacks are unwound with in this file or vdso (unwinder.h); it lives until
 * files_trim_tables(), which the same thread calls. The first call makes workers start on it; until
 * it is there the answer is NULL, with *pending set. NULL without that: there is none to be had.
 */
struct unwind_table;
const struct unwind_table *files_unwind_table(struct files *files, file_ref file, bool *pending);

/* All tables. */
struct files_tables {
	u64 bytes, max_bytes; /* 0: no bound */
	u64 nr_evicted;
	u64 nr_changes; /* another number: something came that was pending */
	u32 nr_pending; /* being made, or waiting for that */
	/* Making one takes memory by the size of its file: a larger file has none. 0: no bound. */
	u64 max_file;
};

void files_limit_tables(struct files *files, u64 max_bytes, u64 max_file);
/*
 * Frees what was asked for longest ago, as far as the bound demands, but for what has come since
 * the last call. Such a table is made again when it is asked for, but not at once: a set of tables
 * that is larger than the bound must not keep all threads busy.
 */
void files_trim_tables(struct files *files);
/* From now on it is made at once: the run is over, and work disturbs no program. */
void files_hurry(struct files *files);
struct files_tables files_tables(struct files *files);

/*
 * Reads a few bytes of code of a file or the vdso, for a walk that has to look at it. Where they
 * are not known yet, the answer is false with *pending set, and files_tables().nr_changes tells
 * when to ask again. False without that: they cannot be had.
 */
bool files_read(struct files *files, file_ref file, u64 offset, void *to, size_t size,
		bool *pending);

/*
 * Where the function that covers a file offset begins, by the table that is or was there already;
 * false where none was, or no function covers it. May free tables.
 */
bool files_function_start(struct files *files, file_ref file, u64 offset, u64 *start);

/*
 * Asks for what a walk needs to pass through the code of a Java VM that runs, whose token is that
 * of its run-time code. To be answered once, or abandoned.
 */
struct wick_java;
struct files_request *files_ask_java(struct files *files, file_ref code, unsigned int timeout_ms);
/* Waits for the answer and frees the request. False: it is no VM that is known, or not yet. */
bool files_answer_java(struct files *files, struct files_request *request, struct wick_java *java);

/*
 * Asks for the rules (java_rules.h) of frames in such code, by `nr` addresses, with WICK_JAVA_EXACT
 * where that is so. To be answered once, or abandoned; files_tables().nr_changes tells when.
 */
struct files_request *files_ask_java_frames(struct files *files, file_ref code,
					    const u64 *addresses, size_t nr,
					    unsigned int timeout_ms);
/* Waits for the answer and frees the request: `nr` rules, to be freed; NULL: none could be had. */
u32 *files_answer_java_frames(struct files *files, struct files_request *request);

/* ---- Python's frames of threads that are blocked */

struct wick_python;
struct wick_python_frame;
struct wick_code_body;

/* A thread as it was when its stack was copied: it is found only if it has the same stack still. */
struct files_python_thread {
	u64 self; /* what the interpreter knows it by */
	u64 stack,
		size; /* of which so many bytes are compared: multiples of 8, MAX_BYTES at most */
	u64 hash;     /* by files_python_hash() */
};
enum { FILES_PYTHON_MAX_THREADS = 256, FILES_PYTHON_MAX_BYTES = 64 << 10 };

u64 files_python_hash(const void *stack, size_t size);

struct files_python_stack {
	u32 first, nr; /* of frames; none: the thread was not found */
	u32 cut;       /* there were more */
	u32 pad;
};

struct files_python {
	u32 nr_stacks, nr_frames, nr_codes;
	const struct files_python_stack *stacks; /* one for each thread that was asked for */
	const struct wick_python_frame *frames;	 /* `code`: 0, or 1 + which of the codes */
	struct wick_code_body **codes;		 /* each followed by its line table; id 0 */
	void *bytes;				 /* owned: all of that */
};

/*
 * Asks for the Python frames of threads of the process whose run-time code is this token. The
 * interpreter lies at `base` (include/python.h). To be answered once, or abandoned;
 * files_tables().nr_changes tells when.
 */
struct files_request *files_ask_python(struct files *files, file_ref code,
				       const struct wick_python *python, u64 base,
				       const struct files_python_thread *threads, size_t nr,
				       unsigned int timeout_ms);
/* Waits for the answer and frees the request; to be freed. NULL: none could be had. */
struct files_python *files_answer_python(struct files *files, struct files_request *request);
void files_python_free(struct files_python *python);

/* ---- processes that are older than the run */

/*
 * Asks for the text of /proc/PID/maps. That waits as long as somebody holds the lock of the
 * process's memory, who may be its user and hold it for ever. To be answered once.
 */
struct files_request *files_ask_maps(struct files *files, u32 pid, unsigned int timeout_ms);
/* Waits for any answer until a time of monotonic_ns(), which may be over: is it there? */
bool files_is_answered(struct files *files, struct files_request *request, u64 until_ns);
/*
 * Waits for the answer and frees the request. The text is the caller's; NULL where it could not be
 * read, and *state why: FILES_GONE, or what became of the helper process.
 */
char *files_answer_maps(struct files *files, struct files_request *request,
			enum files_state *state);

/* Instead of that. */
void files_abandon(struct files *files, struct files_request *request);

/* ---- the helper processes */

/* The process that makes them, their parent; 0: there is none. */
u32 files_forker(const struct files *files);

struct files_cost {
	u64 cpu_ns;	/* of all of them */
	u64 nr_helpers; /* that were started */
	u64 nr_ended;	/* of these, how many were late, crashed or answered nonsense */
	u32 nr_stuck;	/* of these, how many a file system keeps from ending */
};
struct files_cost files_cost(struct files *files);

/* ---- what the caller calls a file */

/*
 * A profile has rows for files and for processes' run-time code (its perf map); it knows no tokens,
 * so that it means the same in another process. Which token a row has is kept here. 0: none was
 * bound.
 */
enum files_table { FILES_OF_FILES, FILES_OF_IMAGES, NR_FILES_TABLES };

void files_bind(struct files *files, enum files_table table, u32 row, file_ref token);
file_ref files_bound(const struct files *files, enum files_table table, u32 row);

#endif
