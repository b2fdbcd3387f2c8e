/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_attach.h: asks a Java VM for its perf map, as `jcmd PID Compiler.perfmap` does (HotSpot 17
 * and later): a command over the socket /tmp/.java_pidPID of the VM's own root, after which the VM
 * writes /tmp/perf-PID.map itself.
 *
 * The socket is there only where somebody has attached to the VM before. A VM opens it when it is
 * sent a signal, SIGQUIT; wick signals nobody, so a VM without it is left alone.
 *
 * A VM answers its own user and group only (and root, unless that is another one in its user
 * namespace). So a process of its own does it, the attacher, which becomes that user before it
 * connects, and may do nothing else any more. It may be kept waiting, and is killed then.
 */
#ifndef FILES_JAVA_ATTACH_H
#define FILES_JAVA_ATTACH_H

#include "message.h"

/*
 * In an opener: looks for the VM's socket inside of `root`. FILES_OK with *look set; FILES_NO_MAP
 * where there is none; FILES_REFUSED where it is not the process's user's.
 */
enum files_state java_find_socket(const struct jit_process *process, int root, int *look);

/* The attacher: serves one request of the other end, an attach_request, and returns. */
void java_attacher_run(int socket);

#endif
