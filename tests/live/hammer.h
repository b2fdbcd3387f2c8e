/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hammer.h: what hammer.c and hammer.bpf.c agree on. */
#ifndef HAMMER_H
#define HAMMER_H

enum { HAMMER_KEYS = 64 }; /* that one run counts */

#endif
