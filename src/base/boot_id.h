/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot_id.h: which boot of which kernel this is: /proc/sys/kernel/random/boot_id. */
#ifndef BASE_BOOT_ID_H
#define BASE_BOOT_ID_H

#include "base.h"

enum { BOOT_ID_SIZE = 36 }; /* a UUID's text */

/* As text with a NUL; false where the kernel does not say. */
bool boot_id_read(char id[BOOT_ID_SIZE + 1]);

#endif
