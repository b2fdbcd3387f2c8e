/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "privileges.h"

#include <sys/capability.h>

#include "base/strbuf.h"

/* Before 5.8 these were parts of CAP_SYS_ADMIN, which still stands for both. */
const struct capability capabilities[] = {
	{CAP_BPF, "CAP_BPF", "to load programs and make maps", .required = true},
	{CAP_PERFMON, "CAP_PERFMON", "to trace the kernel and open perf events on each CPU",
	 .required = true},
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE",
	 "names in other users' processes: their mappings, their files", .kept = true,
	 .names = true},
	{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
	 "names in files that you may not read, and of cgroups", .kept = true, .names = true},
	{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE", "names in files that have been deleted",
	 .kept = true, .names = true},
	{CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses, where kptr_restrict is 1", .kept = true},
	{CAP_SYS_NICE, "CAP_SYS_NICE", "a higher priority, on a host that is busy", .kept = false},
	/* Where the files are to be: sudo's user owns the directory, and gets them. */
	{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", "to write into other users' directories",
	 .kept = true},
	{CAP_CHOWN, "CAP_CHOWN", "to give the files to who called sudo", .kept = true},
	{CAP_FOWNER, "CAP_FOWNER", "the same", .kept = true},
};

const size_t nr_capabilities = ARRAY_SIZE(capabilities);

bool has_capability(int number)
{
	cap_t own = cap_get_proc();
	cap_flag_value_t set = CAP_CLEAR;

	if (!own)
		return false;
	cap_get_flag(own, number, CAP_EFFECTIVE, &set);
	cap_free(own);
	return set == CAP_SET;
}

int privileges_check(struct error *error)
{
	_cleanup_strbuf_ struct strbuf missing = {};

	if (has_capability(CAP_SYS_ADMIN))
		return 0;
	for (size_t i = 0; i < nr_capabilities; i++)
		if (capabilities[i].required && !has_capability(capabilities[i].number))
			strbuf_addf(&missing, "%s%s", missing.size ? " and " : "",
				    capabilities[i].name);
	if (!missing.size)
		return 0;
	return fail(
		error, -EPERM,
		"profiling the host takes root, or a few capabilities; this process lacks %s.\n"
		"Run it as `sudo wick ...`; `wick doctor` says which capabilities it takes without.",
		missing.s);
}

static bool is_kept(int number)
{
	for (size_t i = 0; i < nr_capabilities; i++)
		if (capabilities[i].number == number)
			return capabilities[i].required || capabilities[i].kept;
	return false;
}

void privileges_drop(void)
{
	cap_t own = cap_get_proc();

	if (!own)
		return;
	for (int i = 0; i <= cap_max_bits(); i++) {
		cap_value_t value = i;

		/* On a kernel without them, CAP_SYS_ADMIN is what stands for the first two. */
		if (is_kept(i) || (i == CAP_SYS_ADMIN && !has_capability(CAP_BPF)))
			continue;
		cap_set_flag(own, CAP_EFFECTIVE, 1, &value, CAP_CLEAR);
		cap_set_flag(own, CAP_PERMITTED, 1, &value, CAP_CLEAR);
		cap_set_flag(own, CAP_INHERITABLE, 1, &value, CAP_CLEAR);
	}
	/* Failing means to go on with more than is needed, which is no reason to stop. */
	cap_set_proc(own);
	cap_free(own);
}
