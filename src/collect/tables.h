/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h: what BPF is told of files: the number that frames in them have, and their unwind rows.
 *
 * BPF walks with the rows of the files it has been told of. Where it meets another it sends the stack and says
 * which file that was; the file's table is made behind (files.h), and published here when it is
 * there. So only files that are sampled have rows in the kernel, and each is sent for once.
 */
#ifndef COLLECT_TABLES_H
#define COLLECT_TABLES_H

#include "files.h"
#include "mappings.h"
#include "profile.h"

struct tables;

/* The maps of bpf/mappings.h and bpf/rows.h. */
struct tables_maps {
	int known_files, regions, chunks;
	u64 *epoch; /* known_files_epoch */
};

/* `rows`: whether there shall be any; else frame pointers are all that BPF walks by. */
struct tables *tables_new(struct profile *profile, struct files *files, bool rows);
void tables_free(struct tables *t);
/* Until then wishes are kept. */
void tables_attach(struct tables *t, const struct tables_maps *maps);

/* BPF has met a file that it does not know, in this mapping; NULL: nobody knows what is mapped there. */
void tables_want(struct tables *t, const struct wick_file_key *key, const struct mapping *mapping);
/* Publishes what has become ready. */
void tables_retry(struct tables *t);

/* Some are being made. */
bool tables_pending(const struct tables *t);

/* Bytes of rows, and files, that BPF has. */
u64 tables_bytes(const struct tables *t);
u64 tables_nr_files(const struct tables *t);

#endif
