/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * downloader.h: a helper that asks debuginfod servers for one debug file.
 *
 * It is the only process of wick's that talks to a network, and it has no other right: no
 * capabilities, the ids 65534 where wick may give its own away. It reads no file of others, and
 * what it brings is given to a parser like any other debug file, which checks that it has the build
 * id that was asked for.
 *
 * The work is done by debuginfod's own client library (elfutils, debuginfod_find_debuginfo(3)),
 * loaded here and nowhere else, and only where it is installed. That library keeps a cache in a
 * directory: the one of DEBUGINFOD_CACHE_PATH, if that is set, else one that is made for this
 * download and removed with it. The file itself lives on by its descriptor.
 */
#ifndef FILES_DOWNLOADER_H
#define FILES_DOWNLOADER_H

/* Serves one request (struct download_request) and ends. */
void downloader_run(int socket);

#endif
