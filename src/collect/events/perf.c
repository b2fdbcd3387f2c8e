/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf.h"

#include <sys/syscall.h>

int perf_open_on_cpu(struct perf_event_attr *attr, u32 cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int paranoid_level(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	if (!f || fscanf(f, "%d", &level) != 1)
		return -1;
	return level;
}

int perf_refused(struct error *error, int code, const char *what)
{
	switch (code) {
	case -EPERM:
	case -EACCES:
		return fail(
			error, -EPERM,
			"cannot open %s: perf events are forbidden here (%s; "
			"kernel.perf_event_paranoid is %d).\n"
			"Run wick as root on the host itself, or give its container CAP_PERFMON "
			"and a seccomp profile that allows perf_event_open.",
			what, strerror(-code), paranoid_level());
	case -ENOSYS:
	case -ENOENT:
	case -EOPNOTSUPP:
		return fail(error, -ENOTSUP,
			    "cannot open %s: this kernel has no such perf event (%s). It needs "
			    "CONFIG_PERF_EVENTS.",
			    what, strerror(-code));
	case -EMFILE:
		return fail(error, code,
			    "cannot open %s: too many open files. Raise the limit: ulimit -n 65536",
			    what);
	default:
		return fail(error, code, "cannot open %s: %s", what, strerror(-code));
	}
}
