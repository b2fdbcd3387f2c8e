/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd.h: commands. src/cmd/ is the only place that joins stages, prints errors and exits. Each
 * command is a function and a row in commands.c; it returns the exit status: 0 done, 1 failed, 2
 * wrong usage.
 */
#ifndef CMD_H
#define CMD_H

#include "base/base.h"

/* argv[0] is "wick NAME", for messages. */
int cmd_view(int argc, char **argv); /* argv[0] ends in the view's name */
int cmd_record(int argc, char **argv);
int cmd_threads(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_names(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_resolve(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_generate(int argc, char **argv);

/* Their options: see commands.h. */
struct argp_option;
void view_options(const char *name, struct argp_option *rows);
void record_options(const char *name, struct argp_option *rows);
void threads_options(const char *name, struct argp_option *rows);
void flame_options(const char *name, struct argp_option *rows);
void diff_options(const char *name, struct argp_option *rows);
void resolve_options(const char *name, struct argp_option *rows);
void merge_options(const char *name, struct argp_option *rows);
void info_options(const char *name, struct argp_option *rows);
void names_options(const char *name, struct argp_option *rows);
void doctor_options(const char *name, struct argp_option *rows);

/* What was printed is on standard output: 0, or 1 with an error that says why not. */
int finish_standard_output(const char *command);

/* Prints "wick: TEXT" on standard error, control bytes escaped. */
void print_note(const char *text);
void print_error(const struct error *error);

#endif
