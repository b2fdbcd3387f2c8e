/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gzip.h"

#include <limits.h>
#include <zlib.h>

enum { GZIP_WRAPPER = 16 }; /* added to the window's bits: gzip's header and trailer, not zlib's */

struct gzip {
	z_stream z;
	FILE *out;
	unsigned char block[1 << 16];
};

struct gzip *gzip_new(FILE *out)
{
	struct gzip *gz = xcalloc(1, sizeof(*gz));

	gz->out = out;
	if (deflateInit2(&gz->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	return gz;
}

static void deflate_all(struct gzip *gz, int flush)
{
	do {
		gz->z.next_out = gz->block;
		gz->z.avail_out = sizeof(gz->block);
		deflate(&gz->z, flush);
		fwrite(gz->block, 1, sizeof(gz->block) - gz->z.avail_out, gz->out);
	} while (!gz->z.avail_out);
}

void gzip_add(struct gzip *gz, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size) {
		size_t part = min(size, (size_t)INT_MAX);

		gz->z.next_in = (unsigned char *)at;
		gz->z.avail_in = (unsigned int)part;
		deflate_all(gz, Z_NO_FLUSH);
		at += part;
		size -= part;
	}
}

void gzip_add_buffer(struct gzip *gz, struct strbuf *b, size_t at_least)
{
	if (!b->size || b->size < at_least)
		return;
	gzip_add(gz, b->s, b->size);
	strbuf_clear(b);
}

void gzip_finish(struct gzip *gz)
{
	gz->z.avail_in = 0;
	deflate_all(gz, Z_FINISH);
	deflateEnd(&gz->z);
	free(gz);
}
