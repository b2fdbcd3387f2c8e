/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h: the views of the memory instruments: faults, brk, mmap. */
#ifndef VIEW_MEMORY_H
#define VIEW_MEMORY_H

#include "view.h"

void project_faults(struct profile *p, const struct view_options *options, struct call_tree *tree);
void project_brk(struct profile *p, const struct view_options *options, struct call_tree *tree);
void project_mmap(struct profile *p, const struct view_options *options, struct call_tree *tree);

#endif
