/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_vm.h: names of what a Java VM (HotSpot, OpenJDK 8 and later) has compiled, from its own
 * structures in its memory, as async-profiler and the serviceability agent read them. It takes no
 * perf map, no option of the VM's, and nothing is run in it; the process has to be alive.
 *
 * Names are as in the VM's own perf map: `long Service.parse(long, int)`; stubs and the interpreter
 * by the VM's words for them.
 */
#ifndef FILES_JAVA_VM_H
#define FILES_JAVA_VM_H

#include "bytes.h"
#include "lines_answer.h"
#include "reply.h"

/*
 * Names the reply's addresses, ascending virtual ones, where libjvm.so is loaded at `libjvm` and
 * offsets in `memory` are addresses. One with WICK_FRAME_METHOD is that of a Method, and has the
 * name of the interpreter where the method is gone. Returns how many got a name; -1: that is no VM
 * which is known.
 */
s64 java_vm_name(const struct bytes *memory, u64 libjvm, struct files_symbols *reply);

/*
 * Adds what is inlined at these addresses: functions, without lines. False: that is no VM which is
 * known.
 */
bool java_vm_lines(const struct bytes *memory, u64 libjvm, const struct files_symbols *asked,
		   struct found_lines *found);

#endif
