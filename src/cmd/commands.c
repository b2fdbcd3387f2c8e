/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include "cmd.h"

#define PROGRAM "[-- PROGRAM [ARGS...]]"

const struct command commands[] = {
	{"record", "all graphs below from one run, into a directory", cmd_record, record_options,
	 PROGRAM},
	{"cpu", "where threads run: on-CPU flame graph", cmd_view, view_options, PROGRAM},
	{"offcpu", "where threads wait, and for how long", cmd_view, view_options, PROGRAM},
	{"wakeup", "which code wakes threads that wait", cmd_view, view_options, PROGRAM},
	{"offwake", "where threads wait, and who wakes them", cmd_view, view_options, PROGRAM},
	{"chain", "the same, and who wakes the waker, and so on", cmd_view, view_options, PROGRAM},
	{"wall", "all of the threads' time, running and waiting", cmd_view, view_options, PROGRAM},
	{"faults", "where memory becomes resident: page faults", cmd_view, view_options, PROGRAM},
	{"brk", "where the heap grows, by brk()", cmd_view, view_options, PROGRAM},
	{"mmap", "where memory is mapped, and what is still held", cmd_view, view_options, PROGRAM},
	{"threads", "what every thread is doing now", cmd_threads, threads_options, NULL},
	{"flame", "draws folded text of any tool", cmd_flame, flame_options, "[FILE.folded...|-]"},
	{"doctor", "what this host allows, and how to allow more", cmd_doctor, doctor_options,
	 NULL},
	{"list", "the views, formats, instruments and palettes", cmd_list, NULL, NULL},
	{"generate", "the man page, or a shell's completions", cmd_generate, NULL, "man|bash|zsh"},
};

const size_t nr_commands = ARRAY_SIZE(commands);
