/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h: memory for a capture that is too large for the BPF stack, and survives nesting.
 *
 * Each program that captures has a slot of its CPU (slots.h), and the scratch of that number. With
 * no slot left, the event is counted as WICK_LOST_SCRATCH.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "intern.h"
#include "mappings.h"
#include "notes.h"
#include "slots.h"
#include "unwind.h"

enum {
	WALK_PAGE = 4096,
	WALK_WINDOW = 512, /* bytes of stack read at once; 256 do almost as well, 1,024 no better */
	WALK_BELOW = 64,   /* what a frame saved lies at most so far below its caller's */
};

/* Where Python's frames are found, and how far they have been: python.h. */
struct python_walk {
	u32 number; /* of the interpreter in the map `pythons`, and 1; 0: none was met */
	u32 words;  /* of the stack's, that are Python's */
	u64 base;   /* what its offsets count from */
	u64 at;	    /* a thread state, then a frame, in the process's memory */
	u64 code;   /* of the frame at hand */
	u64 id;	    /* of that */
	u32 is_cut; /* there are more frames */
	u32 open;   /* frames since the last entry */
	u32 is_new; /* the code at hand has not been sent */
	u32 pad;
	u32 frame[WICK_PYTHON_OBJECT / sizeof(u32)];  /* the one at hand ... */
	u32 object[WICK_PYTHON_OBJECT / sizeof(u32)]; /* ... and its code, as they are in memory */
};

/* The frame at hand of a Java VM's code: java.h. */
struct java_walk {
	u64 method;    /* address of the one that is interpreted; 0: none is */
	u64 sender_sp; /* its caller's stack pointer */
	u32 nr_hops;   /* of the walk, in segment maps */
	u32 pad;
	u32 blob[WICK_JAVA_BLOB / sizeof(u32)];
	u32 code[8];
};

/*
 * The registers a user stack is walked from and what the walk has found: all of its state lies here
 * and not in registers, which keeps the verifier's work small.
 */
struct walk {
	u64 regs[WICK_NR_REGS];	      /* of the leaf, for a copy */
	bpf_user_pt_regs_t user_regs; /* as the kernel has saved them */
	struct wick_unwind_regs at;
	struct mappings mappings;
	struct notes notes;
	struct wick_unwind_special special; /* the rule at hand */
	u64 window[WALK_WINDOW / sizeof(u64)];
	u64 window_begin, window_size; /* aligned; in bytes */
	/* As in struct wick_copy_body. */
	u64 stopped_at, stopped_in;
	struct wick_file_key stopped_file;
	u32 nr;
	s32 end;      /* enum wick_end */
	u32 of_image; /* some frames are addresses, which mean something to this image only */
	u32 is_cut;   /* what was walked is all there is: no copy was made */
	struct python_walk python;
	struct java_walk java;
};

/* What a kernel stack is found by, and where its frames lie: see kernel_memo.h. */
struct kernel_notes {
	u64 begin, end; /* addresses: the context of the program, the registers of user mode */
	u64 root;	/* the return address next to the end */
	u64 call;	/* the number of the system call */
	u32 nr;		/* words between begin and end; 0: nothing can be remembered */
	u32 set, way;	/* of struct kernel_memo */
	u32 frame;	/* the last one that was found, while they are looked for */
	u8 at[WICK_KERNEL_FRAMES + 1];
};

/* What a thread waits for, while it is looked at: object.h. */
struct object_scratch {
	u64 file;	   /* the kernel's; 0: it has none */
	u64 dentry, mount; /* how far its path is taken */
	u64 id;		   /* 0: not known */
	u32 kind;	   /* enum wick_object, as it is used; 0: not known */
	u32 holder;
	u64 word; /* the address of a futex that may be a lock; 0: it is none */
	struct wick_object_body body;
};

static __always_inline void forget_object(struct object_scratch *o)
{
	o->file = o->id = o->word = 0;
	o->kind = o->holder = 0;
}

struct scratch {
	u32 slot;
	u32 has_leg; /* leg is filled in: it is not, while what is known of a thread is enough */
	struct wick_leg_body leg;
	struct walk walk;
	struct stack kernel, user;
	struct kernel_notes kernel_notes;
	struct wick_key key;
	struct wick_hop_body hop;
	struct wick_mapping_body change;
	struct wick_thread_body account;
	struct object_scratch object;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches __weak SEC(".maps");

/* NULL, with the loss counted: there is none. To be given back: see scratch_give_back(). */
static __always_inline struct scratch *scratch_take(struct wick_counters *tally)
{
	u32 slot = slot_take();
	struct scratch *s;

	if (slot == WICK_SCRATCH_LEVELS) {
		tally->at[WICK_LOST_SCRATCH]++;
		return NULL;
	}
	s = bpf_map_lookup_elem(&scratches, &slot);
	if (!s)
		return NULL;
	s->slot = s->walk.mappings.key_slot = slot;
	forget_object(&s->object);
	return s;
}

/*
 * At the end of its scope:
 *
 *	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);
 */
#define _cleanup_(function) __attribute__((cleanup(function)))

static __always_inline void scratch_give_back(struct scratch **s)
{
	if (*s)
		slot_give_back((*s)->slot);
}

#endif
