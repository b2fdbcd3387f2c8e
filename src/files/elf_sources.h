/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_sources.h: which sources of names and lines one opened file has, and its debug files. */
#ifndef FILES_ELF_SOURCES_H
#define FILES_ELF_SOURCES_H

#include "elf_names.h"
#include "sources.h"

/* *link: what is not among `debug` and would have more; empty: nothing. */
void find_sources(struct bytes bytes, const struct debug_files *debug,
		  struct files_sources *sources, struct debug_link *link);

#endif
