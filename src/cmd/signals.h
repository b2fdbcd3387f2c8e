/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h: SIGINT, SIGTERM and SIGHUP during a run. The first one ends the window, and what was
 * collected is kept; the second one quits at once, whatever the run is at.
 */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

/*
 * From here to the end of the process. Returns a descriptor that becomes readable with the first
 * signal, and stays open; -1: each signal quits, as it does by default. To be called before there
 * are threads.
 */
int signals_catch(void);

#endif
