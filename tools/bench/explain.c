/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c: `explain BLOCKS THREADS TIMERS`: explains every wait of a log made up, of which TIMERS
 * in ten are ended by a timer and the others by any thread. Prints the seconds of CPU time that the
 * index and the explanations took, and what memory grew by, in MB.
 */
#include <sys/resource.h>
#include <time.h>

#include "base/base.h"
#include "why.h"

static u32 seed = 1;

static u64 up_to(u64 n)
{
	seed = seed * 1103515245 + 12345;
	return (u64)(seed >> 1) * n >> 31;
}

struct made {
	u32 leg, chain; /* by it */
	u64 at, ran;
};

static u32 chain_of(struct profile *p, enum wick_cause cause, u32 leg)
{
	u32 hop = profile_hop(p, &(struct hop){.cause = cause, .leg = leg});

	return profile_chain(p, &hop, 1, WICK_CHAIN_RUNNING);
}

static void add_block(struct profile *p, struct made *thread, u32 chain, u64 longest)
{
	u64 run = 1 + up_to(longest / 2), length = 1 + up_to(longest), wait = up_to(longest / 4);
	struct block block = {.leg = thread->leg, .chain = chain, .state = 'S'};

	block.begin = thread->at + run;
	block.woken = block.begin + length;
	block.end = block.woken + wait;
	block.ran = thread->ran += run;
	thread->at = block.end;
	profile_block(p, &block);
}

static void make_log(struct profile *p, u32 nr_blocks, u32 nr_threads, u32 timers)
{
	_cleanup_free_ struct made *threads = xcalloc(nr_threads, sizeof(*threads));
	u32 timer = chain_of(p, WICK_BY_INTERRUPT, 0);

	p->end = 30 * NSEC_PER_SEC;
	p->most_blocks = MOST_BLOCKS;
	for (u32 i = 0; i < nr_threads; i++) {
		threads[i].leg = profile_leg(p, &(struct leg){.tid = i + 1, .start_ns = i + 1});
		threads[i].chain = chain_of(p, WICK_BY_TASK, threads[i].leg);
	}
	for (u32 i = 0; i < nr_blocks; i++) {
		u32 by = up_to(10) < timers ? timer : threads[up_to(nr_threads)].chain;

		add_block(p, &threads[i % nr_threads], by,
			  p->end / (nr_blocks / nr_threads + 1) / 2);
	}
	for (u32 i = 0; i < nr_threads; i++)
		profile_thread(p, &(struct thread_time){.leg = threads[i].leg,
							.end = p->end,
							.running = threads[i].ran});
}

static u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
	_cleanup_(why_pieces_release) struct why_pieces pieces = {};
	u64 begin, indexed, done, difference = 0;
	struct profile p;
	struct why *why;
	double before;

	if (argc != 4)
		return 2;
	profile_init(&p);
	make_log(&p, (u32)atoi(argv[1]), (u32)atoi(argv[2]), (u32)atoi(argv[3]));
	before = peak_mb();
	begin = cpu_ns();
	why = why_new(&p);
	indexed = cpu_ns();
	for (u32 i = 0; i < p.blocks.nr; i++) {
		why_explain_block(why, i, &pieces);
		difference += block_ns(&p.blocks.at[i]);
		vec_for_each (&pieces.pieces, piece)
			difference -= piece->ns;
	}
	done = cpu_ns();
	printf("%.3f %.3f %.1f\n", (double)(indexed - begin) / 1e9, (double)(done - indexed) / 1e9,
	       peak_mb() - before);
	why_free(why);
	profile_release(&p);
	return difference != 0;
}
