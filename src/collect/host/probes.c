/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.c: what this host allows. Each probe asks the kernel itself, by a small thing of the same
 * kind as what a run needs: not its version number, which says little about a distribution's
 * kernel, and nothing about a container.
 */
#include "probes.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <mntent.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/strbuf.h"
#include "collect/events/cpus.h"
#include "collect/events/perf.h"
#include "kernel_types.h"

/* ---- small things of each kind */

static int try_code(const struct bpf_insn *code, size_t nr)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "wick_probe", "GPL", code, nr, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* A program of two instructions, which is not attached. */
static int try_program(void)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return try_code(code, ARRAY_SIZE(code));
}

#if defined(__aarch64__)
/*
 * The kernel's compiler for arm64 has them since 5.18; other ones had them from the beginning
 * (5.12).
 */
bool has_atomic_exchange(void)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_STX | BPF_MEM | BPF_W,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_0,
		 .off = -4},
		{.code = BPF_STX | BPF_ATOMIC | BPF_W,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_0,
		 .off = -4,
		 .imm = BPF_XCHG},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return !try_code(code, ARRAY_SIZE(code));
}
#else
bool has_atomic_exchange(void)
{
	return true;
}
#endif

static int try_map(enum bpf_map_type type, u32 key, u32 value, u32 entries)
{
	int fd = bpf_map_create(type, "wick_probe", key, value, entries, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_event(u32 type, u64 config)
{
	struct perf_event_attr attr = {.type = type, .config = config, .disabled = 1};
	_cleanup_cpu_list_ struct cpu_list online = {};
	int fd, err = cpus_online(&online, NULL);

	if (err)
		return err;
	fd = perf_open_on_cpu(&attr, online.at[0]);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool huge_pages_always(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char line[128];

	return f && fgets(line, sizeof(line), f) && strstr(line, "[always]");
}

/* ---- what instruments take */

static bool lacks_tracepoint(enum wick_kind kind, struct strbuf *why)
{
	for (size_t i = 0; i < MAX_TRACEPOINTS && instruments[kind].tracepoints[i]; i++) {
		if (has_tracepoint(instruments[kind].tracepoints[i]))
			continue;
		strbuf_addf(why, "this kernel has no tracepoint %s",
			    instruments[kind].tracepoints[i]);
		return true;
	}
	return false;
}

static bool lacks_event(enum wick_kind kind, struct strbuf *why)
{
	const struct instrument *of = &instruments[kind];
	int err = of->event ? try_event(PERF_TYPE_SOFTWARE, of->event_config) : 0;

	if (!err)
		return false;
	strbuf_addf(why, "the perf event %s cannot be opened: %s", of->event, strerror(-err));
	return true;
}

bool instrument_is_missing(enum wick_kind kind, struct strbuf *why)
{
	return lacks_event(kind, why) || lacks_tracepoint(kind, why);
}

/* ---- for the doctor */

static enum probe_result probe_privileges(struct strbuf *seen, struct strbuf *fix)
{
	bool works = true, all = true;

	strbuf_addf(seen, "user %u; ", geteuid());
	for (size_t i = 0; i < nr_capabilities; i++) {
		const struct capability *c = &capabilities[i];

		if (has_capability(c->number))
			continue;
		strbuf_addf(seen, "%s%s (%s)", all ? "without " : ", ", c->name, c->use);
		all = false;
		works &= !c->required || has_capability(CAP_SYS_ADMIN);
	}
	strbuf_adds(seen, all ? "all capabilities that wick has a use for" : "");
	if (!all)
		strbuf_adds(
			fix,
			"run it as `sudo wick ...`, or for good: setcap cap_bpf,cap_perfmon,"
			"cap_sys_ptrace,cap_dac_read_search,cap_checkpoint_restore,cap_syslog=ep "
			"$(command -v wick)");
	return !works ? PROBE_MISSING : all ? PROBE_OK : PROBE_LESS;
}

static enum probe_result probe_btf(struct strbuf *seen, struct strbuf *fix)
{
	if (!access(kernel_btf, R_OK)) {
		strbuf_adds(seen, kernel_btf);
		return PROBE_OK;
	}
	strbuf_addf(seen, "%s: %s", kernel_btf, strerror(errno));
	strbuf_adds(fix,
		    "a kernel built with CONFIG_DEBUG_INFO_BTF=y: Debian's of 12 and later are");
	return PROBE_MISSING;
}

/* A line of a file of /proc or /sys, without its end; "" where there is none. */
static char *first_line(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[256] = "";

	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	return xstrdup(line);
}

static const char lockdown[] = "/sys/kernel/security/lockdown";

static enum probe_result probe_bpf(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_free_ char *sysctl = first_line("/proc/sys/kernel/unprivileged_bpf_disabled");
	int err = try_program();

	if (err)
		strbuf_addf(seen, "a program cannot be loaded: %s; ", strerror(-err));
	else
		strbuf_adds(seen, "a program can be loaded; ");
	strbuf_addf(seen, "kernel.unprivileged_bpf_disabled is %s", *sysctl ? sysctl : "not there");
	if (!err)
		return PROBE_OK;
	strbuf_adds(fix,
		    err == -ENOSYS
			    ? "a kernel built with CONFIG_BPF_SYSCALL=y"
			    : "CAP_BPF and CAP_PERFMON; in a container, a seccomp profile that "
			      "allows bpf(): docker run --privileged, or --security-opt "
			      "seccomp=unconfined --cap-add BPF --cap-add PERFMON");
	return PROBE_MISSING;
}

static enum probe_result probe_lockdown(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_free_ char *line = first_line(lockdown);

	strbuf_adds(seen, *line ? line : "the kernel knows no lockdown");
	if (!strstr(line, "[confidentiality]"))
		return PROBE_OK;
	strbuf_adds(fix,
		    "boot without lockdown=confidentiality: it forbids programs to read memory");
	return PROBE_MISSING;
}

static enum probe_result probe_perf(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_free_ char *level = first_line("/proc/sys/kernel/perf_event_paranoid");
	int err = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	strbuf_addf(seen, "cpu-clock %s%s; kernel.perf_event_paranoid is %s",
		    err ? "cannot be opened on a CPU: " : "can be opened on each CPU",
		    err ? strerror(-err) : "", *level ? level : "not there");
	if (!err)
		return PROBE_OK;
	strbuf_adds(fix,
		    err == -ENOSYS || !*level
			    ? "a kernel built with CONFIG_PERF_EVENTS=y; in a container, a seccomp "
			      "profile that allows perf_event_open()"
			    : "CAP_PERFMON; in a container, also a seccomp profile that allows "
			      "perf_event_open()");
	return PROBE_MISSING;
}

static enum probe_result probe_pmu(struct strbuf *seen, struct strbuf *fix)
{
	int err = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	(void)fix;
	strbuf_adds(seen,
		    err ? "no hardware counters (usual in virtual machines): wick does without"
			: "hardware counters are there; wick does without");
	return PROBE_OK;
}

static size_t nr_traced(void)
{
	size_t nr = 0;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		nr += instruments[kind].tracepoints[0] != NULL;
	return nr;
}

static enum probe_result probe_tracepoints(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_strbuf_ struct strbuf traced = {}, missing = {};
	size_t nr = 0;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++) {
		const struct instrument *of = &instruments[kind];

		if (of->tracepoints[0])
			strbuf_add_listed(&traced, of->name, nr++, nr_traced(), "and");
		for (size_t i = 0; i < MAX_TRACEPOINTS && of->tracepoints[i]; i++)
			if (!has_tracepoint(of->tracepoints[i]))
				strbuf_addf(&missing, "%s%s of %s", missing.size ? ", " : "",
					    of->tracepoints[i], of->name);
	}
	if (!missing.size) {
		strbuf_addf(seen, "those of %s are there", traced.s);
		return PROBE_OK;
	}
	strbuf_addf(seen, "missing: %s", missing.s);
	strbuf_adds(fix, "another kernel; the other views work");
	return PROBE_MISSING;
}

static enum probe_result probe_switch(struct strbuf *seen, struct strbuf *fix)
{
	bool exit = has_tracepoint("sched_exit_tp");
	bool kprobes = !access("/sys/bus/event_source/devices/kprobe/type", F_OK);

	strbuf_addf(seen, "%s; %s", exit ? "sched_exit_tp is there" : "no sched_exit_tp",
		    kprobes ? "kprobes are there" : "no kprobes");
	if (exit || kprobes)
		return PROBE_OK;
	strbuf_adds(fix,
		    "Linux 6.18 or CONFIG_KPROBES=y: without, every block is walked before the "
		    "switch, which costs more");
	return PROBE_LESS;
}

static enum probe_result probe_calls(struct strbuf *seen, struct strbuf *fix)
{
	bool there = has_lock_tracepoints();

	strbuf_adds(seen, there ? "seen by mmap_lock, which other system calls do not pass"
				: "seen by the tracepoints of all system calls, each of which "
				  "takes longer meanwhile");
	if (there)
		return PROBE_OK;
	strbuf_adds(fix, "Linux 6.14 or later; or not to watch brk and mmap where system calls are "
			 "very many");
	return PROBE_LESS;
}

static enum probe_result probe_rss(struct strbuf *seen, struct strbuf *fix)
{
	struct btf *types = btf__load_vmlinux_btf();
	bool there = types && has_rss_counters(types);
	bool always = huge_pages_always();

	btf__free(types);
	strbuf_adds(seen, there ? "rss_stat is there, and its counters can be read"
			  : has_tracepoint("rss_stat")
				  ? "rss_stat is there, but no counters that wick can read"
				  : "no rss_stat");
	if (there)
		return PROBE_OK;
	strbuf_addf(seen, ": bytes are a page for each fault, which is %s",
		    always ? "far too low here: transparent huge pages are set to always "
			     "(34 times too low was measured)"
			   : "too low where transparent huge pages are used (34 times was measured "
			     "where they are set to always)");
	strbuf_adds(fix, "Linux 6.2 or later");
	return PROBE_LESS;
}

static enum probe_result probe_iterators(struct strbuf *seen, struct strbuf *fix)
{
	if (!kernel_has_name("bpf_iter__task")) {
		strbuf_adds(seen, "not there");
		strbuf_adds(fix, "a later kernel (5.8)");
		return PROBE_MISSING;
	}
	strbuf_adds(seen, "there");
	if (has_helper("copy_from_user_task"))
		return PROBE_OK;
	strbuf_adds(seen, ", but user stacks of threads that are blocked have their innermost "
			  "frame only");
	strbuf_adds(fix, "Linux 5.18 or later");
	return PROBE_LESS;
}

static enum probe_result probe_ring(struct strbuf *seen, struct strbuf *fix)
{
	int err = try_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (u32)sysconf(_SC_PAGESIZE));

	strbuf_adds(seen, err ? strerror(-err) : "there");
	if (!err)
		return PROBE_OK;
	strbuf_adds(fix, err == -EPERM ? "CAP_BPF" : "a later kernel (5.8)");
	return PROBE_MISSING;
}

static enum probe_result probe_memlock(struct strbuf *seen, struct strbuf *fix)
{
	struct rlimit limit = {};

	(void)fix;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		strbuf_adds(seen, "no limit");
	else
		strbuf_addf(seen, "%llu KB; since 5.11 BPF memory is no part of it",
			    (unsigned long long)limit.rlim_cur >> 10);
	return PROBE_OK;
}

static enum probe_result probe_cgroup(struct strbuf *seen, struct strbuf *fix)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry;
	bool found = false;

	while (mounts && (entry = getmntent(mounts)) && !found) {
		found = !strcmp(entry->mnt_type, "cgroup2");
		if (found)
			strbuf_add_safe_utf8(seen, entry->mnt_dir, strlen(entry->mnt_dir));
	}
	if (mounts)
		endmntent(mounts);
	if (found)
		return PROBE_OK;
	strbuf_adds(seen, "no hierarchy of version 2 is mounted");
	strbuf_adds(fix, "mount -t cgroup2 none /sys/fs/cgroup");
	return PROBE_LESS;
}

static enum probe_result probe_kernel(struct strbuf *seen, struct strbuf *fix)
{
	struct utsname host;

	if (!uname(&host))
		strbuf_addf(seen, "Linux %s, %s; libbpf %s", host.release, host.machine,
			    libbpf_version_string());
	/* Without types there is nothing to tell its age by; that is said elsewhere. */
	if (access(kernel_btf, R_OK) || !kernel_check_age(NULL, NULL))
		return PROBE_OK;
	strbuf_adds(seen, ": too old");
	strbuf_adds(fix, "Linux 5.14 or later");
	return PROBE_MISSING;
}

static enum probe_result probe_kallsyms(struct strbuf *seen, struct strbuf *fix)
{
	_cleanup_free_ char *level = first_line("/proc/sys/kernel/kptr_restrict");

	(void)fix;
	strbuf_addf(
		seen,
		"kernel.kptr_restrict is %s; names are asked for by a program, which does not depend on it",
		*level ? level : "not there");
	return PROBE_OK;
}

const struct probe probes[] = {
	{.name = "kernel", .use = "every view", .run = probe_kernel},
	{.name = "privileges", .use = "every view", .run = probe_privileges},
	{.name = "kernel types",
	 .use = "every view: programs are fitted to this kernel by them",
	 .run = probe_btf},
	{.name = "BPF", .use = "every view", .run = probe_bpf},
	{.name = "lockdown", .use = "every view", .run = probe_lockdown},
	{.name = "ring buffer", .use = "every view", .run = probe_ring},
	{.name = "perf events",
	 .needs = NEED_CPU | NEED_FAULT,
	 .use = ", and names of processes that end",
	 .run = probe_perf},
	{.name = "hardware counters", .use = "nothing yet", .run = probe_pmu},
	{.name = "tracepoints", .use = "", .run = probe_tracepoints, .traced = true},
	{.name = "end of a switch", .needs = NEED_SCHED, .use = "", .run = probe_switch},
	{.name = "task iterators",
	 .needs = NEED_THREADS,
	 .use = "; threads that are blocked at the end",
	 .run = probe_iterators},
	{.name = "brk() and mmap()", .needs = NEED_BRK | NEED_MMAP, .use = "", .run = probe_calls},
	{.name = "resident set", .needs = NEED_FAULT, .use = ": bytes", .run = probe_rss},
	{.name = "kernel names", .use = "names of kernel functions", .run = probe_kallsyms},
	{.name = "locked memory", .use = "every view, before Linux 5.11", .run = probe_memlock},
	{.name = "cgroup v2", .use = "-G, --group cgroup", .run = probe_cgroup},
};

const size_t nr_probes = ARRAY_SIZE(probes);
