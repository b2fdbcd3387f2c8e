/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h: files that appear whole or not at all.
 *
 *	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
 *
 *	err = output_open(&out, "x.svg", OUTPUT_REPLACE, &error);
 *	if (err)
 *		return err;
 *	fprintf(out.stream, ...);			whatever fails is remembered
 *	return output_commit(&out, &error);		from now on there is an x.svg
 *
 * Until the commit the file has no name where the file system allows that (O_TMPFILE), so that
 * nothing is left of it after any death; elsewhere it has a temporary one in the same directory,
 * which output_release() and a fatal signal remove, but not SIGKILL.
 *
 * Nothing that others put in the place is written through: a symbolic link is replaced, not
 * followed, and a FIFO or device is opened only if it belongs to root or to the user. Everything is
 * opened with the caller's rights (rights.h). Under sudo, files are given to the user who called
 * it; one that cannot be given is written all the same, and that is said.
 *
 * Written directly, and so not whole if something fails: "-" (standard output), /dev/stdout,
 * /dev/stderr, /dev/fd/N, FIFOs and devices. Writing to a pipe that has no reader any more is an
 * error like any other, and so is a file that grows beyond a limit: SIGPIPE and SIGXFSZ are ignored
 * from the first output_open() on.
 */
#ifndef WICK_CMD_OUTPUT_H
#define WICK_CMD_OUTPUT_H

#include "base/base.h"
#include "emit.h"

enum output_mode {
	OUTPUT_REPLACE, /* the user named the file */
	OUTPUT_NEW,	/* a name of our own choice: -EEXIST where there is something */
};

struct output {
	FILE *stream; /* the caller's to write to, not to close */
	char *path;   /* as it was given, for messages */
	char *name;   /* of the file in `directory`; NULL: written directly */
	int directory;
	int fd;
	int error; /* errno of the first write that failed */
	int slot;  /* of the temporary name, 1-based; 0: it has no name */
	enum output_mode mode;
};

#define OUTPUT_CLOSED ((struct output){.directory = -1, .fd = -1})

int output_open(struct output *out, const char *path, enum output_mode mode, struct error *error);
/* Whether that could be written: to be asked before a long run, at whose end it may be too late. */
int output_check(const char *path, struct error *error);
/* A directory for files: one of that name may be there already, but for OUTPUT_NEW. */
int output_make_directory(const char *path, enum output_mode mode, struct error *error);
/*
 * Gives the file its name now, while it is still written: for what has to be there after any death.
 * It is written to out->fd then, without the stream.
 */
int output_appear(struct output *out, struct error *error);
int output_commit(struct output *out, struct error *error);
/* Throws away what was not committed. */
void output_release(struct output *out);

/* The three in one, by a format. */
int output_write(const char *path, enum output_mode mode, const struct format *format,
		 const struct drawn *drawn, const struct caption *caption, struct error *error);

#endif
