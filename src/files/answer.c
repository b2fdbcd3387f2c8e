/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/strbuf.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

int answer_new(void)
{
	int fd = memfd_create("wick", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

int answer_new_addresses(const u64 *addresses, size_t nr)
{
	_cleanup_close_ int fd = answer_new();
	int err = fd < 0 ? fd : write_whole(fd, addresses, nr * sizeof(*addresses));

	return err ? err : steal_fd(&fd);
}

/* ---- in a parser */

int answer_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, SEALS) ? -errno : 0;
}

int answer_write_names(int fd, const struct files_symbols *names)
{
	_cleanup_free_ struct answer_name *rows = xcalloc(names->nr, sizeof(*rows));
	_cleanup_strbuf_ struct strbuf text = {};
	struct answer_head head = {
		.nr = (u32)names->nr,
		.cut = names->cut,
		.debug_file = names->debug_file,
		.build_id_size = (u8)names->build_id_size,
	};
	int err;

	for (size_t i = 0; i < names->nr; i++) {
		const struct files_symbol *symbol = &names->at[i];

		if (!symbol->name)
			continue;
		rows[i] = (struct answer_name){
			.start = symbol->start,
			.text = text.size,
			.size = symbol->name_size,
			.found = 1,
		};
		strbuf_add(&text, symbol->name, symbol->name_size);
	}
	memcpy(head.build_id, names->build_id, names->build_id_size);
	head.text_size = text.size;
	err = write_whole(fd, &head, sizeof(head));
	if (!err)
		err = write_whole(fd, rows, names->nr * sizeof(*rows));
	if (!err)
		err = write_whole(fd, text.s, text.size);
	return err ? err : answer_seal(fd);
}

/* ---- in wick */

int answer_map(int fd, struct answer *answer)
{
	struct stat st;
	void *bytes;

	if (fcntl(fd, F_GET_SEALS) != SEALS)
		return -EPROTO;
	if (fstat(fd, &st) || st.st_size <= 0 || (u64)st.st_size > ANSWER_MAX_BYTES)
		return -EPROTO;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	*answer = (struct answer){.bytes = bytes, .size = (size_t)st.st_size};
	return 0;
}

void answer_unmap(struct answer *answer)
{
	if (answer->bytes)
		munmap((void *)answer->bytes, answer->size);
	*answer = (struct answer){};
}

static bool is_name(const struct answer_head *head, const struct answer_name *name,
		    const char *text, u64 address)
{
	if (!name->found)
		return true;
	return name->size && name->size <= NAME_SIZE_MAX && name->text <= head->text_size &&
	       name->size <= head->text_size - name->text && name->start <= address &&
	       !memchr(text + name->text, '\0', name->size);
}

int answer_read_names(const struct answer *answer, struct files_symbols *reply)
{
	const struct answer_head *head = answer->bytes;
	const struct answer_name *names = (const void *)(head + 1);
	const char *text = (const char *)(names + reply->nr);
	size_t fixed = sizeof(*head) + reply->nr * sizeof(*names);

	if (answer->size < fixed || head->nr != reply->nr ||
	    head->text_size != answer->size - fixed || head->build_id_size > FILES_MAX_BUILD_ID)
		return -EPROTO;
	for (size_t i = 0; i < reply->nr; i++)
		if (!is_name(head, &names[i], text, reply->at[i].address))
			return -EPROTO;
	reply->cut = head->cut;
	reply->debug_file = head->debug_file;
	reply->build_id_size = head->build_id_size;
	memcpy(reply->build_id, head->build_id, head->build_id_size);
	for (size_t i = 0; i < reply->nr; i++)
		if (names[i].found)
			reply_name(&reply->at[i], names[i].start, text + names[i].text,
				   names[i].size);
	return 0;
}
