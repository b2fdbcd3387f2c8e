/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java.h: what a walk has to know of a Java VM (HotSpot, OpenJDK 8 to 25 and its kin) to pass
 * through its code, which has neither unwind entries nor, as a rule, frame pointers.
 *
 * The VM's code lies in a few code heaps, in blocks. A map of each heap has a byte for each segment
 * of it, which says how many segments back the block begins (0: here; 0xff: unused). A block has a
 * header and then a blob, whose frames have all the same size:
 *
 *	compiled methods, stubs with a frame	CFA = stack pointer + size; the return address and
 *						the caller's frame pointer lie below the CFA. Not
 *						yet so before `frame_complete` bytes of its code
 *	the interpreter (size 0)		the frame pointer points to the frame. Below it are
 *						the caller's stack pointer, and the Method that runs
 *	other stubs (size 0)			the frame pointer, or no frame
 *
 * Sources: OpenJDK's src/hotspot/share/memory/heap.cpp, share/code/codeBlob.hpp,
 * cpu/x86/frame_x86.hpp, cpu/aarch64/frame_aarch64.hpp. What is said here of one VM is read from
 * its memory (src/files/java_layout.c), and does not change as long as it lives: heaps grow within
 * what is reserved for them.
 *
 * Read by clang for BPF, after vmlinux.h, and by the host's compiler.
 */
#ifndef WICK_JAVA_H
#define WICK_JAVA_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum {
	WICK_JAVAS = 1024,	/* VMs that BPF knows at a time */
	WICK_JAVA_HEAPS = 4,	/* a VM has one or three */
	WICK_JAVA_BLOB = 128,	/* bytes: the members of a blob that are needed lie within */
	WICK_JAVA_UNUSED = 255, /* in the segment map */
	/* In words, from an interpreter's frame pointer; the same on x86-64 and arm64. */
	WICK_JAVA_SENDER_SP = -1,
	WICK_JAVA_METHOD = -3,
};

struct wick_java_heap {
	__u64 begin, end; /* of what is reserved; 0, 0: there is none */
	__u64 segments;	  /* the map: address of its first byte */
	__u32 log2_segment;
	__u32 pad;
};

/* Offsets in bytes, from the begin of a blob. Members of 4 bytes are aligned. */
struct wick_java {
	struct wick_java_heap heaps[WICK_JAVA_HEAPS];
	__u32 block_header;	 /* bytes of a block before its blob */
	__u32 name;		 /* a pointer to text: what kind of blob */
	__u32 frame_size;	 /* in words of 8 bytes; 4 bytes */
	__u32 frame_complete;	 /* bytes of code; negative: never */
	__u32 complete_is_short; /* that has 2 bytes, else 4 */
	__u32 code;		 /* where the code begins: a pointer, or 4 bytes from the blob on */
	__u32 code_is_offset;
	__u32 blob_size; /* up to the end of the last of these members */
};

#endif
