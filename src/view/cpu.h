/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.h: the views of the cpu instrument's samples. */
#ifndef VIEW_CPU_H
#define VIEW_CPU_H

#include "view.h"

void project_cpu(struct profile *p, const struct view_options *options, struct call_tree *tree);

#endif
