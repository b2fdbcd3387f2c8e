/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_maker.h: makes the chunks that unwind rows lie in (bpf/unwind_rows.h), one ahead.
 *
 * A chunk is put into a map of maps, and the kernel returns from that when its RCU has seen all
 * CPUs pass: 10 ms on a quiet host, half a minute where its own threads get no CPU. So a thread
 * does that. One that is still in it when wick ends holds up the end of the process, but not what
 * it writes.
 */
#ifndef COLLECT_KERNEL_CHUNK_MAKER_H
#define COLLECT_KERNEL_CHUNK_MAKER_H

#include "base/base.h"

struct chunk_maker;

/*
 * Starts making the first of `max` chunks; `chunk_map`, the map of maps, is borrowed, and has to be
 * open while the maker is there.
 */
struct chunk_maker *chunk_maker_new(int chunk_map, u32 max);
/*
 * The memory of the chunk of that number, of WICK_CHUNK_WORDS; starts making the next one. -EAGAIN:
 * it is being made; other errors: there is none to be had.
 */
int chunk_maker_take(struct chunk_maker *m, u32 number, u32 **words);
/* Unmaps what was taken. NULL is nothing. */
void chunk_maker_free(struct chunk_maker *m);

#endif
