/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.c: what is taken out of BPF and the side-band while the window is open, and in which order.
 */
#include <bpf/libbpf.h>

#include "collector.h"
#include "instruments.h"
#include "wick.h"
#include "wick.skel.h"

enum {
	KEEP_EXITED_NS = 2u * 1000 * 1000 * 1000, /* exited processes, for their last stacks */
	LAST_TRIES = 4,				  /* two of each map */
	LAST_WAIT_NS = 1000 * 1000 * 1000,
};

static void on_body(void *ctx, const void *body, size_t size)
{
	follow_body(((struct collector *)ctx)->follow, body, size);
}

static void on_record(void *ctx, const struct sideband_record *record)
{
	follow_record(((struct collector *)ctx)->follow, record);
}

static void on_count(void *ctx, const struct wick_key *key, const struct wick_columns *columns)
{
	struct collector *c = ctx;

	if (key->kind == WICK_CPU || !(c->options->needs & NEED_CPU))
		c->samples += columns->column[0];
	follow_count(c->follow, key, columns);
}

/*
 * The ring first: what a body needs to know of its process is in the side-band before it is sent.
 */
void drain_bodies(struct collector *c, u64 hold_back_ns)
{
	u64 now = monotonic_ns();

	intake_take(c->intake, on_body, c);
	sideband_drain(c->sideband, on_record, c);
	follow_until(c->follow, hold_back_ns ? now - hold_back_ns : UINT64_MAX);
	publisher_retry(c->publisher);
	files_trim_tables(c->files);
}

bool counts_fill_up(const struct collector *c)
{
	u64 made = __atomic_load_n(&c->skeleton->bss->keys_made, __ATOMIC_RELAXED);

	return made - c->drained_keys > c->counts.max_keys / 2;
}

static void take_counts(struct collector *c)
{
	counts_drain(&c->counts, on_count, c);
	profile_end_slice(c->profile);
	c->profile->counted_until = c->generation_ns;
	c->skeleton->bss->control.log_above = profile_log_above(c->profile);
	if (follow_rotate(c->follow))
		__atomic_fetch_add(&c->skeleton->bss->window.epoch, 1, __ATOMIC_RELEASE);
}

/* What is unlinked now is free when those programs have ended that began before. */
static void begin_generation(struct collector *c)
{
	c->generation_ns = monotonic_ns();
	publisher_make_room(c->publisher);
	c->drained_keys = __atomic_load_n(&c->skeleton->bss->keys_made, __ATOMIC_RELAXED);
}

void drain_counts(struct collector *c, u64 hold_back_ns)
{
	bool flipped;

	if (!counts_wait(&c->counts))
		begin_generation(c);
	flipped = !counts_flip(&c->counts);
	if (flipped)
		publisher_reclaim(c->publisher);
	drain_bodies(c, hold_back_ns);
	if (flipped)
		take_counts(c);
}

/*
 * Returns how many have not ended. One that has not in this time is on a CPU that stands still.
 */
static u64 wait_for_programs(struct collector *c)
{
	u64 until = monotonic_ns() + LAST_WAIT_NS;

	while (counts_flip(&c->counts) && monotonic_ns() < until)
		;
	return counts_wait(&c->counts) ? counts_used(&c->counts) : 0;
}

/*
 * Where the last flip still waits for programs, the counts before it are in one map, and those
 * since in the other.
 */
void drain_last_counts(struct collector *c)
{
	int least = counts_wait(&c->counts) ? 2 : 1;
	u64 at_work = 0;

	for (int i = 0; i < LAST_TRIES && (i < least || counts_left(&c->counts)); i++) {
		at_work = max(at_work, wait_for_programs(c));
		drain_bodies(c, 0);
		take_counts(c);
	}
	profile_loss(c->profile, "programs that had not ended when the counts were read", NULL,
		     main_kind(c), 0, at_work);
	profile_loss(c->profile, "parts of the counts that could not be read", NULL, main_kind(c),
		     0, counts_left(&c->counts));
}

/* CPUs that come and go: what was open there has ended with them. */
static void follow_cpus(struct collector *c)
{
	struct cpu_list opened = {};

	sideband_follow_cpus(c->sideband, &opened);
	c->nr_returned_cpus += opened.nr;
	vec_for_each (&opened, cpu) {
		for_each_instrument (c, kind)
			if (instrument_steps[kind].reopen)
				instrument_steps[kind].reopen(c, *cpu);
	}
	vec_release(&opened);
}

void end_of_slice(struct collector *c, u64 now)
{
	follow_cpus(c);
	follow_forget(c->follow, now - KEEP_EXITED_NS);
	own_cost_slice(&c->own, self_cpu_ns(c->files), c->profile, &c->skeleton->bss->limits);
	c->next_slice = now + SLICE_NS;
}
