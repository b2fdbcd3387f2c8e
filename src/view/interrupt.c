/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.c: interrupts have no tracepoint of their own in a run: it would cost 50 ns each, and
 * the stack of the wakeup says it all (leaf first):
 *
 *	try_to_wake_up
 *	hrtimer_wakeup				<- the name: what the dispatcher below it called
 *	__hrtimer_run_queues
 *	hrtimer_interrupt
 *	__sysvec_apic_timer_interrupt
 *	sysvec_apic_timer_interrupt
 *	asm_sysvec_apic_timer_interrupt		<- the entry: here it ends
 *	spin_for_ever				a bystander
 *
 * A softirq runs where an interrupt returns, in ksoftirqd, or in the call of a task that enables
 * bottom halves (a send over loopback). Only in the last one there is no entry below it.
 */
#include "interrupt.h"

#include "stacks.h"

/*
 * Those that call handlers by pointer, and what a handler is then. call_timer_fn may be part of
 * expire_timers or __run_timers; __do_softirq, which is handle_softirqs since 6.10, may go by its
 * section's name.
 */
static const struct {
	const char *function, *what;
} dispatchers[] = {
	{"__hrtimer_run_queues", "timer"},
	{"call_timer_fn", "timer"},
	{"expire_timers", "timer"},
	{"__run_timers", "timer"},
	{"handle_softirqs", "softirq"},
	{"__do_softirq", "softirq"},
	{"__softirqentry_text_start", "softirq"},
	{"__handle_irq_event_percpu", "irq"},
	{"handle_irq_event_percpu", "irq"},
};

/*
 * x86: asm_common_interrupt calls common_interrupt, asm_sysvec_X calls sysvec_X. arm64:
 * el1h_64_irq.
 */
static const char *const entries[] = {
	"asm_sysvec_", "sysvec_",     "asm_common_interrupt", "common_interrupt", "asm_exc_nmi",
	"el1h_64_irq", "el0t_64_irq", "el0t_32_irq",	      "el1_irq",	  "el0_irq"};

/* The compiler's copies, "handle_softirqs.isra.0", count. */
static bool is_function(struct string s, const char *name)
{
	return string_begins(s, name) && (s.s[strlen(name)] == '\0' || s.s[strlen(name)] == '.');
}

/*
 * The timer of schedule_timeout() leaves by a jump, and what wakes ksoftirqd is part of the
 * dispatcher: the stack shows the function that they call.
 */
static struct string before_its_jump(const char *what, struct string name)
{
	const char *caller = strcmp(what, "timer") ? "wakeup_softirqd" : "process_timeout";

	if (strcmp(what, "irq") && is_function(name, "try_to_wake_up"))
		return (struct string){caller, strlen(caller)};
	return name;
}

static const char *dispatched(struct string name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dispatchers); i++)
		if (is_function(name, dispatchers[i].function))
			return dispatchers[i].what;
	return NULL;
}

static bool is_entry(struct string name)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (string_begins(name, entries[i]))
			return true;
	return false;
}

static struct string without_asm(struct string name)
{
	return string_begins(name, "asm_") ? (struct string){name.s + 4, name.size - 4} : name;
}

/* Where the interrupt ends whose entry is frame i. */
static u32 end_of_entry(const struct profile *p, u32 kernel, u32 i)
{
	u32 nr = p->stacks.at[kernel].nr;

	if (!string_begins(stack_name(p, kernel, i), "asm_") && i + 1 < nr &&
	    string_begins(stack_name(p, kernel, i + 1), "asm_"))
		return i + 2;
	return i + 1;
}

static bool is_in_ksoftirqd(const struct profile *p, u32 kernel, u32 softirq)
{
	return softirq + 1 < p->stacks.at[kernel].nr &&
	       is_function(stack_name(p, kernel, softirq + 1), "run_ksoftirqd");
}

u32 waker_leaf(const struct profile *p, u32 kernel)
{
	return stack_traced_at(p, kernel, "try_to_wake_up", "wake_up_new_task");
}

struct interrupt interrupt_of(const struct profile *p, u32 kernel)
{
	struct interrupt in = {.leaf = waker_leaf(p, kernel)};

	for (u32 i = in.leaf; i < p->stacks.at[kernel].nr; i++) {
		struct string name = stack_name(p, kernel, i);
		const char *what = dispatched(name);

		if (what && !in.what) {
			in.what = what;
			in.name = before_its_jump(what, i > in.leaf ? stack_name(p, kernel, i - 1)
								    : name);
		}
		/* Where it ends, should there be no entry below. */
		if (what && !in.root && !strcmp(what, "softirq")) {
			in.root = i + 1;
			in.in_task = !is_in_ksoftirqd(p, kernel, i);
		}
		if (!is_entry(name))
			continue;
		in.root = end_of_entry(p, kernel, i);
		in.in_task = false;
		if (!in.what) {
			in.what = "irq";
			in.name = without_asm(name);
		}
		return in;
	}
	/* Without an end it is not known whose frames they are. */
	if (!in.root)
		in.what = NULL;
	return in;
}
