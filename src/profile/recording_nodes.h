/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_nodes.h: nodes of a trie, which a writer sorts so that a parent's children, and theirs,
 * come one after the other. So a node's parent is the row before, or an ancestor of that:
 *
 *	row  parent         written
 *	1    0   main       0: the row before
 *	2    1     read     0
 *	3    2       copy   0
 *	4    2       sort   1: the parent of the row before
 *	5    1     write    2: its parent's parent
 *
 * and its frame is near that of the child of the same parent before it, here of `copy` for `sort`,
 * of `read` for `write`. Neither looks at rows before the section, which may have been damaged.
 */
#ifndef PROFILE_RECORDING_NODES_H
#define PROFILE_RECORDING_NODES_H

#include "recording_expected.h"

enum { MOST_STEPS = 126 }; /* up; other parents are told by how many rows lie between */

u64 code_parent(const struct column_place *at, u64 parent);
/* UINT64_MAX: it is none. */
u64 decode_parent(const struct column_place *at, u64 coded);
/* The child of the same parent that came before; else the row before; NULL in the first row. */
const struct recorded_node *elder_sibling(const struct column_place *at);

#endif
