/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_log.h: why the kernel refuses a BPF program, in a line or two for a person and as a whole
 * for a report.
 */
#ifndef COLLECT_KERNEL_LOAD_LOG_H
#define COLLECT_KERNEL_LOAD_LOG_H

#include "base/base.h"

/* From here on what libbpf says is kept. */
void load_log_begin(void);
/* All of it since then; "" when there is nothing. */
const char *load_log(void);
/*
 * Fills the error for a `step` ("load") that failed with `code`, and returns what is to be
 * returned.
 */
int load_refused(struct error *error, int code, const char *step);

#endif
