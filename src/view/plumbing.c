/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbing.c: the list. Names are those of Linux (arch/x86/entry, arch/arm64/kernel/entry*,
 * kernel/sched, kernel/kthread.c), of glibc and of musl.
 */
#include "plumbing.h"

/* A `*` at the end stands for any letters. */
static const char *const kernel_names[] = {
	/* entry and exit, x86 */
	"entry_SYSCALL_*",
	"entry_SYSENTER_*",
	"entry_INT80_*",
	"do_syscall_64",
	"x64_sys_call",
	"ia32_sys_call",
	"do_fast_syscall_32",
	"__do_fast_syscall_32",
	"do_int80_*",
	"asm_exc_*",
	"asm_sysvec_*",
	"asm_common_interrupt",
	"exc_page_fault",
	"common_interrupt_return",
	"ret_from_fork*",
	/* entry and exit, arm64 */
	"el0_*",
	"el0t_*",
	"el1_*",
	"el1h_*",
	"do_el0_svc*",
	"invoke_syscall",
	"call_on_irq_stack",
	"do_interrupt_handler",
	/* entry and exit, all */
	"syscall_exit_to_user_mode*",
	"exit_to_user_mode_*",
	"irqentry_*",
	"kthread",
	/* switching */
	"schedule",
	"__schedule",
	"schedule_timeout*",
	"schedule_hrtimeout*",
	"schedule_preempt_disabled",
	"schedule_idle",
	"schedule_rtlock",
	"io_schedule*",
	"preempt_schedule*",
	"__cond_resched*",
	"finish_task_switch",
	/* waking */
	"__wake_up*",
	"wake_up_process",
	"wake_up_state",
	"wake_up_q",
	"try_to_wake_up",
	"ttwu_*",
	"sched_ttwu_pending",
	"default_wake_function",
	"autoremove_wake_function",
	"woken_wake_function",
	"ep_autoremove_wake_function",
	"child_wait_callback",
	"swake_up_*",
};

static const char *const libc_names[] = {
	"_start",
	"__libc_start_main*",
	"__libc_start_call_main",
	"libc_start_main_stage2",
	"_start_c",
	"start_thread",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"thread_start",
};

/* A suffix of the compiler, or a version, is no part of a name. */
static bool fits(struct string name, const char *pattern)
{
	size_t size = strlen(pattern);

	if (pattern[size - 1] == '*')
		return name.size >= size - 1 && !memcmp(name.s, pattern, size - 1);
	return name.size >= size && !memcmp(name.s, pattern, size) && strcspn(name.s, ".@") == size;
}

static bool is_listed(struct string name, const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (patterns[i][0] == name.s[0] && fits(name, patterns[i]))
			return true;
	return false;
}

bool frame_is_interpreted(const struct profile *p, u32 ref)
{
	const struct frame *frame = &p->frames.at[ref];

	return frame->space == SPACE_NOTE &&
	       p->functions.at[frame->function].shown.kind == FRAME_JIT;
}

bool stack_is_interpreted(const struct profile *p, u32 stack)
{
	const struct stack *s = &p->stacks.at[stack];

	for (u32 i = 0; i < s->nr; i++)
		if (frame_is_interpreted(p, p->stack_frames.at[s->first + i]))
			return true;
	return false;
}

bool frame_is_interpreters(const struct profile *p, u32 ref)
{
	const struct frame *frame = &p->frames.at[ref];
	const struct tree_frame *shown = &p->functions.at[frame->function].shown;

	return frame->space == SPACE_FILE &&
	       file_is_interpreter(strings_get(&p->names, p->files.at[frame->origin].name)) &&
	       !function_takes_interpreter(strings_get(&p->names, shown->name));
}

static bool is_function(enum frame_kind kind)
{
	return kind != FRAME_GROUP && kind != FRAME_NOTE && kind != FRAME_JIT;
}

/* Of a waker's frame, and of one in folded text, the kind does not say it. */
static bool may_be_the_kernels(const struct strings *names, const struct tree_frame *frame)
{
	return frame->kind == FRAME_KERNEL || !frame->module ||
	       !strcmp(strings_get(names, frame->module).s, "kernel");
}

bool frame_is_plumbing(const struct strings *names, const struct tree_frame *frame)
{
	struct string name = strings_get(names, frame->name);

	if (!name.size || !is_function(frame->kind))
		return false;
	if (may_be_the_kernels(names, frame) &&
	    is_listed(name, kernel_names, ARRAY_SIZE(kernel_names)))
		return true;
	return frame->kind != FRAME_KERNEL && is_listed(name, libc_names, ARRAY_SIZE(libc_names));
}
