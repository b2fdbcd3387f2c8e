/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opener.h: the helper process that opens files: the only one that sees paths. It reads no more of
 * a file than a few bytes of code, and understands nothing of it. It may wait for a file system for
 * ever; then it is ended, and another one is made.
 *
 * wick itself only ever holds descriptors to look through (O_PATH). A file that is open for reading
 * would be asked to flush when wick closes it, at its end too, and on a FUSE file system that can
 * wait for ever as well. So what is opened for a parser goes from here to there.
 */
#ifndef FILES_OPENER_H
#define FILES_OPENER_H

/* Gives up what it does not need, then answers requests from `socket` until that is closed. */
void opener_run(int socket);

#endif
