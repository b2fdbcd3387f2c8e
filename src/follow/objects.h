/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects.h: what threads wait for, as BPF sends it, becomes rows with names. */
#ifndef FOLLOW_OBJECTS_H
#define FOLLOW_OBJECTS_H

#include "profile.h"
#include "wick.h"

/* The row of an object, made if need be. `body` has all the names that it says it has. */
u32 objects_row(struct profile *p, const struct wick_object_body *body);

#endif
