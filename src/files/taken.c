/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taken.c: files that the caller has opened itself. */
#include <sys/stat.h>

#include "files.h"
#include "open.h"
#include "source.h"

file_ref files_take(struct files *files, int fd, int debug, const char *path)
{
	struct stat st;
	file_ref ref = 0;
	struct source source = {
		.kind = MAPPED,
		.state = FILES_OK,
		.mapping = {.path = path},
	};

	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		source.owner = st.st_uid;
		source.stamp = stamp_of(&st);
		pool_lock(files->pool);
		ref = source_add(files, &source);
		if (ref) {
			hold_fd(files, &source_of(files, ref)->fd, fd);
			hold_fd(files, &source_of(files, ref)->debug, debug);
		}
		pool_unlock(files->pool);
	}
	if (ref)
		return ref;
	close(fd);
	if (debug >= 0)
		close(debug);
	return 0;
}
