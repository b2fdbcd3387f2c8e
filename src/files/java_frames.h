/* SPDX-License-Identifier: GPL-2.0-or-later */
/* java_frames.h: rules of include/java_rules.h for frames of a Java VM's code, from its memory. */
#ifndef FILES_JAVA_FRAMES_H
#define FILES_JAVA_FRAMES_H

#include "bytes.h"

/*
 * Rules for `nr` addresses (of callers, the last byte of the call; with WICK_JAVA_EXACT, where it
 * was interrupted), or WICK_JAVA_BY_FP. Where libjvm.so is loaded at `libjvm` and offsets in
 * `memory` are addresses. False: that is no VM which is known.
 */
bool java_frames_read(const struct bytes *memory, u64 libjvm, const u64 *addresses, size_t nr,
		      u32 *rules);

/* Is it one that the function above gives, whoever has written it? */
bool java_frame_is_sound(u32 rule);

#endif
