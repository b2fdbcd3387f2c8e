/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h: what to do about code that has no names. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include "base/strbuf.h"
#include "files.h"

/* For a file without symbols: which package has them, where Debian's package lists tell. */
void advise_file(struct strbuf *out, const char *path, enum files_state state);
/* For a process whose run-time code has no map: how its runtime writes one. */
void advise_process(struct strbuf *out, const char *comm, u32 pid, u32 inner_pid,
		    enum files_state state);

#endif
