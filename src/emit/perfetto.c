/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto.c: a trace for ui.perfetto.dev and its trace processor (google/perfetto,
 * protos/perfetto/trace/): packets, one after the other, of one sequence.
 *
 *	clock_snapshot		times are CLOCK_MONOTONIC; what that is on the wall
 *	track_descriptor	a process, and each of its threads
 *	interned_data		strings and stacks, which slices refer to by the ids 1, 2, 3, ...
 *	track_event		slices on a thread's track:
 *
 *	sleeper	|-- futex_wait_queue ----------|-- runqueue --|
 *	                                     ^ flow
 *	waker	               futex_wake, an instant
 *
 * Only waits have times here, so that is what is drawn. A thread without a slice has run, or was
 * blocked for so short that it is not in the log.
 */
#include "perfetto.h"

#include "profile.h"
#include "base/strbuf.h"

static void perfetto_release(struct perfetto *p)
{
	threads_release(&p->threads);
	table_release(&p->processes);
	functions_release(&p->functions);
	vec_release(&p->path);
	by_thread_release(&p->waits);
	by_thread_release(&p->wakes);
	strbuf_release(&p->b);
	strbuf_release(&p->packet);
	strbuf_release(&p->event);
	strbuf_release(&p->inner);
	strbuf_release(&p->line);
}

static void add_fixed64(struct strbuf *b, unsigned int field, u64 value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	pb_tag(b, field, 1);
	strbuf_add(b, bytes, sizeof(bytes));
}

/* ---- clocks */

static void add_clock(struct perfetto *p, unsigned int clock, u64 ns)
{
	pb_uint(&p->line, 1, clock);
	pb_uint(&p->line, 2, ns);
	pb_message(&p->inner, 1, &p->line);
}

static void add_clocks(struct perfetto *p)
{
	const struct profile *profile = p->stacks->profile;

	add_clock(p, CLOCK_WALL, profile->wall_start_ns);
	add_clock(p, CLOCK_MONO, profile->begin);
	pb_uint(&p->inner, 2, CLOCK_MONO);
	pb_message(&p->packet, CLOCK_SNAPSHOT, &p->inner);
	pb_uint(&p->packet, SEQUENCE_FLAGS, 1 | 2); /* begins, and needs what is interned */
	perfetto_end_packet(p);
}

/* ---- slices */

static void begin_event(struct perfetto *p, enum event_type type, size_t thread)
{
	pb_uint(&p->event, EVENT_TYPE, type);
	pb_uint(&p->event, TRACK_UUID, thread_track(thread));
}

static void name_event(struct perfetto *p, enum category category, u64 name)
{
	pb_uint(&p->event, CATEGORY_IID, category);
	pb_uint(&p->event, NAME_IID, name);
}

static void end_event(struct perfetto *p, u64 time)
{
	pb_uint(&p->packet, TIMESTAMP, time);
	pb_uint(&p->packet, CLOCK_ID, CLOCK_MONO);
	pb_message(&p->packet, TRACK_EVENT, &p->event);
	perfetto_end_packet(p);
}

static void add_argument(struct perfetto *p, enum argument argument, struct string value)
{
	if (!value.size)
		return;
	pb_uint(&p->line, 1, argument);
	perfetto_text(&p->line, 6, value, "");
	pb_message(&p->event, ARGUMENT, &p->line);
}

/* The function that waited: the scheduler's own are in every stack. */
static u64 name_of_wait(const struct perfetto *p, u32 leaf)
{
	for (u32 node = leaf; node; node = p->stacks->nodes.at[node].parent) {
		const struct shown_function *function = &p->functions.at[function_at(p, node)];

		if (function->kind == FRAME_GROUP)
			break;
		if (!strstr(strings_get(p->stacks->names, function->name).s, "schedule"))
			return NR_NAMES + function_at(p, node);
	}
	return NAME_BLOCKED;
}

static void end_slice(struct perfetto *p, size_t thread, u64 time)
{
	begin_event(p, SLICE_END, thread);
	end_event(p, time);
}

static void add_blocked(struct perfetto *p, size_t thread, const struct weighted_block *block)
{
	char state[] = {block->state, 0};

	begin_event(p, SLICE_BEGIN, thread);
	name_event(p, BLOCKED, name_of_wait(p, block->node));
	pb_uint(&p->event, CALLSTACK_IID, block->node);
	add_argument(p, ARGUMENT_STATE, (struct string){state, strlen(state)});
	add_argument(p, ARGUMENT_WAKER, strings_get(p->stacks->names, block->waker));
	end_event(p, block->begin);
	end_slice(p, thread, block->end);
}

/* The thread can run again, and waits for a CPU: here ends the flow that its waker began. */
static void add_runqueue(struct perfetto *p, size_t thread, u32 wait)
{
	const struct weighted_block *block = &p->stacks->blocks.at[wait];

	if (block->ran == block->end && !block->waker_leg)
		return;
	begin_event(p, SLICE_BEGIN, thread);
	name_event(p, RUNQUEUE, block->state == 'R' ? NAME_PREEMPTED : NAME_RUNQUEUE);
	if (block->waker_leg)
		add_fixed64(&p->event, FLOW_END, wait + 1ull);
	end_event(p, block->end);
	end_slice(p, thread, block->ran);
}

static void add_wait(struct perfetto *p, size_t thread, u32 wait)
{
	const struct weighted_block *block = &p->stacks->blocks.at[wait];

	if (block->end > block->begin)
		add_blocked(p, thread, block);
	add_runqueue(p, thread, wait);
}

static void add_wake(struct perfetto *p, size_t thread, u32 wait)
{
	const struct weighted_block *block = &p->stacks->blocks.at[wait];
	const struct leg *sleeper = threads_leg(&p->threads, block->leg);

	begin_event(p, INSTANT, thread);
	name_event(p, WAKEUP, NAME_WAKES);
	add_argument(p, ARGUMENT_WOKEN, strings_get(&p->stacks->profile->names, sleeper->comm));
	add_fixed64(&p->event, FLOW_ID, wait + 1ull);
	end_event(p, block->end);
}

static void add_events(struct perfetto *p, size_t thread)
{
	for (size_t i = p->waits.first[thread]; i < p->waits.first[thread + 1]; i++)
		add_wait(p, thread, p->waits.things[i]);
	for (size_t i = p->wakes.first[thread]; i < p->wakes.first[thread + 1]; i++)
		add_wake(p, thread, p->wakes.things[i]);
}

/* ---- */

static void sort_by_thread(struct perfetto *p)
{
	size_t nr = p->stacks->blocks.nr;
	_cleanup_free_ u32 *sleepers = xcalloc(nr, sizeof(*sleepers));
	_cleanup_free_ u32 *wakers = xcalloc(nr, sizeof(*wakers));

	p->threads.profile = p->stacks->profile;
	for (size_t i = 0; i < nr; i++) {
		const struct weighted_block *block = &p->stacks->blocks.at[i];

		sleepers[i] = threads_of(&p->threads, block->leg);
		wakers[i] =
			block->waker_leg ? threads_of(&p->threads, block->waker_leg) : NO_THREAD;
	}
	p->waits = by_thread(sleepers, nr, p->threads.legs.nr);
	p->wakes = by_thread(wakers, nr, p->threads.legs.nr);
}

static int write_perfetto(const struct weighted_stacks *stacks, const struct caption *caption,
			  FILE *out, struct error *error)
{
	_cleanup_(perfetto_release) struct perfetto p = {
		.stacks = stacks, .caption = caption, .out = out};

	if (!stacks->has_waits)
		return fail(
			error, -EINVAL,
			"a trace for Perfetto is of single waits, which are not in here: write it "
			"of offcpu, wakeup, offwake, chain or wall");
	sort_by_thread(&p);
	functions_init(&p.functions, stacks);
	add_clocks(&p);
	perfetto_add_interned(&p);
	for (size_t thread = 0; thread < p.threads.legs.nr; thread++) {
		perfetto_add_thread(&p, thread);
		add_events(&p, thread);
	}
	perfetto_flush(&p, 0);
	return 0;
}

const struct format perfetto_format = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.summary = "single waits and who ended them, in time, for ui.perfetto.dev",
	.waits = ONLY_WAITS,
	.write_stacks = write_perfetto,
};
