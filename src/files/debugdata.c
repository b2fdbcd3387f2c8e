/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugdata.h"

#include <lzma.h>

enum {
	MAX_PACKED = 16 << 20,
	MAX_UNPACKED = 64 << 20,
	MAX_MEMORY = 128 << 20, /* of the decoder: xz -9 makes files that take 65 MB */
	FIRST_ROOM = 1 << 20,
};

/* As far as there is room: LZMA_OK where it is full. */
static lzma_ret decode(lzma_stream *stream)
{
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK && stream->avail_out)
		result = lzma_code(stream, LZMA_FINISH);
	return result;
}

static ssize_t unpack(lzma_stream *stream, void **to)
{
	_cleanup_free_ u8 *memory = NULL;
	size_t room = 0;
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK && room < MAX_UNPACKED) {
		size_t done = room;

		room = room ? 2 * room : FIRST_ROOM;
		memory = xrealloc(memory, room, 1);
		stream->next_out = memory + done;
		stream->avail_out = room - done;
		result = decode(stream);
	}
	if (result != LZMA_STREAM_END)
		return result == LZMA_OK ? -EFBIG : -EINVAL;
	*to = steal(&memory);
	return (ssize_t)stream->total_out;
}

ssize_t debugdata_unpack(const void *from, size_t size, void **to)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	ssize_t unpacked = -EINVAL;

	stream.next_in = from;
	stream.avail_in = size;
	if (lzma_stream_decoder(&stream, MAX_MEMORY, 0) == LZMA_OK)
		unpacked = unpack(&stream, to);
	lzma_end(&stream);
	return unpacked;
}

int debugdata_init(struct debugdata *data, const struct elf *elf)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".gnu_debugdata");
	_cleanup_free_ void *packed = NULL, *memory = NULL;
	ssize_t size;

	*data = (struct debugdata){};
	if (!section || !section->sh_size)
		return -ENOENT;
	if (section->sh_size > MAX_PACKED)
		return -EFBIG;
	packed = xcalloc(1, section->sh_size);
	if (!bytes_read(&elf->bytes, section->sh_offset, packed, section->sh_size))
		return -EINVAL;
	size = debugdata_unpack(packed, section->sh_size, &memory);
	if (size < 0)
		return (int)size;
	if (elf_init(&data->elf, bytes_of_memory(memory, (size_t)size)))
		return -EINVAL;
	data->memory = steal(&memory);
	return 0;
}

void debugdata_release(struct debugdata *data)
{
	elf_release(&data->elf);
	free(data->memory);
}
