/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vdso.h"

#include <sys/auxv.h>

/* Where it begins is in the auxiliary vector; where it ends, only in the list of mappings. */
int vdso_bytes(struct bytes *bytes)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin = getauxval(AT_SYSINFO_EHDR), start, end;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	if (!maps || !begin)
		return -ENOENT;
	while (getline(&line, &room, maps) > 0) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 || start != begin)
			continue;
		*bytes = bytes_of_memory((const void *)begin, end - start);
		return 0;
	}
	return -ENOENT;
}
