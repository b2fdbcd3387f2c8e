/* SPDX-License-Identifier: GPL-2.0-or-later */
/* downloaded.c: debug files from elsewhere. */
#include "downloaded.h"

#include "source.h"

void files_use_debuginfod(struct files *files, const char *environment, unsigned int limit_ms)
{
	pool_lock(files->pool);
	if (!files->downloads)
		files->downloads = downloads_new(environment, limit_ms);
	pool_unlock(files->pool);
}

/* There is one from files_use_debuginfod() to the end. */
static struct downloads *downloads_of(struct files *files)
{
	struct downloads *downloads;

	pool_lock(files->pool);
	downloads = files->downloads;
	pool_unlock(files->pool);
	return downloads;
}

unsigned int files_download_ms(struct files *files)
{
	return (unsigned int)(downloads_left_ns(downloads_of(files)) / NSEC_PER_MSEC);
}

struct files_downloads files_downloads(struct files *files)
{
	return downloads_count(downloads_of(files));
}

file_ref files_download(struct files *files, const u8 *id, size_t id_size)
{
	struct downloads *d = downloads_of(files);
	int fd = downloads_get(d, files->helpers, DOWNLOAD_EXECUTABLE, id, id_size);

	if (fd < 0)
		fd = downloads_get(d, files->helpers, DOWNLOAD_DEBUG_FILE, id, id_size);
	return fd < 0 ? 0 : files_take(files, fd, -1, "");
}
