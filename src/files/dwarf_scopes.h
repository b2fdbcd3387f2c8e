/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_scopes.h: names of functions with what they are declared in, which gdb shows, too.
 *
 * GCC gives a C++ function that is local to a file no linkage name: a template that takes a lambda,
 * say. Its own name is "operator()" or "_M_invoke<0>", and the namespaces and types that it is
 * declared in tell which one that is. A DIE does not know what it is in, so they are looked for
 * from the unit down.
 *
 * False where the unit is of another language, or was not searched until the deadline.
 */
#ifndef FILES_DWARF_SCOPES_H
#define FILES_DWARF_SCOPES_H

#include "base/strbuf.h"

#include <elfutils/libdw.h>

bool dwarf_scoped_name(const Dwarf_Die *function, const char *name, u64 deadline_ns,
		       struct strbuf *scoped);

#endif
