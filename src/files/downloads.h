/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * downloads.h: debug files that debuginfod servers are asked for, each once, however many requests
 * want it. All of them together have a limit of time, which begins with the first.
 *
 * Threads of the pool call downloads_get(); what they wait for ends at the limit.
 */
#ifndef FILES_DOWNLOADS_H
#define FILES_DOWNLOADS_H

#include "downloaded.h"
#include "helpers.h"

struct downloads;

/* `environment`: lines NAME=VALUE for the client library. */
struct downloads *downloads_new(const char *environment, unsigned int limit_ms);
/* Another reference; of NULL, NULL. */
struct downloads *downloads_ref(struct downloads *downloads);
void downloads_unref(struct downloads *downloads);

/* The most that downloads_get() waits; 0 without downloads. */
u64 downloads_limit_ns(const struct downloads *downloads);
/* What is left of that now. */
u64 downloads_left_ns(struct downloads *downloads);
enum download_kind { DOWNLOAD_DEBUG_FILE, DOWNLOAD_EXECUTABLE };

/* A descriptor of what should be the file of this build id, the caller's; -1: not to be had. */
int downloads_get(struct downloads *downloads, struct helpers *helpers, enum download_kind kind,
		  const u8 *id, size_t id_size);
struct files_downloads downloads_count(struct downloads *downloads);

#endif
