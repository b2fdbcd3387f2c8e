/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c: the hosts of a profile that several runs were merged into. */
#include "profile.h"

bool profile_has_hosts(const struct profile *p)
{
	for (size_t i = 2; i < p->hosts.nr; i++)
		if (p->hosts.at[i].name != p->hosts.at[1].name)
			return true;
	return false;
}

struct string profile_host_name(const struct profile *p, u32 leg)
{
	u32 host = p->legs.at[leg].host;

	return strings_get(&p->names, host ? p->hosts.at[host].name : p->host);
}

u64 profile_cpu_window(const struct profile *p, u32 row, u32 *cpu)
{
	*cpu = row;
	for (size_t i = 1; i < p->hosts.nr; i++) {
		const struct profile_host *host = &p->hosts.at[i];

		if (row < host->first_cpu || row - host->first_cpu >= host->nr_cpus)
			continue;
		*cpu = row - host->first_cpu;
		return host->end - min(host->begin, host->end);
	}
	return p->end - p->begin;
}
