/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_layout.h: what a walk through a Java VM's code needs (include/java.h), read from the VM's
 * memory.
 */
#ifndef FILES_JAVA_LAYOUT_H
#define FILES_JAVA_LAYOUT_H

#include "bytes.h"
#include "java.h"

/*
 * Where libjvm.so is loaded at `libjvm` and offsets in `memory` are addresses. False: that is no VM
 * which is known, or it has no code yet.
 */
bool java_layout_read(const struct bytes *memory, u64 libjvm, struct wick_java *layout);

/* Is it as the function above makes it, whoever has written it? */
bool java_layout_is_sound(const struct wick_java *layout);

#endif
