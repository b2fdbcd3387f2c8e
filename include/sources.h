/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h: what a file has for naming its code: which sources there are, and how much is in each.
 * It is what `wick names` prints; the order is that in which they are asked (elf_names.c,
 * elf_lines.c of src/files/).
 */
#ifndef WICK_SOURCES_H
#define WICK_SOURCES_H

#include "files.h"

enum name_source {
	SOURCE_SYMBOLS,	      /* .symtab: symbols */
	SOURCE_DEBUG_SYMBOLS, /* the same of its debug file */
	SOURCE_PACKED,	      /* .gnu_debugdata, asked where there is neither: symbols */
	SOURCE_EXPORTED,      /* .dynsym: symbols */
	SOURCE_GO,	      /* .gopclntab: functions */
	SOURCE_DWARF,	      /* .debug_info, for lines: bytes */
	SOURCE_DEBUG_DWARF,   /* the same of its debug file */
	SOURCE_SHARED_DWARF,  /* of what that shares with others (dwz) */
	NR_NAME_SOURCES,
};

struct files_sources {
	enum files_state state; /* FILES_OK: the file was read */
	u8 build_id[FILES_MAX_BUILD_ID];
	u32 build_id_size;
	u64 found[NR_NAME_SOURCES]; /* symbols, functions or bytes; 0: it has none */
};

/* Asks what a mapped file has, as files_ask() asks for names. */
struct files_request *files_ask_sources(struct files *files, file_ref file,
					unsigned int timeout_ms);
/* Waits, frees the request. */
struct files_sources files_answer_sources(struct files *files, struct files_request *request);

#endif
