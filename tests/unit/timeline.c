/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow/timeline.h"

#include "test.h"

/* Of nobody: above any kernel.pid_max, so that /proc has nothing to say. */
enum { PID = 0x7fffff00, CHILD };

enum { CODE = 0x400000, SIZE = 0x10000 };

struct bench {
	struct profile profile;
	struct files *files;
	struct processes *processes;
	struct timeline *timeline;
};

static void bench_begin(struct bench *b)
{
	profile_init(&b->profile);
	b->files = files_new();
	b->processes = processes_new(&b->profile, b->files, (struct java_sink){});
	b->timeline = timeline_new(&b->profile, b->processes, NULL, NULL);
}

static void bench_end(struct bench *b)
{
	timeline_free(b->timeline);
	processes_free(b->processes);
	files_free(b->files);
	profile_release(&b->profile);
}

/* ---- what comes through the channels */

static void record(struct bench *b, struct sideband_record r)
{
	if (!r.pid)
		r.pid = PID;
	r.tid = r.pid;
	timeline_record(b->timeline, &r);
}

static void execs(struct bench *b, u64 time)
{
	record(b, (struct sideband_record){.type = SIDEBAND_EXEC, .time = time});
}

/* The path's first letter is the inode's number. */
static void maps(struct bench *b, u64 time, const char *path, u64 start)
{
	record(b, (struct sideband_record){
			  .type = SIDEBAND_MMAP,
			  .time = time,
			  .start = start,
			  .size = SIZE,
			  .offset = 0x1000,
			  .major = 254,
			  .inode = (u64)path[1],
			  .path = path,
		  });
}

/* The id of a leg is 100 + its exec. */
static void leg(struct bench *b, u64 time, u32 exec, u32 pid)
{
	struct wick_leg_body body = {
		.body = {.type = WICK_BODY_LEG, .id = 100 + exec, .time = time},
		.leg = {.tgid = pid, .tid = pid, .start_ns = 1, .exec_id = exec, .comm = "worker"},
	};

	CHECK_EQ(timeline_body(b->timeline, &body, sizeof(body)), 0);
}

struct stack_body {
	struct wick_stack_body stack;
	u64 frames[3];
};

static void stack(struct bench *b, u64 time, u64 id, u32 exec, u32 pid)
{
	struct stack_body body = {
		.stack = {.body = {.type = WICK_BODY_USER_STACK, .nr = 2, .id = id, .time = time},
			  .leg = 100 + exec,
			  .tgid = pid},
		.frames = {CODE + 0x10, CODE + 0x20},
	};

	CHECK_EQ(timeline_body(b->timeline, &body, sizeof(body.stack) + 2 * sizeof(u64)), 0);
}

static void count(struct bench *b, u64 stack_id, u32 exec, u64 samples)
{
	struct wick_key key = {.leg = 100 + exec, .user = stack_id, .kind = WICK_CPU};
	struct wick_columns columns = {.column = {samples}};

	timeline_count(b->timeline, &key, &columns);
}

/* ---- what became of it */

/* The sample that has that many; each test counts with other numbers. */
static const struct sample *sample_of(const struct bench *b, u64 samples)
{
	vec_for_each (&b->profile.samples, sample)
		if (sample->column[0] == samples)
			return sample;
	return NULL;
}

/* The path of the file that the leaf of that sample is in; what it is instead in brackets. */
static const char *leaf_of(const struct bench *b, u64 samples)
{
	const struct profile *p = &b->profile;
	const struct sample *sample = sample_of(b, samples);
	const struct stack *s;
	const struct frame *frame;

	if (!sample)
		return "[no sample]";
	s = &p->stacks.at[sample->user];
	if (!s->nr)
		return s->end == WICK_LOST ? "[lost]" : "[empty]";
	frame = &p->frames.at[p->stack_frames.at[s->first]];
	if (frame->space != SPACE_FILE)
		return "[no file]";
	return strings_get(&p->names, p->files.at[frame->origin].path).s;
}

/* An exec of /old at 10, of /new at 30; samples at 20 (5 of them) and 40 (7). */
static void two_programs(struct bench *b)
{
	/* In the order of the channels, which is not that of the times. */
	maps(b, 31, "/new", CODE);
	execs(b, 30);
	execs(b, 10);
	maps(b, 11, "/old", CODE);
	leg(b, 40, 2, PID);
	stack(b, 40, 8, 2, PID);
	leg(b, 20, 1, PID);
	stack(b, 20, 4, 1, PID);
	count(b, 8, 2, 7);
	count(b, 4, 1, 5);
}

static void a_stack_has_the_mappings_of_its_own_time(void)
{
	struct bench b;

	bench_begin(&b);
	two_programs(&b);
	timeline_until(b.timeline, UINT64_MAX);
	timeline_finish(b.timeline);
	CHECK_STR(leaf_of(&b, 5), "/old");
	CHECK_STR(leaf_of(&b, 7), "/new");
	CHECK_EQ(b.profile.samples.nr, 2);
	CHECK_EQ(timeline_lost_stacks(b.timeline), 0);
	CHECK_EQ(timeline_nr_bodies(b.timeline), 4);
	bench_end(&b);
}

static void what_is_younger_than_the_horizon_waits(void)
{
	struct bench b;

	bench_begin(&b);
	two_programs(&b);
	timeline_until(b.timeline, 20);
	CHECK_STR(leaf_of(&b, 5), "[lost]");
	timeline_until(b.timeline, 35);
	CHECK_STR(leaf_of(&b, 5), "/old");
	CHECK_STR(leaf_of(&b, 7), "[lost]");
	/* It came late, and is older than what waits. */
	maps(&b, 38, "/plugin", CODE);
	timeline_until(b.timeline, UINT64_MAX);
	CHECK_STR(leaf_of(&b, 5), "/old");
	CHECK_STR(leaf_of(&b, 7), "/plugin");
	bench_end(&b);
}

static void a_library_that_takes_anothers_place(void)
{
	struct bench b;

	bench_begin(&b);
	execs(&b, 10);
	leg(&b, 11, 1, PID);
	for (u64 i = 0; i < 6; i++) {
		maps(&b, 20 + 10 * i, i % 2 ? "/blue.so" : "/amber.so", CODE);
		stack(&b, 25 + 10 * i, 50 + i, 1, PID);
		count(&b, 50 + i, 1, 1000 + i);
	}
	timeline_until(b.timeline, UINT64_MAX);
	for (u64 i = 0; i < 6; i++)
		CHECK_STR(leaf_of(&b, 1000 + i), i % 2 ? "/blue.so" : "/amber.so");
	bench_end(&b);
}

static void a_child_has_what_its_parent_had(void)
{
	struct bench b;

	bench_begin(&b);
	execs(&b, 10);
	maps(&b, 11, "/old", CODE);
	record(&b, (struct sideband_record){
			   .type = SIDEBAND_FORK, .time = 20, .pid = CHILD, .parent = PID});
	execs(&b, 30); /* of the parent */
	maps(&b, 31, "/new", CODE);
	leg(&b, 40, 1, CHILD);
	stack(&b, 40, 4, 1, CHILD);
	count(&b, 4, 1, 5);
	timeline_until(b.timeline, UINT64_MAX);
	CHECK_STR(leaf_of(&b, 5), "/old");
	bench_end(&b);
}

static void a_process_that_has_ended_is_kept_for_its_last_stacks(void)
{
	struct bench b;

	bench_begin(&b);
	execs(&b, 10);
	maps(&b, 11, "/old", CODE);
	record(&b, (struct sideband_record){.type = SIDEBAND_EXIT, .time = 20});
	timeline_until(b.timeline, 21);
	processes_forget(b.processes, 15);
	leg(&b, 19, 1, PID);
	stack(&b, 19, 4, 1, PID);
	count(&b, 4, 1, 5);
	timeline_until(b.timeline, 30);
	CHECK_STR(leaf_of(&b, 5), "/old");
	processes_forget(b.processes, 21);
	CHECK(!processes_knows(b.processes, PID));
	bench_end(&b);
}

static void counts_wait_for_their_bodies(void)
{
	struct bench b;

	bench_begin(&b);
	execs(&b, 10);
	maps(&b, 11, "/old", CODE);
	count(&b, 4, 1, 5);
	count(&b, 9, 1, 6); /* never comes */
	timeline_until(b.timeline, 20);
	CHECK_EQ(b.profile.samples.nr, 0);
	leg(&b, 25, 1, PID);
	stack(&b, 25, 4, 1, PID);
	timeline_until(b.timeline, UINT64_MAX);
	CHECK_STR(leaf_of(&b, 5), "/old");
	CHECK_STR(leaf_of(&b, 6), "[no sample]");
	timeline_finish(b.timeline);
	CHECK_STR(leaf_of(&b, 6), "[lost]");
	CHECK_EQ(timeline_lost_stacks(b.timeline), 6);
	bench_end(&b);
}

static void ids_outlive_one_change_of_the_epoch_at_most(void)
{
	struct bench b;

	bench_begin(&b);
	CHECK(!timeline_rotate(b.timeline));
	execs(&b, 10);
	maps(&b, 11, "/old", CODE);
	leg(&b, 12, 1, PID);
	for (u64 id = 1; id <= 1 << 18; id++)
		stack(&b, 20, id, 1, PID);
	timeline_until(b.timeline, UINT64_MAX);
	CHECK(timeline_rotate(b.timeline));
	count(&b, 1 << 18, 1, 5);
	CHECK_STR(leaf_of(&b, 5), "/old");
	bench_end(&b);
}

static void frames_in_files_are_everybodys(void)
{
	struct stack_body body = {
		.stack = {.body = {.type = WICK_BODY_USER_STACK, .nr = 3, .id = 4, .time = 20}},
		.frames = {WICK_FRAME_IN_FILE | 1ull << WICK_FRAME_FILE_SHIFT | 0x1010,
			   WICK_FRAME_IN_FILE | 0x20, /* the vdso */
			   WICK_FRAME_IN_FILE | 77ull << WICK_FRAME_FILE_SHIFT},
	};
	const struct profile *p;
	const struct frame *frame;
	const struct stack *s;
	struct bench b;

	bench_begin(&b);
	p = &b.profile;
	execs(&b, 10);
	maps(&b, 11, "/old", CODE);
	leg(&b, 20, 1, PID);
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(body)), 0);
	count(&b, 4, 1, 5);
	timeline_until(b.timeline, UINT64_MAX);
	CHECK_STR(leaf_of(&b, 5), "/old");
	if (sample_of(&b, 5)) {
		s = &p->stacks.at[sample_of(&b, 5)->user];
		CHECK_EQ(s->nr, 3);
		frame = &p->frames.at[p->stack_frames.at[s->first]];
		CHECK_EQ(frame->address, 0x1010);
		frame = &p->frames.at[p->stack_frames.at[s->first + 1]];
		CHECK_EQ(frame->space, SPACE_VDSO);
		CHECK_EQ(frame->address, 0x20);
		/* A file that nobody has told of. */
		frame = &p->frames.at[p->stack_frames.at[s->first + 2]];
		CHECK_EQ(frame->space, SPACE_FILE);
		CHECK_EQ(frame->origin, 0);
	}
	bench_end(&b);
}

/* Another CPU has sent the stack that this one's hop names, and with a later time. */
static void hops_name_what_came_before_them(void)
{
	struct wick_stack_body kernel = {
		.body = {.type = WICK_BODY_KERNEL_STACK, .nr = 1, .id = 7, .time = 90}};
	struct {
		struct wick_stack_body stack;
		u64 frame;
	} stack_body = {kernel, 0xffffffff81000010};
	struct wick_hop_body hop = {
		.body = {.type = WICK_BODY_HOP, .id = 8, .time = 80}, .leg = 101, .kernel = 7};
	struct {
		struct wick_chain_body chain;
		u64 hops[2];
	} chain = {.chain = {.body = {.type = WICK_BODY_CHAIN, .nr = 2, .id = 9, .time = 70},
			     .end = WICK_CHAIN_CYCLE},
		   .hops = {8, 12345}};
	struct wick_key key = {.leg = 101, .wakeup.chain = 9, .kind = WICK_SCHED, .state = 'S'};
	struct wick_columns columns = {.column = {1, 50, 50}};
	const struct profile *p;
	const struct chain *row;
	struct bench b;

	bench_begin(&b);
	p = &b.profile;
	leg(&b, 95, 1, PID);
	CHECK_EQ(timeline_body(b.timeline, &stack_body, sizeof(stack_body)), 0);
	CHECK_EQ(timeline_body(b.timeline, &hop, sizeof(hop)), 0);
	CHECK_EQ(timeline_body(b.timeline, &chain, sizeof(chain)), 0);
	timeline_count(b.timeline, &key, &columns);
	CHECK_EQ(p->samples.nr, 0);
	timeline_finish(b.timeline);
	CHECK_EQ(p->samples.nr, 1);
	CHECK_EQ(timeline_lost_stacks(b.timeline), 1);
	row = &p->chains.at[p->samples.at[0].chain];
	CHECK_EQ(row->nr, 2);
	CHECK_EQ(row->end, WICK_CHAIN_CYCLE);
	CHECK_EQ(p->stacks.at[p->hops.at[p->chain_hops.at[row->first]].kernel].nr, 1);
	/* A hop that nobody has told of. */
	CHECK_EQ(p->chain_hops.at[row->first + 1], 0);
	bench_end(&b);
}

/* Accounts come in any order. */
static void who_starves_knows_who_has_its_cpu(void)
{
	struct wick_thread_body starves = {.body = {.type = WICK_BODY_THREAD, .time = 70},
					   .leg = 101,
					   .end = 60,
					   .queued = 60,
					   .last_cpu = 3,
					   .still = 'Q' | WICK_STATE_STILL,
					   .still_ns = 60};
	struct wick_thread_body runs = {.body = {.type = WICK_BODY_THREAD, .time = 70},
					.leg = 102,
					.end = 60,
					.running = 60,
					.last_ran = 60,
					.last_cpu = 3};
	const struct profile *p;
	struct bench b;

	bench_begin(&b);
	p = &b.profile;
	leg(&b, 50, 1, PID);
	leg(&b, 50, 2, CHILD);
	CHECK_EQ(timeline_body(b.timeline, &starves, sizeof(starves)), 0);
	CHECK_EQ(timeline_body(b.timeline, &runs, sizeof(runs)), 0);
	timeline_finish(b.timeline);
	CHECK_EQ(p->waits.blocks.nr, 1);
	CHECK_EQ(p->threads.nr, 2);
	if (p->waits.blocks.nr == 1 && p->threads.nr == 2) {
		const struct block *block = &p->waits.blocks.at[0];

		CHECK_EQ(block->leg, p->threads.at[0].leg);
		CHECK_EQ(block->before, p->threads.at[1].leg);
		CHECK_EQ(block->end - block->woken, 60);
	}
	bench_end(&b);
}

/* The ring was full when the leg and the hop were to be sent: they come with a later event. */
static void what_the_ring_refused_at_first_is_not_lost(void)
{
	struct wick_hop_body hop = {.body = {.type = WICK_BODY_HOP, .id = 8, .time = 60},
				    .leg = 101};
	struct {
		struct wick_chain_body chain;
		u64 hops[1];
	} chain = {.chain = {.body = {.type = WICK_BODY_CHAIN, .nr = 1, .id = 9, .time = 70}},
		   .hops = {8}};
	struct wick_thread_body thread = {.body = {.type = WICK_BODY_THREAD, .time = 70},
					  .leg = 101};
	struct wick_key key = {.leg = 102, .wakeup.chain = 9, .kind = WICK_SCHED, .state = 'S'};
	struct wick_columns columns = {.column = {1, 50, 50}};
	const struct profile *p;
	struct bench b;

	bench_begin(&b);
	p = &b.profile;
	leg(&b, 50, 2, CHILD);
	CHECK_EQ(timeline_body(b.timeline, &chain, sizeof(chain)), 0);
	CHECK_EQ(timeline_body(b.timeline, &thread, sizeof(thread)), 0);
	timeline_count(b.timeline, &key, &columns);
	timeline_until(b.timeline, 100);
	CHECK_EQ(timeline_body(b.timeline, &hop, sizeof(hop)), 0);
	timeline_until(b.timeline, 200);
	CHECK_EQ(p->samples.nr, 0);
	CHECK_EQ(p->threads.nr, 0);
	leg(&b, 250, 1, PID);
	timeline_until(b.timeline, 300);
	timeline_until(b.timeline, 400);
	CHECK_EQ(p->threads.nr, 1);
	CHECK_EQ(p->samples.nr, 1);
	if (p->samples.nr == 1 && p->threads.nr == 1) {
		u32 first = p->chains.at[p->samples.at[0].chain].first;

		CHECK(p->threads.at[0].leg);
		CHECK_EQ(p->hops.at[p->chain_hops.at[first]].leg, p->threads.at[0].leg);
	}
	timeline_finish(b.timeline);
	CHECK_EQ(timeline_lost_stacks(b.timeline), 0);
	bench_end(&b);
}

static void bodies_that_make_no_sense_are_refused(void)
{
	struct stack_body body = {.stack = {.body = {.type = WICK_BODY_USER_STACK, .nr = 3}}};
	struct bench b;

	bench_begin(&b);
	for (size_t size = 0; size < sizeof(body); size++)
		CHECK_EQ(timeline_body(b.timeline, &body, size), -EINVAL);
	body.stack.body.nr = WICK_USER_FRAMES + 1;
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(body)), -EINVAL);
	body.stack.body.nr = UINT32_MAX;
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(body)), -EINVAL);
	body.stack.body.nr = 0;
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(body)), -EINVAL);
	body.stack.body = (struct wick_body){.type = 99, .nr = 3};
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(body)), -EINVAL);
	body.stack.body = (struct wick_body){.type = WICK_BODY_LEG};
	CHECK_EQ(timeline_body(b.timeline, &body, sizeof(struct wick_leg_body) - 1), -EINVAL);
	CHECK_EQ(timeline_nr_bodies(b.timeline), 0);
	bench_end(&b);
}

/* Above its process's share: its stack is known never to come, and nothing waits for it. */
static void a_stack_that_was_not_sent_is_lost_at_once(void)
{
	struct bench b;

	bench_begin(&b);
	leg(&b, 10, 1, PID);
	timeline_until(b.timeline, 100);
	count(&b, WICK_LOST_STACK, 1, 5);
	CHECK_STR(leaf_of(&b, 5), "[lost]");
	timeline_finish(b.timeline);
	CHECK_EQ(b.profile.samples.nr, 1);
	CHECK_EQ(timeline_lost_stacks(b.timeline), 0); /* BPF has counted it */
	bench_end(&b);
}

int main(void)
{
	RUN(a_stack_that_was_not_sent_is_lost_at_once);
	RUN(a_stack_has_the_mappings_of_its_own_time);
	RUN(what_is_younger_than_the_horizon_waits);
	RUN(a_library_that_takes_anothers_place);
	RUN(a_child_has_what_its_parent_had);
	RUN(a_process_that_has_ended_is_kept_for_its_last_stacks);
	RUN(counts_wait_for_their_bodies);
	RUN(ids_outlive_one_change_of_the_epoch_at_most);
	RUN(frames_in_files_are_everybodys);
	RUN(hops_name_what_came_before_them);
	RUN(who_starves_knows_who_has_its_cpu);
	RUN(what_the_ring_refused_at_first_is_not_lost);
	RUN(bodies_that_make_no_sense_are_refused);
	return test_status();
}
