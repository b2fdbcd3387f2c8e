/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_scopes.h: which methods a Java VM's compiler has inlined at an address. The VM writes it
 * down for places at which a thread can be stopped: calls, polls, what can fail.
 *
 *	PcDesc   offset in the code, where its scope is       sorted by offset
 *	scope    its caller's scope (0: none), number of its method, bytecode index
 *
 * in numbers of 1 to 5 bytes (UNSIGNED5). So it is exact for frames that called. What was
 * interrupted lies between two places: it is taken to be in those methods that both are in. It may
 * be in one more, which the VM has written down with -XX:+DebugNonSafepoints only.
 *
 * Sources: OpenJDK's src/hotspot/share/code/nmethod.hpp, pcDesc.hpp, scopeDesc.cpp,
 * share/utilities/unsigned5.hpp.
 */
#ifndef FILES_JAVA_SCOPES_H
#define FILES_JAVA_SCOPES_H

#include "java_heaps.h"

enum { JAVA_MAX_SCOPES = 64 };

/* Methods, as addresses, the innermost first; the last is the compiled method's own. */
struct java_scopes {
	u64 methods[JAVA_MAX_SCOPES];
	size_t nr;
};

/*
 * Of an address in the compiled method whose blob that is; of a caller, the call's last byte. False
 * where it cannot be told.
 */
bool java_scopes_find(const struct java_code *code, u64 blob, u64 address,
		      struct java_scopes *scopes);

#endif
