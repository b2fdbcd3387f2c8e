/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_log.h: why the kernel refuses a BPF program, in a line or two for a person and as a whole
 * for a report.
 */
#ifndef COLLECT_KERNEL_LOAD_LOG_H
#define COLLECT_KERNEL_LOAD_LOG_H

#include "base/strbuf.h"

/* From here on what libbpf says is kept. */
void load_log_begin(void);
/* All of it since then, of more than some megabytes the end; "" when there is nothing. */
const char *load_log(void);
/* Its last lines. */
const char *load_log_end(size_t lines);
/* From where the verifier speaks of a program, also of one that it took; NULL: it said nothing. */
const char *load_log_of(const char *program);
/*
 * Appends what load_refused() was told of last, and the verifier's last words: "wick_cpu
 * (Permission denied): invalid read from stack"
 */
void load_log_reason(struct strbuf *why);
/*
 * Fills the error for a `step` ("load") that failed with `code`, and returns what is to be
 * returned: -EPERM where BPF is forbidden, else -ENOEXEC.
 */
int load_refused(struct error *error, int code, const char *step);

#endif
