/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_settings.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "collect/host/kernel_types.h"
#include "wick.h"
#include "wick.skel.h"

static u32 bits_of(u64 size)
{
	u32 bits = 0;

	while (size >> (bits + 1))
		bits++;
	return bits;
}

/* /proc/meminfo: "Hugepagesize:       2048 kB" */
static u32 huge_page_bits(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/meminfo", "re");
	unsigned long kb;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Hugepagesize: %lu kB", &kb) == 1 && kb)
			return bits_of((u64)kb << 10);
	return 21;
}

/* Which rung of the ladder: as asked, else the best. */
static int choose_call_hook(struct wick_bpf *skeleton, const char *name, struct error *error)
{
	bool has_lock = has_lock_tracepoints();
	bool by_lock = name ? !strcmp(name, call_hooks[0].name) : has_lock;

	if (by_lock && !has_lock)
		return fail(error, -ENOTSUP,
			    "this kernel has no cheap tracepoints of mmap_lock (6.14 and later): "
			    "use --call-hook %s",
			    call_hooks[1].name);
	skeleton->rodata->memory.by_lock = by_lock;
	bpf_program__set_autoload(skeleton->progs.wick_call_begins, !by_lock);
	bpf_program__set_autoload(skeleton->progs.wick_call_ends, !by_lock);
	bpf_program__set_autoload(skeleton->progs.wick_lock_taken, by_lock);
	bpf_program__set_autoload(skeleton->progs.wick_room_found, by_lock);
	bpf_program__set_autoload(skeleton->progs.wick_lock_released, by_lock);
	return 0;
}

int memory_choose(struct wick_bpf *skeleton, const struct collect_options *o,
		  const struct btf *types, struct error *error)
{
	struct wick_memory_settings *s = &skeleton->rodata->memory;
	bool calls = o->needs & (NEED_BRK | NEED_MMAP);

	bpf_map__set_autocreate(skeleton->maps.memory_threads, o->needs & NEED_FAULT || calls);
	bpf_map__set_autocreate(skeleton->maps.memory_spending, o->needs & NEED_FAULT || calls);
	bpf_map__set_autocreate(skeleton->maps.rss_cells, o->needs & NEED_FAULT);
	bpf_map__set_autocreate(skeleton->maps.rss_cpus, o->needs & NEED_FAULT);
	s->huge_page_bits = huge_page_bits();
	s->by_rss = o->needs & NEED_FAULT && !o->by_faults && has_rss_counters(types);
	s->brk = o->needs & NEED_BRK;
	s->mmap = o->needs & NEED_MMAP;
	bpf_program__set_autoload(skeleton->progs.wick_resident, s->by_rss);
	s->no_exit_mmap = !has_tracepoint("exit_mmap");
	bpf_program__set_autoload(skeleton->progs.wick_memory_gone, calls && !s->no_exit_mmap);
	bpf_program__set_autoload(skeleton->progs.wick_process_ends, calls && s->no_exit_mmap);
	bpf_program__set_autoload(skeleton->progs.wick_process_execs, calls && s->no_exit_mmap);
	return calls ? choose_call_hook(skeleton, o->call_hook, error) : 0;
}
