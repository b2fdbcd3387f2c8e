/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_path.h: the path of a file, from its own name to the root, over the mounts that are in
 * between: what readlink() says of /proc/PID/fd, but also of processes that are soon gone.
 *
 * Only where an object is new to the run, so it is never taken twice. Nothing is locked: a rename
 * meanwhile can leave a path of two halves.
 */
#ifndef OBJECT_PATH_H
#define OBJECT_PATH_H

#include "scratch.h"

enum { PATH_STEPS = 20 }; /* names, and mounts */

enum path_step { STEP_ON, STEP_ENDS, STEP_CUT };

/* A name of the kernel's memory, after those that are there. False: there is no room. */
VERIFIED_ONCE int add_name(struct object_scratch *o, u64 address)
{
	u32 at;
	long size;

	if (!o)
		return false;
	at = o->body.body.nr;
	if (at > WICK_OBJECT_NAMES)
		return false;
	size = bpf_probe_read_kernel_str(o->body.names + at, WICK_OBJECT_NAME, (void *)address);
	if (size <= 0)
		return false;
	o->body.body.nr = at + (u32)size;
	return true;
}

/* From the name o->dentry, in the mount o->mount, to the one above. */
VERIFIED_ONCE int path_step(struct object_scratch *o)
{
	struct dentry *dentry, *parent;
	struct mount *mount, *above;

	if (!o)
		return STEP_CUT;
	dentry = (void *)o->dentry;
	mount = (void *)o->mount;
	if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
		above = BPF_CORE_READ(mount, mnt_parent);
		if (above == mount || !above) {
			o->body.path_end = WICK_PATH_ROOT;
			return STEP_ENDS;
		}
		o->dentry = (u64)BPF_CORE_READ(mount, mnt_mountpoint);
		o->mount = (u64)above;
		return STEP_ON;
	}
	if (!add_name(o, (u64)BPF_CORE_READ(dentry, d_name.name)))
		return STEP_CUT;
	parent = BPF_CORE_READ(dentry, d_parent);
	if (parent == dentry || !parent) {
		o->body.path_end = WICK_PATH_PSEUDO;
		return STEP_ENDS;
	}
	o->dentry = (u64)parent;
	return STEP_ON;
}

static __always_inline void take_path(struct object_scratch *o, struct file *file)
{
	o->dentry = (u64)BPF_CORE_READ(file, f_path.dentry);
	o->mount = (u64)BPF_CORE_READ(file, f_path.mnt) - bpf_core_field_offset(struct mount, mnt);
	for (u32 i = 0; i < PATH_STEPS; i++)
		if (path_step(o) != STEP_ON)
			break;
}

#endif
