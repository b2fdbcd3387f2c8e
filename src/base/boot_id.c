/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot_id.h"

#include <fcntl.h>

bool boot_id_read(char id[BOOT_ID_SIZE + 1])
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, id, BOOT_ID_SIZE) != BOOT_ID_SIZE)
		return false;
	id[BOOT_ID_SIZE] = '\0';
	return true;
}
