/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.h: opening the file of a mapping, by the three rules of files.h.
 */
#ifndef FILES_MAPPED_H
#define FILES_MAPPED_H

#include "open.h"
#include "roots.h"

struct opened {
	enum files_state state;
	int fd; /* -1 unless the state is FILES_OK */
	struct stamp stamp;
	bool local;
};

void open_mapped(struct roots *roots, const struct files_mapping *mapping, struct opened *opened);

#endif
