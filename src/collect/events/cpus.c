/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpus.h"

#include <fcntl.h>

#include "collect.h"

enum { MAX_CPUS = 1 << 16 };

static int add_range(struct cpu_list *cpus, unsigned long from, unsigned long to)
{
	if (from > to || to >= MAX_CPUS)
		return -EINVAL;
	for (; from <= to; from++)
		*vec_add(cpus) = (u32)from;
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void sort_and_merge(struct cpu_list *cpus)
{
	size_t nr = 0;

	vec_sort(cpus, compare_u32);
	for (size_t i = 0; i < cpus->nr; i++)
		if (!nr || cpus->at[nr - 1] != cpus->at[i])
			cpus->at[nr++] = cpus->at[i];
	cpus->nr = nr;
}

static int parse(const char *s, struct cpu_list *cpus)
{
	while (*s && *s != '\n') {
		unsigned long from, to;
		char *end;

		if (*s < '0' || *s > '9')
			return -EINVAL;
		from = to = strtoul(s, &end, 10);
		if (*end == '-') {
			s = end + 1;
			if (*s < '0' || *s > '9')
				return -EINVAL;
			to = strtoul(s, &end, 10);
		}
		if (add_range(cpus, from, to))
			return -EINVAL;
		if (*end == ',' && end[1])
			end++;
		else if (*end && *end != '\n')
			return -EINVAL;
		s = end;
	}
	sort_and_merge(cpus);
	return cpus->nr ? 0 : -EINVAL;
}

int parse_cpu_list(const char *text, u32 **cpus, size_t *nr)
{
	struct cpu_list list = {};
	int err = parse(text, &list);

	if (err) {
		vec_release(&list);
		return err;
	}
	*cpus = list.at;
	*nr = list.nr;
	return 0;
}

static int read_online(struct cpu_list *cpus)
{
	_cleanup_close_ int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	char line[4096]; /* a file of sysfs is a page at most */
	ssize_t size;

	cpus->nr = 0;
	if (fd < 0)
		return -errno;
	size = read(fd, line, sizeof(line) - 1);
	if (size <= 0)
		return size ? -errno : -EIO;
	line[size] = '\0';
	return parse(line, cpus);
}

int cpus_online(struct cpu_list *cpus, struct error *error)
{
	int err = read_online(cpus);

	if (err)
		return fail(error, err, "cannot read /sys/devices/system/cpu/online: %s",
			    strerror(-err));
	return 0;
}

static bool has(const struct cpu_list *cpus, u32 wanted)
{
	vec_for_each (cpus, cpu)
		if (*cpu == wanted)
			return true;
	return false;
}

int cpus_check(const struct cpu_list *cpus, struct error *error)
{
	_cleanup_cpu_list_ struct cpu_list online = {};
	int err = cpus->nr ? cpus_online(&online, error) : 0;

	for (size_t i = 0; i < cpus->nr && !err; i++)
		if (!has(&online, cpus->at[i]))
			err = fail(error, -ENOENT,
				   "no such CPU: %u is not online. /sys/devices/system/cpu/online "
				   "lists those that are.",
				   cpus->at[i]);
	return err;
}

int cpus_idle(struct idle_times *idle)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	_cleanup_free_ char *line = NULL;
	u64 tick_ns = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
	size_t room = 0;

	idle->nr = 0;
	if (!f)
		return -errno;
	while (getline(&line, &room, f) > 0) {
		unsigned long long ticks, iowait;
		unsigned int cpu;

		/* The first line is the sum: "cpu  1234 ...", which %u would take for a CPU. */
		if (!strncmp(line, "cpu ", 4))
			continue;
		if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu", &cpu, &ticks, &iowait) != 3)
			continue;
		if (cpu >= MAX_CPUS)
			return -EINVAL;
		while (idle->nr <= cpu)
			vec_add(idle);
		idle->at[cpu] = (ticks + iowait) * tick_ns;
	}
	return 0;
}
