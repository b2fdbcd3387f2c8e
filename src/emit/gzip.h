/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip.h: a stream whose bytes go through zlib into another one, as a .gz file without name and
 * time, so that the same bytes give the same file.
 *
 *	struct gzip *gz = gzip_new(out);
 *
 *	gzip_add(gz, bytes, size);			any number of times
 *	gzip_finish(gz);				writes what is left, and frees it
 */
#ifndef EMIT_GZIP_H
#define EMIT_GZIP_H

#include "base/strbuf.h"

struct gzip;

/* `out` is the caller's, who checks ferror(). */
struct gzip *gzip_new(FILE *out);
void gzip_add(struct gzip *gz, const void *bytes, size_t size);
/* Adds what is in the buffer once it is `at_least` bytes, and clears it. */
void gzip_add_buffer(struct gzip *gz, struct strbuf *b, size_t at_least);
void gzip_finish(struct gzip *gz);

#endif
