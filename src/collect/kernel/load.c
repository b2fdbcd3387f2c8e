/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>

#include "btf_cut.h"
#include "follow.h"
#include "collect/events/cpus.h"
#include "collect/host/kernel_types.h"
#include "switch_hook.h"
#include "collect/host/probes.h"
#include "load_log.h"
#include "memory_settings.h"
#include "wick_glob.h"
#include "wick.h"
#include "wick.skel.h"

static u64 random_u64(void)
{
	u64 value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != sizeof(value))
		value = monotonic_ns() * 0x9e3779b97f4a7c15ull;
	return value;
}

static u64 own_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/* The device of memfds, as the kernel encodes it: what one of our own is on. */
static u32 shared_memory_dev(void)
{
	_cleanup_close_ int fd = memfd_create("wick", MFD_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	return (u32)major(st.st_dev) << 20 | (u32)minor(st.st_dev);
}

/* Of a period; by default 1 % of the host, but not less than 2 % of one CPU. */
static u64 budget_ns(double percent)
{
	int cpus = get_nprocs();

	if (!percent)
		percent = cpus > 1 ? 1 : 2;
	return (u64)(WICK_PERIOD_NS * percent / 100);
}

static int set_filters(struct wick_bpf *skeleton, const struct collect_options *o,
		       struct error *error)
{
	struct wick_filter *f = &skeleton->rodata->filter;
	u64 cgroup = 0;
	int err = 0;

	f->self_tgid = o->self ? 0 : (u32)getpid();
	f->forker_tgid = o->self ? 0 : o->forker;
	f->by_pid = o->nr_pids != 0;
	f->by_tid = o->nr_tids != 0;
	f->by_comm = o->comm != NULL;
	f->by_process = o->process != NULL;
	f->by_cgroup = o->cgroup != NULL;
	f->by_cpu = o->cpus != NULL;
	f->family_of = o->program && !o->all ? (u32)getpid() : 0;
	f->user_only = o->user_threads;
	f->kernel_only = o->kernel_threads;
	f->idle = o->idle;
	f->no_user_stack = o->kernel_frames;
	f->no_kernel_stack = o->user_frames;
	f->pid_namespace = own_pid_namespace();
	f->walk_fp = o->walk_fp;
	f->no_python = o->no_python;
	f->copies = o->copies;
	f->shared_memory_dev = shared_memory_dev();
	f->no_exchange = !has_atomic_exchange();
	f->check_memos = secure_getenv("WICK_CHECK_MEMOS") != NULL; /* for tests */
	f->page_bits = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	if (o->comm)
		err = wick_glob_compile(&skeleton->rodata->glob, o->comm, error);
	if (!err && o->process)
		err = wick_glob_compile(&skeleton->rodata->process_glob, o->process, error);
	if (!err && o->cgroup)
		err = cgroup_find(o->cgroup, &cgroup, &f->cgroup_level, error);
	f->cgroup = cgroup;
	return err;
}

/* Those in the rows of the instruments that the run needs; others depend on the kernel. */
static void choose_programs(struct wick_bpf *skeleton, u32 needs)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, skeleton->obj)
		bpf_program__set_autoload(program, false);
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++) {
		const char *const *names = instruments[kind].programs;

		for (size_t i = 0; i < MAX_PROGRAMS && names[i] && needs & 1u << kind; i++) {
			program = bpf_object__find_program_by_name(skeleton->obj, names[i]);
			if (!bug(!program))
				bpf_program__set_autoload(program, true);
		}
	}
}

struct counts_maps load_counts_maps(struct wick_bpf *skeleton)
{
	return (struct counts_maps){
		.counts = {skeleton->maps.counts_0, skeleton->maps.counts_1},
		.slots = skeleton->maps.program_slots,
	};
}

static void set_sizes(struct wick_bpf *skeleton, const struct collect_options *o,
		      const struct sizes *sizes, const struct cpu_list *cpus)
{
	bpf_map__set_max_entries(skeleton->maps.bodies, sizes->ring);
	counts_set_sizes(load_counts_maps(skeleton), sizes->keys);
	bpf_map__set_max_entries(skeleton->maps.pids, max((u32)o->nr_pids, 1u));
	bpf_map__set_max_entries(skeleton->maps.tids, max((u32)o->nr_tids, 1u));
	bpf_map__set_max_entries(skeleton->maps.cpus, max((u32)cpus->nr, 1u));
}

/* What follows the program and its children. */
static void family_choose(struct wick_bpf *skeleton)
{
	bool follows = skeleton->rodata->filter.family_of;

	bpf_program__set_autoload(skeleton->progs.wick_family_fork, follows);
	bpf_program__set_autoload(skeleton->progs.wick_family_free, follows);
	if (!follows)
		bpf_map__set_max_entries(skeleton->maps.family, 1);
}

static int fill_set(struct bpf_map *map, const u32 *ids, size_t nr, struct error *error)
{
	u64 member = 1;

	for (size_t i = 0; i < nr; i++)
		if (bpf_map_update_elem(bpf_map__fd(map), &ids[i], &member, BPF_ANY))
			return fail(error, -errno, "cannot fill a BPF map of ids: %s",
				    strerror(errno));
	return 0;
}

/* Kernels before 5.11 account BPF memory here; newer ones do not, and failing is no error. */
static void raise_memlock(void)
{
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

static void destroy(struct wick_bpf **skeleton)
{
	wick_bpf__destroy(*skeleton);
}

/* ---- the kernel's types */

/* Mapped, or before 6.17, which is the first kernel where that can be done, read. */
static int read_kernel_btf(struct strbuf *cut, const struct btf *wanted)
{
	_cleanup_close_ int fd = open(kernel_btf, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *copy = NULL;
	struct stat st;
	void *mapped;
	size_t size;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	size = (size_t)st.st_size;
	mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped != MAP_FAILED) {
		err = btf_cut(mapped, size, wanted, cut);
		munmap(mapped, size);
		return err;
	}
	copy = xcalloc(1, size);
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, copy + done, size - done);

		if (n <= 0)
			return n ? -errno : -EIO;
		done += (size_t)n;
	}
	return btf_cut(copy, size, wanted, cut);
}

static bool write_all(int fd, const struct strbuf *text)
{
	return write(fd, text->s, text->size) == (ssize_t)text->size;
}

static void free_types(struct btf **types)
{
	btf__free(*types);
}

/*
 * The skeleton, with that part of the kernel's types which its relocations need, in a file
 * whose descriptor has to stay open until it is loaded. Where they cannot be cut out, libbpf has to
 * take all of them, and *types is NULL.
 */
static struct wick_bpf *open_skeleton(int *types_fd, struct btf **types, u32 log_level)
{
	_cleanup_close_ int fd = memfd_create("wick-btf", MFD_CLOEXEC);
	_cleanup_free_ char *path = format("/proc/self/fd/%d", fd);
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path,
		    .kernel_log_level = log_level);
	_cleanup_(destroy) struct wick_bpf *skeleton =
		fd < 0 ? NULL : wick_bpf__open_opts(&options);
	_cleanup_strbuf_ struct strbuf cut = {};

	if (!skeleton || read_kernel_btf(&cut, bpf_object__btf(skeleton->obj)) ||
	    !write_all(fd, &cut)) {
		options.btf_custom_path = NULL;
		return wick_bpf__open_opts(&options);
	}
	*types_fd = steal_fd(&fd);
	*types = btf__new(cut.s, (u32)cut.size);
	return steal(&skeleton);
}

int load_open(struct wick_bpf **out, const struct collect_options *o, const struct sizes *sizes,
	      const struct cpu_list *cpus, u32 log_level, struct error *error)
{
	_cleanup_(destroy) struct wick_bpf *skeleton = NULL;
	_cleanup_(free_types) struct btf *types = NULL;
	_cleanup_close_ int types_fd = -1;
	int err;

	if (access(kernel_btf, R_OK))
		return fail(
			error, -ENOTSUP,
			"cannot load the BPF programs: this kernel has no type information "
			"(%s: %s).\n"
			"It takes a kernel built with CONFIG_DEBUG_INFO_BTF=y; those of Debian 12 "
			"and later are.",
			kernel_btf, strerror(errno));
	load_log_begin();
	raise_memlock();
	skeleton = open_skeleton(&types_fd, &types, log_level);
	if (!skeleton)
		return load_refused(error, -errno, "open");
	err = kernel_check_age(types, error);
	if (!err)
		err = set_filters(skeleton, o, error);
	if (err)
		return err;
	skeleton->rodata->hash_seed = random_u64();
	skeleton->rodata->budget_ns = budget_ns(o->budget);
	skeleton->bss->window = (struct wick_window){.begin = UINT64_MAX, .end = UINT64_MAX};
	set_sizes(skeleton, o, sizes, cpus);
	choose_programs(skeleton, o->needs);
	family_choose(skeleton);
	err = memory_choose(skeleton, o, types, error);
	if (!err)
		err = hooks_choose(skeleton, o, error);
	if (err)
		return err;
	err = wick_bpf__load(skeleton);
	if (err)
		return load_refused(error, err, "load");
	err = fill_set(skeleton->maps.pids, o->pids, o->nr_pids, error);
	if (!err)
		err = fill_set(skeleton->maps.tids, o->tids, o->nr_tids, error);
	if (!err)
		err = fill_set(skeleton->maps.cpus, cpus->at, cpus->nr, error);
	if (err)
		return err;
	*out = steal(&skeleton);
	return 0;
}

const void *load_elf(size_t *size)
{
	return wick_bpf__elf_bytes(size);
}

int load_attach(struct wick_bpf *skeleton, struct error *error)
{
	int err = 0;

	if (bpf_program__autoload(skeleton->progs.wick_finish_switch))
		err = hooks_attach_finish(skeleton);
	if (err)
		return fail(
			error, err,
			"cannot attach to finish_task_switch: this kernel has no kprobes, or not "
			"that function. Use another --switch-hook: see `wick list`.");
	/* Events have no place of their own to be attached to. */
	if (wick_bpf__attach(skeleton))
		return fail(error, -errno, "cannot attach to the kernel's tracepoints: %s",
			    strerror(errno));
	return 0;
}

static u64 bytes_of(int map)
{
	_cleanup_free_ char *path = format("/proc/self/fdinfo/%d", map);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	unsigned long long bytes;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			return bytes;
	return 0;
}

u64 load_map_bytes(struct wick_bpf *skeleton)
{
	struct bpf_map *map;
	u64 bytes = 0;

	bpf_object__for_each_map(map, skeleton->obj) bytes += bytes_of(bpf_map__fd(map));
	return bytes;
}
