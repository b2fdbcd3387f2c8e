/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h: the ring buffer through which BPF sends bodies, and the thread that keeps it, and the
 * rings of the side-band, from filling up.
 *
 * What a run does with bodies and records can take long, and on a busy host it may not get a CPU
 * for seconds. So a thread of its own copies them out of their rings into memory. It runs at a
 * real-time priority, where that is allowed, but only when the kernel wakes it: a ring fills up, or
 * a file is asked for. In between, whoever takes bodies and records empties the rings. The thread
 * copies, and does nothing else.
 */
#ifndef COLLECT_KERNEL_INTAKE_H
#define COLLECT_KERNEL_INTAKE_H

#include "base/base.h"
#include "collect/events/sideband.h"

struct intake;

/*
 * Begins with the side-band, which is borrowed: loading BPF takes long enough to fill its rings.
 * When `max_pending` bytes of bodies wait to be taken, the others stay in the ring.
 * The thread gives up its privileges, but not those of the caller.
 */
int intake_open(struct intake **out, struct sideband *sideband, u64 max_pending,
		struct error *error);
/* `map`: the ring buffer's descriptor, borrowed; `size`: its bytes. To be called once. */
int intake_add_ring(struct intake *in, int map, u32 size, struct error *error);
/* Is readable when the thread was woken, until the next intake_take(). */
int intake_fd(const struct intake *in);
/* Hands on all bodies that were sent before the call, in their order. */
void intake_take(struct intake *in, void (*take)(void *ctx, const void *body, size_t size),
		 void *ctx);
/* To be called before the side-band is closed. NULL is fine. */
void intake_close(struct intake *in);

#endif
