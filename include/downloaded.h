/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * downloaded.h: debug files that are not on this host, from debuginfod servers (elfutils,
 * debuginfod(8)): asked for by build id, only where the user wants that, and never while a run
 * collects, since it begins with files_use_debuginfod().
 */
#ifndef WICK_DOWNLOADED_H
#define WICK_DOWNLOADED_H

#include "files.h"

struct files_downloads {
	u32 nr;	       /* files that came */
	u32 nr_absent; /* no server has them */
	u32 nr_late;   /* the time was over */
	u32 nr_failed;
	int error; /* errno of the last that failed */
	bool has_no_library;
	u64 bytes;
};

/*
 * From now on, requests for names and lines whose file needs a debug file that is not here have it
 * downloaded; all downloads together take `limit_ms` at most, beside the requests' own time. What
 * the client library has to know, its DEBUGINFOD_URLS above all, are lines NAME=VALUE of
 * `environment`.
 */
void files_use_debuginfod(struct files *files, const char *environment, unsigned int limit_ms);
/* What is left of that; 0 without it. */
unsigned int files_download_ms(struct files *files);
struct files_downloads files_downloads(struct files *files);

/*
 * The file of this build id, which is not here, as a token; where only its debug file is to be had,
 * that (it names nothing if it was made by objcopy, which drops where segments were in the file).
 * Waits for it; 0: neither.
 */
file_ref files_download(struct files *files, const u8 *id, size_t id_size);

#endif
