/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h: the executable mappings of a process, sorted by address.
 *
 * Forked processes share their parent's until one of them maps something: a set is counted, and
 * copied on write, so that a storm of forks costs a pointer each.
 */
#ifndef FOLLOW_MAPPINGS_H
#define FOLLOW_MAPPINGS_H

#include "base/vec.h"
#include "mapping.h"

/* What javas.h has found in a set. */
enum has_java {
	JAVA_NOT_LOOKED_FOR,
	JAVA_IS_MAPPED,
	JAVA_IS_NOT_MAPPED,
};

struct mappings {
	u32 references;
	enum has_java java; /* of the set as it is */
	VEC_FIELDS(struct mapping);
};

/* More than any real process has; a hostile one costs itself its names. */
enum { MAX_MAPPINGS = 8192 };

struct mappings *mappings_new(void);
struct mappings *mappings_get(struct mappings *m); /* another reference; NULL passes through */
void mappings_put(struct mappings *m);
/*
 * Adds a mapping, cutting away what it covers of others. Takes the reference and returns the set to
 * use from now on. An empty mapping, or a full set: nothing happens.
 */
struct mappings *mappings_add(struct mappings *m, const struct mapping *new);
/* NULL where no executable mapping covers the address. */
const struct mapping *mappings_find(const struct mappings *m, u64 address);

/*
 * What a path in a MMAP2 record or /proc/PID/maps stands for. A memfd that is mapped privately is a
 * program or a library, as the kernel and ld.so map them; one that is shared is a run-time's code,
 * which writes it by another mapping.
 */
enum mapping_kind mapping_kind_of(const char *path, bool shared);

#endif
