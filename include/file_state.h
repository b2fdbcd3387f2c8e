/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_state.h: what became of a file whose names were asked for. Recordings keep the numbers: only
 * append.
 */
#ifndef WICK_FILE_STATE_H
#define WICK_FILE_STATE_H

enum files_state {
	FILES_PENDING, /* the answer is not there yet, or was not asked for */
	FILES_OK,
	FILES_GONE, /* it could not be opened any more: deleted, replaced, changed, process exited
		     */
	FILES_REFUSED,	  /* not a regular file, a foreign owner, a symlink */
	FILES_BAD,	  /* not an ELF file, or a broken one */
	FILES_NO_SYMBOLS, /* stripped, no debug file: its exported functions have names at most */
	FILES_NO_MAP,	  /* no perf map of this process where its runtime would write it */
	FILES_TIMED_OUT,
	FILES_CRASHED,	 /* the process that read it ended, or answered nonsense */
	FILES_TOO_LONG,	 /* that process was still busy when its time was over */
	FILES_VM_SILENT, /* a Java VM that was asked for a perf map, and did not answer */
	NR_FILES_STATES,
};

/* Why a file has no names, in a few words for a person; a constant. "" for FILES_OK. */
const char *files_why(enum files_state state);

#endif
