/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h: the summary for scripts: `--json`. */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "collect.h"
#include "options.h"
#include "profile.h"

/*
 * Times are seconds, sizes bytes. `files`: what was written. 0, or a negative errno: it could not
 * be written.
 */
int write_json(FILE *to, const struct run_options *o, const struct profile *p,
	       const struct run_cost *cost, char *const *files, size_t nr_files);

#endif
