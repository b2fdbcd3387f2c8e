/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

enum { THREADS = 4 };

struct log {
	struct fixture f;
	u32 leg[THREADS]; /* of one process */
	struct why *why;
	struct why_locks locks;
};

static u32 woken_by(struct fixture *f, u32 leg)
{
	u32 ref = profile_hop(&f->p, &(struct hop){.cause = WICK_BY_TASK, .leg = leg});

	return profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

static void log_init(struct log *l)
{
	*l = (struct log){};
	fixture_init(&l->f);
	l->f.p.end = l->f.p.begin + 1000;
	for (u32 i = 0; i < THREADS; i++)
		l->leg[i] = thread(&l->f, "worker", 10, 10 + i);
	for (u32 i = 0; i < THREADS; i++)
		profile_thread(&l->f.p, &(struct thread_time){.leg = l->leg[i],
							      .begin = l->f.p.begin,
							      .end = l->f.p.end});
}

static void log_release(struct log *l)
{
	why_locks_release(&l->locks);
	why_free(l->why);
	fixture_release(&l->f);
}

/* Waits in kernel functions; for a futex at that address, if there is one. */
static void waits(struct log *l, u32 i, const char *kernel, u64 futex, u32 by, u64 begin, u64 woken)
{
	struct fixture *f = &l->f;
	_cleanup_free_ char *name = format("0x%llx", (unsigned long long)futex);
	const struct object object = {
		.kind = WICK_OBJECT_FUTEX,
		.name = strings_adds(&f->p.names, name),
		.id = futex,
		.of = f->p.legs.at[l->leg[i]].pid,
	};

	profile_block(&f->p, &(struct block){
				     .leg = l->leg[i],
				     .user = stack(f, FRAME_USER, "main;work;takes"),
				     .kernel = stack(f, FRAME_KERNEL, kernel),
				     .chain = woken_by(f, l->leg[by]),
				     .state = 'S',
				     .begin = f->p.begin + begin,
				     .woken = f->p.begin + woken,
				     .end = f->p.begin + woken,
				     .counted_block = woken - begin,
				     .object = futex ? profile_object(&f->p, &object) : 0,
				     .object_kind = futex ? WICK_OBJECT_LOCK : 0,
			     });
}

static void look(struct log *l)
{
	l->why = why_new(&l->f.p);
	why_locks_find(&l->locks, l->why);
}

#define FUTEX	      "futex_wait;schedule;__schedule"
#define _cleanup_log_ _cleanup_(log_release)

static void a_lock_is_its_word_in_a_process(void)
{
	_cleanup_log_ struct log l;
	u32 stranger;

	log_init(&l);
	stranger = thread(&l.f, "other", 99, 99);
	waits(&l, 1, FUTEX, 0x1000, 0, 100, 200);
	waits(&l, 2, FUTEX, 0x1000, 1, 150, 300);
	waits(&l, 1, FUTEX, 0x2000, 0, 300, 350);
	l.leg[3] = stranger;
	waits(&l, 3, FUTEX, 0x1000, 0, 100, 110);
	look(&l);
	CHECK_EQ(l.locks.all.nr, 3);
	CHECK_EQ(l.locks.ns, 100 + 150 + 50 + 10);
	CHECK_EQ(l.locks.all.at[0].ns, 250);
	CHECK_EQ(l.locks.all.at[0].nr, 2);
	CHECK_EQ(l.locks.all.at[0].longest, 150);
	CHECK_EQ(l.locks.all.at[0].worst, 1);
	CHECK_EQ(l.locks.all.at[0].at_once, 2);
	CHECK_EQ(l.locks.all.at[1].at_once, 1);
}

static void waits_that_follow_each_other_are_not_at_once(void)
{
	_cleanup_log_ struct log l;

	log_init(&l);
	waits(&l, 1, FUTEX, 0x1000, 0, 100, 200);
	waits(&l, 2, FUTEX, 0x1000, 0, 200, 300);
	waits(&l, 3, FUTEX, 0x1000, 0, 300, 350);
	look(&l);
	CHECK_EQ(l.locks.all.at[0].at_once, 1);
}

/* 0 has it until 200, then 1 until 260, then 2 until 300. */
static void the_holder_is_who_does_not_wait_for_it_any_more(void)
{
	static const struct {
		u32 tid;
		u64 ns;
		enum why_what what;
	} want[] = {{10, 30, WHY_NR}, {10, 70, WHY_RAN}, {11, 60, WHY_RAN}, {12, 40, WHY_RAN}};
	struct why_pieces pieces = {};
	_cleanup_log_ struct log l;
	struct why_step *step;
	size_t nr = 0;

	log_init(&l);
	waits(&l, 1, FUTEX, 0x1000, 0, 90, 200);
	waits(&l, 2, FUTEX, 0x1000, 1, 95, 260);
	waits(&l, 3, FUTEX, 0x1000, 2, 100, 300);
	/* The first holder waits for another lock, whose holder is 1 in this log: a sleep is one, too. */
	waits(&l, 0, FUTEX, 0x2000, 0, 100, 130);
	for (u32 i = 0; i < l.f.p.threads.nr; i++)
		l.f.p.threads.at[i].running = l.f.p.threads.at[i].ran = 1000;
	look(&l);
	why_explain_block(l.why, 2, &pieces);
	vec_for_each (&pieces.pieces, piece) {
		struct why_holder holder = why_lock_holder(&l.locks, 2, &pieces, piece);

		CHECK(nr < ARRAY_SIZE(want) && holder.step != WHY_NO_STEP);
		if (nr >= ARRAY_SIZE(want) || holder.step == WHY_NO_STEP)
			break;
		step = &pieces.steps.at[holder.step];
		CHECK_EQ(l.f.p.legs.at[step->leg].tid, want[nr].tid);
		CHECK_EQ(piece->ns, want[nr].ns);
		CHECK(want[nr].what != WHY_RAN || holder.what == WHY_RAN);
		nr++;
	}
	CHECK_EQ(nr, ARRAY_SIZE(want));
	why_pieces_release(&pieces);
}

static void a_lock_of_the_kernel_is_named_by_who_takes_it(void)
{
	static const struct {
		const char *kernel, *want;
	} cases[] = {
		{"vfs_write;pipe_write;mutex_lock;__mutex_lock_slowpath;__mutex_lock.constprop.0;"
		 "schedule_preempt_disabled;__schedule",
		 "mutex in pipe_write"},
		{"do_user_addr_fault;down_read;rwsem_down_read_slowpath;schedule_preempt_disabled",
		 "rwsem in do_user_addr_fault"},
		{"vm_mmap_pgoff;down_write_killable;rwsem_down_write_slowpath;schedule",
		 "rwsem in vm_mmap_pgoff"},
		{"cgroup_attach;percpu_down_write;schedule", "rwsem in cgroup_attach"},
		{"console;down;__down;__down_common;schedule_timeout;schedule",
		 "semaphore in console"},
		{"__do_sys_flock;locks_lock_inode_wait;schedule", "file lock in __do_sys_flock"},
		{"do_fcntl;fcntl_setlk;do_lock_file_wait;schedule", "file lock in do_fcntl"},
		{"futex_lock_pi;rt_mutex_wait_proxy_lock;schedule", "mutex in futex_lock_pi"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf name = {};
		_cleanup_log_ struct log l;

		log_init(&l);
		waits(&l, 1, cases[i].kernel, 0, 0, 100, 200);
		look(&l);
		CHECK_EQ(l.locks.all.nr, 1);
		if (l.locks.all.nr)
			why_lock_name(&l.f.p, &l.locks.all.at[0], &name);
		CHECK_STR(name.s ? name.s : "", cases[i].want);
	}
}

static void parts_sum_to_their_lock(void)
{
	_cleanup_log_ struct log l;

	log_init(&l);
	waits(&l, 1, FUTEX, 0x1000, 0, 90, 200);
	waits(&l, 2, FUTEX, 0x1000, 1, 95, 260);
	waits(&l, 3, FUTEX, 0x1000, 2, 100, 300);
	waits(&l, 1, FUTEX, 0x2000, 3, 300, 800);
	look(&l);
	why_locks_sum(&l.locks, l.why);
	CHECK_EQ(l.f.p.objects.at[l.locks.all.at[0].object].id, 0x2000);
	vec_for_each (&l.locks.all, lock) {
		u64 waited = 0, held = 0;

		vec_for_each (&lock->waiters, part)
			waited += part->ns;
		vec_for_each (&lock->holders, part)
			held += part->ns;
		CHECK_EQ(waited, lock->ns);
		CHECK_EQ(held, lock->ns);
	}
}

int main(void)
{
	RUN(a_lock_is_its_word_in_a_process);
	RUN(waits_that_follow_each_other_are_not_at_once);
	RUN(the_holder_is_who_does_not_wait_for_it_any_more);
	RUN(a_lock_of_the_kernel_is_named_by_who_takes_it);
	RUN(parts_sum_to_their_lock);
	return test_status();
}
