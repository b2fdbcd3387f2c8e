/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method_name.h: names of Java methods as a Java VM writes them, with types:
 * `void java.lang.Thread.join(long)`. What tells least is left out first.
 */
#ifndef WICK_METHOD_NAME_H
#define WICK_METHOD_NAME_H

#include "strings.h"

/*
 * Of such a name without its parameters: `java.lang.Thread.join`, and `Thread.join`. Another name
 * stays as it is: it has no type and one blank in front, or no dot, or `::` in it.
 */
struct string method_without_type(struct string name);
struct string method_without_package(struct string name);

/* The last one, of a name with parameters or without. */
struct string method_short_name(struct string name);

#endif
