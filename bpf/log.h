/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h: the log of blocks. Each stretch off-CPU that is walked is sent as an entry, with its
 * times, so that user space can tell what a thread, and the one that ended its block, did
 * meanwhile.
 *
 * It is bounded by what bounds walks (sampling.h), and by control.log_above, which user space
 * raises when its table is full and no recording is written. Entries leave half of the ring to
 * bodies, which are of more use. What is not sent is counted.
 */
#ifndef LOG_H
#define LOG_H

#include "hops.h"
#include "intern.h"
#include "object.h"
#include "sampling.h"
#include "thread.h"

/*
 * When a thread that is back on a CPU became runnable. Only sched_switch writes off and on; a
 * wakeup of a thread that runs again has overwritten the stamp that is asked for.
 */
static __always_inline u64 woken_at(const struct thread *t)
{
	if (!is_blocked_state(t->state))
		return t->off;
	if (t->block.charge)
		return t->off + t->block.length;
	if (t->wake < t->off) /* woken before it was gone */
		return t->off;
	return t->wake < t->on ? t->wake : t->on;
}

static __always_inline bool has_room_for_log(void)
{
	return bpf_ringbuf_query(&bodies, BPF_RB_AVAIL_DATA) <
	       bpf_ringbuf_query(&bodies, BPF_RB_RING_SIZE) / 2;
}

/*
 * `key` has leg and stacks, and of the state the flags that go with these; the scratch has the
 * object.
 */
static __always_inline void log_entry(struct scratch *s, struct task_struct *task,
				      const struct thread *t, const struct wick_key *key, u64 woken,
				      u64 end, struct wick_counters *tally)
{
	const struct wick_wakeup *wakeup = wakeup_of(task, t);
	struct wick_block_body *entry = NULL;
	struct wick_sched_cpu *cpu;

	if (span(t->off, end) >= control.log_above && has_room_for_log())
		entry = bpf_ringbuf_reserve(&bodies, sizeof(*entry), 0);
	if (!entry) {
		tally->at[WICK_LOST_BLOCK]++;
		return;
	}
	body_begin(&entry->body, WICK_BODY_BLOCK, 0, 0, end);
	entry->key = *key;
	entry->key.kind = WICK_SCHED;
	entry->key.state |= t->state ? t->state : 'Q';
	entry->key.wakeup.chain = wakeup ? wakeup->chain : 0;
	entry->begin = t->off;
	entry->woken = woken;
	entry->ran = t->running;
	entry->counted_block = t->block.charge;
	entry->counted_wait = t->wait_charge;
	entry->object = s->object.id;
	entry->object_kind = s->object.kind;
	entry->holder = s->object.holder;
	cpu = this_sched_cpu();
	entry->before = cpu ? cpu->left_by : 0;
	bpf_ringbuf_submit(entry, wakeup_flag());
}

/* The stretch that has ended `t->on`. */
OWN_FRAME void log_stretch(struct scratch *s, struct task_struct *task, const struct thread *t,
			   struct wick_counters *tally)
{
	log_entry(s, task, t, &s->key, woken_at(t), t->on, tally);
}

/*
 * A block that has ended, of a thread that did not run any more in the window. Its wait for a CPU
 * is in the counts, as what had not ended.
 */
OWN_FRAME void log_woken(struct scratch *s, struct task_struct *task, const struct thread *t,
			 const struct wick_key *key, struct wick_counters *tally)
{
	log_entry(s, task, t, key, t->wake, t->wake, tally);
}

#endif
