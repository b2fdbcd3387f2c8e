/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h: tells user space which programs are at work, and gives each of them a place of its own.
 *
 * User space puts things away while programs run: the map of counts, which it reads and empties,
 * and unwind rows, whose room it gives to others. Programs that began before can still use them.
 * The kernel can be asked to wait for those (RCU, in the update of a map of maps), but a kernel
 * whose own threads get no CPU takes half a minute for that.
 *
 * So a program takes a slot of its CPU first, and then reads the generation, which says what it is
 * to use, and marks the slot with that. User space stores a new generation first, and then looks at
 * the slots. Either it finds the slot taken, or the program finds the new generation: the order of
 * the two steps is kept on both sides (Dekker's). Nothing that is marked with the old generation is
 * at work any more once no slot is, and what is at work with the new one is done with before the
 * next: so a program can read the generation again, where it counts.
 *
 * A program can be interrupted by another one on the same CPU: task by softirq, by hardirq, by NMI.
 * Since Linux 7.0, and with PREEMPT_RT, some can be preempted too, and then they end in any order.
 * So each takes a slot that is free, with an atomic operation, and gives back just that one.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "maps.h"

/* A row a CPU: user space sets how many. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_slots);
} program_slots __weak SEC(".maps");

_Static_assert(WICK_SLOT_TAKEN == 1, "what take_word() writes");

/* 0 or 1. Written by user space, through the mapped .bss. */
u32 generation __weak = 0;

static __always_inline struct wick_slots *own_slots(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&program_slots, &cpu);
}

/* A slot of this CPU; WICK_SCRATCH_LEVELS: there is none. */
static __always_inline u32 slot_take(void)
{
	struct wick_slots *own = own_slots();
	u32 i;

	if (!own)
		return WICK_SCRATCH_LEVELS;
#pragma unroll
	for (i = 0; i < WICK_SCRATCH_LEVELS; i++) {
		if (own->used[i] || take_word(&own->used[i]))
			continue;
		*(volatile u32 *)&own->used[i] = WICK_SLOT_USED + *(volatile u32 *)&generation;
		break;
	}
	return i;
}

static __always_inline void slot_give_back(u32 slot)
{
	struct wick_slots *own = own_slots();

	if (own && slot < WICK_SCRATCH_LEVELS)
		*(volatile u32 *)&own->used[slot] = WICK_SLOT_FREE;
}

#endif
