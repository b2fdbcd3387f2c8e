/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h: what a walk of a user stack depends on, written down while it is done: see memo.h.
 *
 * A walk by rules that count from the stack pointer or the frame pointer depends on the return
 * addresses that it reads, and on few other words: a frame pointer's only if something was counted
 * from it later. Where it depends on more, other registers, a stack elsewhere, code at the leaf,
 * the notes are unfit.
 *
 * A word that points into the stack is noted as a distance from the stack pointer, as the words'
 * own places are. So threads that are at the same place, each on a stack of its own, have the same
 * notes.
 */
#ifndef NOTES_H
#define NOTES_H

#include "intern.h"

enum {
	NOTED_WORDS = 52,	 /* more would be a third cache line of struct memo */
	NOTED_ADDRESS = 1 << 15, /* a return address: bits that are no address do not count */
	NOTED_NEAR = 1 << 16,	 /* points into the stack */
	/* How far above the stack pointer words are noted, 256 KB: their places have 15 bits. */
	NOTES_REACH = 8 << 15,
};

/* Registers of the leaf's that were used, beside instruction pointer and stack pointer. */
enum { NOTED_FP = 1, NOTED_LR = 2 };

struct notes {
	u64 sp;	     /* of the leaf */
	u64 fp_from; /* where the frame pointer at hand was read; 0: it is the leaf's */
	/* The step at hand. */
	u64 ra_at; /* where it finds the return address; 0: nowhere */
	u64 fp_at; /* the same of the caller's frame pointer; 0: in the register, as it was */
	u64 fp;	   /* before the step */
	u64 hash;  /* of the words noted */
	u64 begin; /* what that began with */
	u64 mappings;
	u32 slot; /* of struct memo */
	u32 unfit;
	u32 exact; /* the frame before the step */
	u32 pad;
	u16 nr, registers;
	u16 at[NOTED_WORDS]; /* in words from sp */
};

static __always_inline bool is_near(const struct notes *n, u64 word)
{
	return word - n->sp < NOTES_REACH;
}

static __always_inline u64 note_hash(u64 hash, const struct notes *n, u64 word, u32 at)
{
	if (is_near(n, word)) {
		word -= n->sp;
		at |= NOTED_NEAR;
	}
	return hash_lane(hash, word, at);
}

VERIFIED_ONCE int note_word(struct notes *n, u64 address, u64 word, u32 flag)
{
	u64 distance;
	u32 i;

	if (!n)
		return 0;
	distance = address - n->sp;
	i = n->nr;
	barrier_var(i);
	if (i >= NOTED_WORDS || distance >= NOTES_REACH || distance & 7) {
		n->unfit = true;
		return 0;
	}
	flag |= (u32)(distance / 8);
	n->at[i] = (u16)flag;
	n->nr = (u16)(i + 1);
	n->hash = note_hash(n->hash, n, word, flag);
	return 0;
}

/* The frame pointer at hand is used. */
static __always_inline void note_fp(struct notes *n, u64 fp)
{
	if (n->fp_from)
		note_word(n, n->fp_from, fp, 0);
	else
		n->registers |= NOTED_FP;
}

#endif
