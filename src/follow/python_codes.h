/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python_codes.h: the Python functions that BPF has sent, by id, and the frames in them: functions
 * of the profile, `name (file.py:line)`. The line is that of the instruction, where the function's
 * table has it; the module is the file's path.
 *
 * What was sent is what a process said: texts and tables may be anything.
 */
#ifndef FOLLOW_PYTHON_CODES_H
#define FOLLOW_PYTHON_CODES_H

#include "profile.h"
#include "wick.h"

struct python_codes;

struct python_codes *python_codes_new(struct profile *profile);
void python_codes_free(struct python_codes *c);

/* A whole body, copied; what is beyond a bound (64 MB) is dropped: its frames have no name. */
void python_codes_add(struct python_codes *c, const struct wick_code_body *body);
/* The row of a frame in the profile: `[python]` where the code is not known. */
u32 python_codes_frame(struct python_codes *c, const struct wick_python_frame *frame);

#endif
