/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hammer.h: what hammer.c and hammer.bpf.c agree on. */
#ifndef HAMMER_H
#define HAMMER_H

enum { HAMMER_KEYS = 64 }; /* that one run counts */

/* So many times that, and a column is beyond half of its range: it may not come back to 0. */
#define HAMMER_MUCH (1ull << 57)
enum { HAMMER_HALF = 64 };

#endif
