/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor_programs.h: which BPF programs this kernel takes, for the doctor: all are loaded, and
 * thrown away.
 */
#ifndef CMD_DOCTOR_PROGRAMS_H
#define CMD_DOCTOR_PROGRAMS_H

#include "collect.h"
#include "parts.h"

struct json_object;

/* What was tried: a part, or what goes with every one of them. */
struct trial_row {
	const char *name;
	bool tried;
	bool works; /* also where what includes it does */
	struct trial trial;
	struct strbuf why; /* it does not work */
};

enum { FAMILY = NR_PARTS, KERNEL_NAMES, NR_TRIALS };

struct trials {
	struct trial_row at[NR_TRIALS];
};

void trials_run(struct trials *trials);
void trials_release(struct trials *trials);

/* As a row of the doctor's. */
enum probe_result trials_judge(const struct trials *trials, struct strbuf *seen,
			       struct strbuf *fix);
/* The views, and `wick threads`, which is one too; NULL after the last. */
const struct view *doctor_view(size_t i);
/* NULL: this view works. */
const char *trials_why_not(const struct trials *trials, const struct view *view);
/* A line a program. */
void trials_print(const struct trials *trials, FILE *to);
/* "instruments", "views", "programs" */
void trials_add_json(const struct trials *trials, struct json_object *to);

#endif
