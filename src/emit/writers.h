/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writers.h: the writers of the rows of formats[], one file each.
 */
#ifndef WICK_EMIT_WRITERS_H
#define WICK_EMIT_WRITERS_H

#include "emit.h"

int write_folded(const struct call_tree *tree, const struct caption *caption, FILE *out,
		 struct error *error);
int write_svg(const struct call_tree *tree, const struct caption *caption, FILE *out,
	      struct error *error);
int write_text(const struct call_tree *tree, const struct caption *caption, FILE *out,
	       struct error *error);

#endif
