/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h: what a parser found, in a memory file (memfd) that wick made and the parser filled and
 * sealed. After that nothing can change or shorten it, so that wick can check it once and then use
 * it where it is. The parser may have been taken over by the file that it read: its answer is
 * trusted as little as that file.
 *
 * Names:	struct answer_head, struct answer_name for each address, the names' bytes
 * Tables:	unwinder.h, unwind_table_write()
 */
#ifndef FILES_ANSWER_H
#define FILES_ANSWER_H

#include "reply.h"

#define ANSWER_MAX_BYTES (512ull << 20)

struct answer_head {
	u32 nr;
	u8 cut, debug_file;
	u8 build_id_size;
	u8 pad;
	u8 build_id[FILES_MAX_BUILD_ID];
	u64 text_size;
};

struct answer_name {
	u64 start;
	u64 text; /* where its bytes begin among the names' bytes */
	u32 size;
	u32 found; /* 0: nothing covers the address */
};

/* A new one, empty; a descriptor or a negative errno. */
int answer_new(void);
/* The same with the addresses in it that are asked for. */
int answer_new_addresses(const u64 *addresses, size_t nr);

/* In a parser: writes the names, and seals. A negative errno. */
int answer_write_names(int fd, const struct files_symbols *names);
int answer_seal(int fd);

struct answer {
	const void *bytes; /* mapped */
	size_t size;
};

/* -EPROTO: it is not sealed, or too large. */
int answer_map(int fd, struct answer *answer);
void answer_unmap(struct answer *answer);

/* Fills the names of a reply; -EPROTO, and none filled, where anything is not as it has to be. */
int answer_read_names(const struct answer *answer, struct files_symbols *reply);

#endif
