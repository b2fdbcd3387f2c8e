/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.h: finding the file of a mapping, by the three rules of files.h. In an opener.
 */
#ifndef FILES_MAPPED_H
#define FILES_MAPPED_H

#include "open.h"
#include "roots.h"

struct opened {
	enum files_state state;
	/* Descriptors of the caller's, to look through only (O_PATH); -1: none. */
	int look; /* the file, where the state is FILES_OK */
	int root; /* of the process */
	bool knows_root;
	struct root_identity identity; /* of the root */
	struct stamp stamp;
	uid_t owner;
	bool local;
};

/* By way of the process, and of wick's own root. */
void open_mapped(const struct files_mapping *mapping, struct opened *opened);
/* By way of other roots. */
void open_mapped_in(const int *roots, size_t nr_roots, const struct files_mapping *mapping,
		    struct opened *opened);
void opened_release(struct opened *opened);

#endif
