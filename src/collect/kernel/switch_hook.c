/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "switch_hook.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <time.h>

#include "collect/host/check_options.h"
#include "collect/host/kernel_types.h"
#include "collect/events/perf.h"
#include "wick.h"
#include "wick.skel.h"

/* The offset of a member in bytes, also inside of unnamed structs and unions; -1: there is none. */
static s64 member_at(const struct btf *btf, u32 id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_member *members = btf_members(type);

	for (u32 i = 0; btf_is_composite(type) && i < btf_vlen(type); i++) {
		const char *member = btf__name_by_offset(btf, members[i].name_off);
		s64 at = btf_member_bit_offset(type, i) / 8, inside;

		if (!strcmp(member, name))
			return at;
		inside = *member ? -1 : member_at(btf, members[i].type, name);
		if (inside >= 0)
			return at + inside;
	}
	return -1;
}

/* What the kernel's types tell of its variables of each CPU. */
struct cpu_variables {
	s64 queue, count; /* offsets; -1: not there */
	bool has_disable_state;
};

static struct cpu_variables cpu_variables(const struct btf *btf)
{
	s32 section = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *type = section > 0 ? btf__type_by_id(btf, (u32)section) : NULL;
	const struct btf_var_secinfo *variable = type ? btf_var_secinfos(type) : NULL;
	struct cpu_variables found = {.queue = -1, .count = -1};
	s64 hot;

	for (u32 i = 0; type && i < btf_vlen(type); i++) {
		const struct btf_type *var = btf__type_by_id(btf, variable[i].type);
		const char *name = btf__name_by_offset(btf, var->name_off);

		if (!strcmp(name, "runqueues"))
			found.queue = variable[i].offset;
		else if (!strcmp(name, "__preempt_count"))
			found.count = variable[i].offset;
		else if (!strcmp(name, "local_interrupt_disable_state"))
			found.has_disable_state = true;
		else if (!strcmp(name, "pcpu_hot") &&
			 (hot = member_at(btf, var->type, "preempt_count")) >= 0)
			found.count = variable[i].offset + hot;
	}
	return found;
}

/*
 * From a CPU's run queue to its preemption count. Both are variables of that CPU; from 6.2 to 6.14
 * the count was a member of another one. 0: not known.
 */
static s64 preempt_count_at(const struct cpu_variables *v)
{
	return v->queue < 0 || v->count < 0 ? 0 : v->count - v->queue;
}

/*
 * The bits of that count which interrupts and NMIs are counted in (include/linux/preempt.h). Since
 * 7.3 the eight above softirqs' count how often interrupts were disabled, and these lie above them.
 */
static u32 interrupt_bits(const struct cpu_variables *v)
{
	return v->has_disable_state ? 0x1f000000 : 0x00ff0000;
}

/* AArch64 has it in each thread. */
#if defined(__aarch64__)
enum { PREEMPT_COUNT_IS_PER_CPU = 0 };
#else
enum { PREEMPT_COUNT_IS_PER_CPU = 1 };
#endif

/* Compilers give the function names of their own. */
static const char *const finish_names[] = {"finish_task_switch", "finish_task_switch.isra.0"};

/* The number of the kind of perf events that are kprobes; 0: this kernel has none. */
static u32 kprobe_type(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	unsigned int type;

	return f && fscanf(f, "%u", &type) == 1 ? type : 0;
}

/*
 * Some hosts have kprobes and do not allow them. So one is opened, which probes nothing until it is
 * enabled.
 */
static bool can_probe_finish(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = kprobe_type(), .disabled = 1};

	for (size_t i = 0; i < ARRAY_SIZE(finish_names) && attr.type; i++) {
		_cleanup_close_ int fd = -1;

		attr.kprobe_func = (u64)(uintptr_t)finish_names[i];
		fd = perf_open_on_cpu(&attr, 0);
		if (fd >= 0)
			return true;
	}
	return false;
}

/* How many arguments a tracepoint has; 0: it is not there. */
static u32 nr_arguments(const struct btf *btf, const char *tracepoint)
{
	_cleanup_free_ char *name = format("btf_trace_%s", tracepoint);
	s32 id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;

	/* A typedef of a pointer to a function, whose first parameter is the tracepoint's own. */
	for (int i = 0; type && i < 2; i++)
		type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) && btf_vlen(type) ? btf_vlen(type) - 1u : 0;
}

/* Which rung of the ladder: as asked, else the best that this kernel has. */
static int choose_hook(struct wick_bpf *skeleton, const struct btf *btf, const char *name,
		       struct error *error)
{
	bool has_exit =
		btf__find_by_name_kind(btf, "btf_trace_sched_exit_tp", BTF_KIND_TYPEDEF) > 0;

	if (!name)
		name = switch_hooks[has_exit ? 0 : can_probe_finish() ? 1 : 2].name;
	if (!strcmp(name, switch_hooks[0].name)) {
		if (!has_exit)
			return fail(error, -ENOTSUP,
				    "this kernel has no tracepoint sched_exit_tp (6.18 and later): "
				    "use --switch-hook %s",
				    switch_hooks[2].name);
		bpf_program__set_autoload(skeleton->progs.wick_switched, true);
	} else if (!strcmp(name, switch_hooks[1].name)) {
		bpf_program__set_autoload(skeleton->progs.wick_finish_switch, true);
		bpf_program__set_autoattach(skeleton->progs.wick_finish_switch, false);
	} else {
		skeleton->rodata->settings.walk_before = 1;
	}
	return 0;
}

/*
 * It reads other processes' memory, and so sleeps, where the kernel has a helper for that: since
 * 5.18.
 */
static void choose_visit(struct wick_bpf *skeleton)
{
	bpf_program__set_autoload(skeleton->progs.wick_visit, true);
	if (has_helper("copy_from_user_task"))
		bpf_program__set_flags(skeleton->progs.wick_visit, BPF_F_SLEEPABLE);
}

enum { SWITCH_ARGUMENTS = 4 }; /* preempt, prev, next, and since 5.18 prev_state */

/* Of a jiffy: what coarse clocks go by. 0: not known. */
static u64 tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 0;
	return (u64)tick.tv_sec * NSEC_PER_SEC + (u64)tick.tv_nsec;
}

int hooks_choose(struct wick_bpf *skeleton, const struct collect_options *o, struct error *error)
{
	struct wick_sched_settings *s = &skeleton->rodata->settings;
	struct cpu_variables variables;
	struct btf *btf;
	int err;

	if (o->needs & NEED_THREADS) {
		s->standing = 1;
		choose_visit(skeleton);
		return 0;
	}
	if (!(o->needs & NEED_SCHED)) {
		bpf_map__set_autocreate(skeleton->maps.threads, false);
		bpf_map__set_autocreate(skeleton->maps.left_stacks, false);
		bpf_map__set_autocreate(skeleton->maps.hops_shallow, false);
		bpf_map__set_autocreate(skeleton->maps.hops_deep, false);
		bpf_map__set_autocreate(skeleton->maps.chain_scratches, false);
		bpf_map__set_autocreate(skeleton->maps.pass_scratch, false);
		bpf_map__set_autocreate(skeleton->maps.sched_cpus, false);
		bpf_map__set_autocreate(skeleton->maps.strangers, false);
		return 0;
	}
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return fail(error, -errno, "cannot read the kernel's types: %s", strerror(errno));
	s->walk_above = o->walk_above_ns;
	s->min_block = o->min_block_ns;
	s->max_block = o->max_block_ns;
	s->drop_switches = o->drop_switches;
	s->tick_ns = tick_ns();
	s->filtered = options_leave_threads_out(o);
	/* Any thread can be a link of a chain. */
	skeleton->rodata->filter.causes = s->filtered && o->needs & NEED_CHAINS;
	bpf_map__set_autocreate(skeleton->maps.strangers,
				s->filtered && !skeleton->rodata->filter.causes);
	s->depth = o->needs & NEED_CHAINS ? o->depth : o->needs & NEED_WAKERS ? 1 : 0;
	variables = cpu_variables(btf);
	s->preempt_count_at = s->depth ? preempt_count_at(&variables) : 0;
	s->interrupt_bits = interrupt_bits(&variables);
	s->no_prev_state = nr_arguments(btf, "sched_switch") < SWITCH_ARGUMENTS;
	s->no_preempt_count = !s->preempt_count_at && PREEMPT_COUNT_IS_PER_CPU;
	err = choose_hook(skeleton, btf, o->switch_hook, error);
	btf__free(btf);
	bpf_map__set_autocreate(skeleton->maps.left_stacks, s->walk_before);
	choose_visit(skeleton);
	return err;
}

int hooks_attach_finish(struct wick_bpf *skeleton)
{
	struct bpf_program *program = skeleton->progs.wick_finish_switch;

	for (size_t i = 0; i < ARRAY_SIZE(finish_names) && !skeleton->links.wick_finish_switch; i++)
		skeleton->links.wick_finish_switch =
			bpf_program__attach_kprobe(program, false, finish_names[i]);
	return skeleton->links.wick_finish_switch ? 0 : -ENOTSUP;
}
