/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hammer.c: programs on all CPUs count into a few hundred keys while user space drains with what
 * wick itself drains with, src/collect/kernel/counts.c. How often each key was counted is known exactly,
 * so nothing may be missing and nothing may be there twice.
 *
 * needs-root
 */
#include "collect/kernel/counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>

#include "../unit/test.h"
#include "hammer.h"
#include "hammer.skel.h"

enum {
	MAX_KEY = 2048,
	MAX_THREADS = 64,
	REPEAT = 500,
	RUN_MS = 1500,
};

struct hammer {
	struct hammer_bpf *skeleton;
	struct counts counts;
	u32 nr_keys; /* distinct ones that are counted */
	u64 deadline;
	u64 seen[MAX_KEY]; /* what was drained, by key */
	u64 weight, nr_drains;
};

struct thread {
	pthread_t thread;
	struct hammer *hammer;
	u32 cpu, nr;
	u64 runs[MAX_KEY]; /* by mark */
	int error;
};

/* One thread a CPU: wick's programs are not preempted by each other either. */
static void pin(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *hammer_thread(void *arg)
{
	struct thread *t = arg;
	struct hammer *h = t->hammer;
	int program = bpf_program__fd(h->skeleton->progs.wick_hammer);
	char packet[64] = {};

	pin(t->cpu);
	for (u32 round = t->nr; monotonic_ns() < h->deadline; round += 7) {
		struct __sk_buff context = {
			.mark = round * 13 % (h->nr_keys - HAMMER_KEYS + 1),
		};
		LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = packet,
			    .data_size_in = sizeof(packet), .ctx_in = &context,
			    .ctx_size_in = sizeof(context), .repeat = REPEAT);

		if (bpf_prog_test_run_opts(program, &options)) {
			t->error = errno;
			return NULL;
		}
		t->runs[context.mark] += REPEAT;
	}
	return NULL;
}

/* The sum grows with each count, and then stays at its largest value. */
static bool has_wrapped(const struct wick_columns *columns)
{
	u64 nr = columns->column[0], sum = columns->column[2];

	if (nr > HAMMER_HALF + MAX_THREADS)
		return sum != WICK_LARGEST_SUM;
	return sum < min(nr, (u64)HAMMER_HALF) * HAMMER_MUCH;
}

static void on_count(void *ctx, const struct wick_key *key, const struct wick_columns *columns)
{
	struct hammer *h = ctx;

	if (key->leg >= MAX_KEY) {
		test_report("a key that nobody counts: %llu", key->leg);
		return;
	}
	h->seen[key->leg] += columns->column[0];
	h->weight += columns->column[1];
	if (columns->column[1] != columns->column[0] * key->leg)
		test_report("key %llu: %llu and %llu do not belong together", key->leg,
			    columns->column[0], columns->column[1]);
	if (has_wrapped(columns))
		test_report("key %llu: a sum of %llu counts has wrapped: %llu", key->leg,
			    columns->column[0], columns->column[2]);
}

static void drain(struct hammer *h)
{
	if (counts_flip(&h->counts))
		return;
	counts_drain(&h->counts, on_count, h);
	h->nr_drains++;
}

static size_t online_cpus(u32 *cpus)
{
	cpu_set_t set;
	size_t nr = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (u32 cpu = 0; cpu < CPU_SETSIZE && nr < MAX_THREADS; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

/* Hammers; adds what was counted of each key to `wanted`. */
static void run_threads(struct hammer *h, u64 *wanted)
{
	static struct thread threads[MAX_THREADS];
	u32 cpus[MAX_THREADS];
	size_t nr = online_cpus(cpus);

	memset(threads, 0, sizeof(threads));
	h->deadline = monotonic_ns() + RUN_MS * NSEC_PER_MSEC;
	for (size_t i = 0; i < nr; i++) {
		threads[i].hammer = h;
		threads[i].cpu = cpus[i];
		threads[i].nr = (u32)i;
		pthread_create(&threads[i].thread, NULL, hammer_thread, &threads[i]);
	}
	while (monotonic_ns() < h->deadline)
		drain(h);
	for (size_t i = 0; i < nr; i++) {
		pthread_join(threads[i].thread, NULL);
		if (threads[i].error)
			test_report("BPF_PROG_TEST_RUN: %s", strerror(threads[i].error));
		for (u32 mark = 0; mark < MAX_KEY - HAMMER_KEYS; mark++)
			for (u32 key = mark; key < mark + HAMMER_KEYS; key++)
				wanted[key] += threads[i].runs[mark];
	}
	/* Both maps may hold something. */
	drain(h);
	drain(h);
	if (counts_left(&h->counts))
		test_report("buckets that could not be read: %u", counts_left(&h->counts));
}

static void read_counters(struct hammer *h, struct wick_counters *sum)
{
	int fd = bpf_map__fd(h->skeleton->maps.counters), nr = libbpf_num_possible_cpus();
	struct wick_counters *cpus = xcalloc((size_t)nr, sizeof(*cpus));
	u32 key = WICK_CPU;

	*sum = (struct wick_counters){};
	if (bpf_map_lookup_elem(fd, &key, cpus))
		test_report("counters: %s", strerror(errno));
	for (int i = 0; i < nr; i++) {
		for (int c = 0; c < WICK_NR_COUNTERS; c++)
			sum->at[c] += cpus[i].at[c];
		for (int c = 0; c < 3; c++)
			sum->overflow.column[c] += cpus[i].overflow.column[c];
	}
	free(cpus);
}

static struct counts_maps hammer_maps(const struct hammer *h)
{
	return (struct counts_maps){
		.counts = {h->skeleton->maps.counts_0, h->skeleton->maps.counts_1},
		.slots = h->skeleton->maps.program_slots,
	};
}

static bool hammer_open(struct hammer *h, u32 nr_keys, u32 max_keys)
{
	struct error error = {};

	h->nr_keys = nr_keys;
	h->skeleton = hammer_bpf__open();
	if (!h->skeleton)
		return false;
	counts_set_sizes(hammer_maps(h), max_keys);
	if (hammer_bpf__load(h->skeleton)) {
		test_report("cannot load: %s", strerror(errno));
		return false;
	}
	if (counts_init(&h->counts, hammer_maps(h), &h->skeleton->bss->generation, &error)) {
		test_report("%s", error.text);
		return false;
	}
	return true;
}

static void hammer_close(struct hammer *h)
{
	if (h->skeleton)
		counts_release(&h->counts);
	hammer_bpf__destroy(h->skeleton);
}

static void sums_are_exact_while_it_drains(void)
{
	static struct hammer h;
	static u64 wanted[MAX_KEY];
	struct wick_counters sum;
	u64 total = 0;

	if (hammer_open(&h, 400, 4096)) {
		run_threads(&h, wanted);
		read_counters(&h, &sum);
		for (u32 key = 0; key < MAX_KEY; key++) {
			total += wanted[key];
			if (h.seen[key] != wanted[key])
				test_report("key %u: %llu drained, %llu counted", key,
					    (unsigned long long)h.seen[key],
					    (unsigned long long)wanted[key]);
		}
		CHECK(total > 0);
		CHECK_EQ(sum.at[WICK_KEPT], total);
		CHECK_EQ(sum.at[WICK_LOST_KEY], 0);
		CHECK_EQ(sum.overflow.column[0], 0);
		CHECK(h.nr_drains > 2); /* at least one while programs counted */
		printf("# %llu counts, %llu drains\n", (unsigned long long)total,
		       (unsigned long long)h.nr_drains);
	}
	hammer_close(&h);
}

static void what_finds_no_room_is_in_the_overflow_cell(void)
{
	static struct hammer h;
	static u64 wanted[MAX_KEY];
	struct wick_counters sum;
	u64 total = 0, weight = 0, seen = 0;

	if (hammer_open(&h, 1500, 100)) {
		run_threads(&h, wanted);
		read_counters(&h, &sum);
		for (u32 key = 0; key < MAX_KEY; key++) {
			total += wanted[key];
			weight += wanted[key] * key;
			seen += h.seen[key];
			if (h.seen[key] > wanted[key])
				test_report("key %u: %llu drained, %llu counted", key,
					    (unsigned long long)h.seen[key],
					    (unsigned long long)wanted[key]);
		}
		CHECK(seen > 0);
		CHECK(sum.overflow.column[0] > 0);
		CHECK_EQ(sum.overflow.column[0], sum.at[WICK_LOST_KEY]);
		CHECK_EQ(sum.at[WICK_KEPT], total);
		CHECK_EQ(seen + sum.overflow.column[0], total);
		CHECK_EQ(h.weight + sum.overflow.column[1], weight);
		printf("# %llu counts, %llu without a key of their own, %llu drains\n",
		       (unsigned long long)total, (unsigned long long)sum.overflow.column[0],
		       (unsigned long long)h.nr_drains);
	}
	hammer_close(&h);
}

/* `hammer once`: for who wants to see a program come, run, and go. */
int main(int argc, char **argv)
{
	RUN(sums_are_exact_while_it_drains);
	if (argc == 2 && !strcmp(argv[1], "once"))
		return test_status();
	RUN(what_finds_no_room_is_in_the_overflow_cell);
	return test_status();
}
