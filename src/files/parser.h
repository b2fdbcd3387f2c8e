/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser.h: the helper process that parses what others wrote: ELF, unwind tables, perf maps. It can
 * open nothing (jail.h). Each serves files of one owner only: a parser that a file has taken over
 * can lie about that owner's files, and no others.
 */
#ifndef FILES_PARSER_H
#define FILES_PARSER_H

/* Gives up what it does not need, then answers requests from `socket` until that is closed. */
void parser_run(int socket);

#endif
