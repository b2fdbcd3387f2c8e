/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.bpf.c: the final pass. When the window has closed, every thread of the host is looked
 * at: its account is closed, and what it is doing off-CPU, which no switch will tell any more, is
 * counted up to the window's end with the thread's own stacks. A blocked thread's stack does not
 * change while it is blocked.
 *
 * Its user stack is sent: registers, and as much of it as there is. The thread is not stopped for
 * that. Its memory is read under the lock of its mappings. A thread that holds that for writing
 * may hold it for ever, so the memory is left alone then.
 *
 * The account is written into what user space reads from the iterator, which no full ring can
 * refuse. Legs and stacks go through the ring. Where that has no room, the program returns
 * VISIT_AGAIN before it has counted anything: the read ends there, user space empties the ring, and
 * its next read begins with the same thread.
 */
#include "capture.h"
#include "account.h"
#include "leg.h"
#include "run_clock.h"
#include <bpf/bpf_tracing.h>

/*
 * A pass has a scratch of its own, since it can sleep. It can even sleep for ever, in memory that
 * another process serves (userfaultfd, FUSE): then user space begins a second pass, which takes no
 * stacks.
 */
struct whole_copy {
	struct wick_copy_body head;
	char stack[WICK_COPY_PAGES * WICK_COPY_PAGE];
};

struct pass {
	struct scratch scratch; /* the type of its account is 0 where the thread has none */
	struct thread stranger; /* one that has no state of its own */
	struct whole_copy copy;
	u32 missed;  /* pages in a row */
	u32 counted; /* the tid of the last thread that was; they come in order */
	u64 session; /* the iterator's number */
};

/* What the kernel takes a program's result for: the read goes on, or ends before this thread. */
enum visited { VISIT_DONE, VISIT_AGAIN };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct pass);
} pass_scratch __weak SEC(".maps");

/* Has the ring refused anything since? Other programs of this CPU count in the same place. */
static __always_inline bool was_refused(const struct wick_counters *tally, u64 before)
{
	return control.retry && *(volatile const u64 *)&tally->at[WICK_LOST_BODY] != before;
}

/* The address of the task that is visited, as a number. */
static __always_inline u64 address_of_task(struct bpf_iter__task *ctx)
{
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &ctx->task);
	return address;
}

static __always_inline u64 stack_of_other(struct task_struct *task, struct scratch *s, u64 now,
					  struct wick_counters *tally)
{
	long size = bpf_get_task_stack(task, s->kernel.frames, WICK_KERNEL_FRAMES * sizeof(u64), 0);

	return size > 0 ? kernel_frames(s, (u64)size / sizeof(u64), now, tally) : 0;
}

/*
 * Does a thread change the mappings, or wait for that? In an rwsem's count the lowest bits are a
 * writer, waiters, a handoff; with PREEMPT_RT it is another lock. Where it cannot be asked, no
 * memory is looked at.
 */
enum { RWSEM_BUSY = 7 };

static __always_inline bool mappings_are_busy(struct mm_struct *mm)
{
	struct mm_struct___rt *rt = (void *)mm;

	if (bpf_core_field_exists(mm->mmap_lock.count))
		return BPF_CORE_READ(mm, mmap_lock.count.counter) & RWSEM_BUSY;
	/* Its sign is there as long as no writer is, nor waits. */
	if (bpf_core_field_exists(rt->mmap_lock.rwbase))
		return BPF_CORE_READ(rt, mmap_lock.rwbase.readers.counter) >= 0;
	return true;
}

/*
 * The memory of a file is its file system's to bring, which can take for ever: stacks are
 * anonymous.
 */
static __always_inline bool is_anonymous(struct mappings *m, u64 address)
{
	const struct mapping *at = mapping_at(m, address);

	return at->kind != MAPPING_NONE && !at->has_file;
}

/* A user stack of which only the leaf is known. */
static __always_inline u64 unreadable_stack(struct scratch *s, u64 now, struct wick_counters *tally)
{
	s->user.frames[0] = s->walk.regs[WICK_REG_IP];
	s->walk.python.words = s->walk.python.is_cut = 0;
	return user_frames(s, 1, WICK_UNREADABLE, true, now, tally);
}

/* Before 5.18 there is no helper that reads the memory of another process. */
static __always_inline bool can_read_others(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_copy_from_user_task);
}

/*
 * The stack from its pointer on, page by page, into what is sent. What the loop has found so far
 * lies in memory: in registers, the verifier would follow each way through it.
 */
static __always_inline void copy_pages_of(struct task_struct *task, struct pass *pass, u64 pages)
{
	struct whole_copy *copy = &pass->copy;

	pass->missed = 0;
	copy->head.holes = 0;
	copy->head.body.nr = 0;
	for (u32 i = 0; i < WICK_COPY_PAGES; i++) {
		if (i >= pages || pass->missed > 1)
			break;
		if (bpf_copy_from_user_task(copy->stack + i * WICK_COPY_PAGE, WICK_COPY_PAGE,
					    (void *)(copy->head.base + i * WICK_COPY_PAGE), task,
					    0)) {
			copy->head.holes |= 1ull << i;
			pass->missed++;
			continue;
		}
		pass->missed = 0;
		copy->head.body.nr = (i + 1) * WICK_COPY_PAGE;
	}
}

/*
 * File systems that bring their pages without another process (include/uapi/linux/magic.h), so that
 * a program's own data can be read: ext4, tmpfs, overlayfs, XFS, Btrfs.
 */
static __always_inline bool brings_pages_itself(u64 magic)
{
	return magic == 0xef53 || magic == 0x01021994 || magic == 0x794c7630 ||
	       magic == 0x58465342 || magic == 0x9123683e;
}

/* Is it memory of the process's own, which can be read without waiting for another one? */
static __always_inline bool is_own_memory(struct scratch *s, struct mm_struct *mm, u64 address)
{
	struct vma_search *search = &s->walk.mappings.search;
	struct vm_area_struct *vma;
	struct file *file;

	search->mm = (u64)mm;
	vma = find_vma(search, address);
	if (!vma || address < BPF_CORE_READ(vma, vm_start) ||
	    BPF_CORE_READ(vma, vm_flags) & VM_SHARED)
		return false;
	file = BPF_CORE_READ(vma, vm_file);
	return !file || brings_pages_itself(BPF_CORE_READ(file, f_inode, i_sb, s_magic));
}

/*
 * The holder of a lock that a thread waits for. Its word has that, if it is one of priority
 * inheritance; else glibc's mutexes have it two words further on (struct __pthread_mutex_s).
 */
enum { OWNER_BESIDE = 2, LOCK_WORDS };

static __always_inline void read_holder(struct task_struct *task, struct scratch *s,
					struct mm_struct *mm)
{
	struct object_scratch *o = &s->object;
	u32 words[LOCK_WORDS] = {};

	if (!o->word || o->holder || !is_own_memory(s, mm, o->word) ||
	    bpf_copy_from_user_task(words, sizeof(words), (void *)o->word, task, 0))
		return;
	if (names_holder(words[0]))
		o->holder = words[0] & FUTEX_TID;
	else if (words[0] == LOCK_IS_CONTENDED && words[OWNER_BESIDE])
		o->holder = (words[OWNER_BESIDE] & FUTEX_TID) | WICK_HOLDER_BESIDE;
}

/*
 * Sends the user stack of a thread; returns its id, 0: there is none to be had. It is copied
 * before there is room in the ring: a record that is not finished holds up all that come after it.
 */
static __always_inline u64 send_other(struct task_struct *task, struct pass *pass, u64 now,
				      struct wick_counters *tally)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct whole_copy *copy = &pass->copy;
	struct scratch *s = &pass->scratch;
	u32 size;

	if (!mm)
		return 0;
	bpf_probe_read_kernel(&s->walk.user_regs, sizeof(s->walk.user_regs),
			      (void *)bpf_task_pt_regs(task));
	REGS_COPY(s->walk.regs, &s->walk.user_regs, );
	s->walk.stopped_at = 0;
	if (!can_read_others())
		return unreadable_stack(s, now, tally);
	mappings_begin(&s->walk.mappings, mm, &s->leg.leg);
	if (mappings_are_busy(mm) || !is_anonymous(&s->walk.mappings, s->walk.regs[WICK_REG_SP]))
		return unreadable_stack(s, now, tally);
	read_holder(task, s, mm);
	copy_head(&copy->head, s, task, now);
	copy->head.python = python_self(task);
	copy_pages_of(task, pass, pages_to_copy(&s->walk));
	size = copy->head.body.nr;
	if (size > sizeof(copy->stack))
		return 0;
	if (bpf_ringbuf_output(&bodies, copy, sizeof(copy->head) + size, BPF_RB_NO_WAKEUP)) {
		tally->at[WICK_LOST_BODY]++;
		return control.retry ? 0 : unreadable_stack(s, now, tally);
	}
	return copy->head.body.id;
}

/*
 * How long a thread has been what it is, by the scheduler's own stamps: they count its CPU's
 * clock, without the time that a hypervisor took.
 */
static __always_inline void look_at(struct task_struct *task, struct standing *at)
{
	struct task_struct *current = bpf_get_current_task_btf();
	u32 state = task->__state;
	u64 now = 0;

	if (bpf_core_field_exists(current->se.cfs_rq))
		now = BPF_CORE_READ(current, se.cfs_rq, rq, clock_task);
	if (task->on_cpu) {
		at->still = WICK_STATE_ON_CPU;
	} else if (!state) {
		at->still = 'Q';
		at->still_ns = span(task->sched_info.last_queued, now);
	} else {
		at->still = state_of(task, state);
		at->still_ns = span(task->se.exec_start, now);
	}
}

/*
 * Since when a thread that is on a CPU has run, as the scheduler has it; 0: not known.
 */
static __always_inline u64 came_at(struct task_struct *task)
{
	if (!control.clock_offset || !bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	return task->sched_info.last_arrival + control.clock_offset;
}

/*
 * One that was not met while the window was open has been what it is all through it. If it runs,
 * it can have come since, by a switch that was not seen.
 */
static __always_inline void meet_stranger(struct thread *t, struct task_struct *task,
					  struct wick_counters *tally)
{
	u64 born = task->start_time, came;

	t->begin = born > window.begin ? born : window.begin;
	came = came_at(task);
	if (task->on_cpu && came < window.end) {
		t->on = t->begin;
		if (bpf_core_field_exists(task->se.cfs_rq))
			t->cpu = (u16)BPF_CORE_READ(task, se.cfs_rq, rq, cpu);
		if (came <= t->begin + CLOCK_SLACK_NS)
			return;
		tally->at[WICK_HIDDEN_SWITCH]++;
		t->unaccounted += came - t->begin;
		t->on = came;
		return;
	}
	if (task->on_cpu) {
		tally->at[WICK_HIDDEN_SWITCH]++;
		t->moved = 1;
		t->off = t->begin;
		t->state = 'S' | WICK_STATE_NEVER_RAN;
		return;
	}
	t->off = t->begin;
	t->state = WICK_STATE_NEVER_RAN | (task->__state ? state_of(task, task->__state) : 'Q');
}

/*
 * A thread that does not run, and was not seen to leave its CPU: the scheduler knows how long it
 * has run, and nothing what it did then.
 */
static __always_inline void leave_unseen(struct thread *t, struct task_struct *task,
					 struct wick_counters *tally)
{
	u64 ran = span(t->sum_exec, task->se.sum_exec_runtime), away = span(t->on, window.end);

	if (t->on <= t->off || task->on_cpu || t->moved || ran + CLOCK_SLACK_NS >= away)
		return;
	tally->at[WICK_HIDDEN_SWITCH]++;
	t->running += ran;
	t->ran += ran;
	t->unaccounted += away - ran;
	t->on = window.end;
}

/* The CPU that a thread which can run is queued at: nobody may have seen it come there. */
static __always_inline void note_queue(struct thread *t, struct task_struct *task)
{
	if (!task->on_cpu && !task->__state && bpf_core_field_exists(task->se.cfs_rq))
		t->cpu = (u16)BPF_CORE_READ(task, se.cfs_rq, rq, cpu);
}

/* The memory of a thread; where there is none to be had, a place that is good for this visit. */
static __always_inline struct thread *memory_of(struct task_struct *task, struct pass *pass)
{
	struct thread *t;

	if (!settings.standing) {
		t = bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (t)
			return t;
	}
	t = &pass->stranger;
	__builtin_memset(t, 0, sizeof(*t));
	return t;
}

/*
 * Both stacks into the key, unless there is a reason against. This is where a visit may take for
 * ever, so nothing has been counted yet.
 */
static __always_inline void walk_other(struct task_struct *task, struct pass *pass,
				       const struct thread *t, struct wick_key *key)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct scratch *s = &pass->scratch;
	u64 now = bpf_ktime_get_ns();

	forget_object(&s->object);
	if (!tally || task->on_cpu || t->on > t->off)
		return;
	if (t->moved || now >= control.walk_until) {
		key->state = WICK_STATE_NOT_WALKED;
		return;
	}
	if (!filter.no_kernel_stack)
		key->kernel = stack_of_other(task, s, now, tally);
	if (!settings.standing && task->__state)
		take_object(s, task, now, tally);
	/* A bystander that waits for a lock may have another one. */
	if (!filter.no_user_stack && s->leg.leg.kind == WICK_USER_THREAD &&
	    (!is_bystander(t) || s->object.kind == WICK_OBJECT_LOCK))
		key->user = send_other(task, pass, now, tally);
	if (t->moved) { /* while we looked */
		key->user = key->kernel = 0;
		key->state = WICK_STATE_NOT_WALKED;
		forget_object(&s->object);
	}
}

/* The one before this; NULL: there is none. */
static __always_inline const struct pass *left_pass(u32 which)
{
	u32 first = 0;

	return which ? bpf_map_lookup_elem(&pass_scratch, &first) : NULL;
}

/* By the pass before, without an account that would tell. */
static __always_inline bool was_counted(u32 which, u32 tid)
{
	const struct pass *left = left_pass(which);

	return left && tid <= left->counted;
}

/*
 * The account of a thread that has been closed, where the read that should have brought it did not
 * return. What closed it left the stamps as they were.
 */
static __always_inline void take_unread(struct pass *pass, const struct thread *t, u64 now)
{
	if (control.unread && t->closed == control.unread)
		take_account(&pass->scratch.account, t,
			     t->on > t->off ? span(t->on, window.end) : 0, window.end, now);
}

static __always_inline enum visited visit(struct task_struct *task, u64 address, u32 which,
					  struct pass *pass, struct wick_counters *tally)
{
	u64 now = bpf_ktime_get_ns(), refused = tally->at[WICK_LOST_BODY];
	struct wick_key key = {};
	struct scratch *s = &pass->scratch;
	struct standing at = {};
	struct thread *t;
	u32 flags, read = control.read;
	enum wanted wanted;
	bool was_unwanted;

	if (task->start_time >= window.end ||
	    task->__state & TASK_DEAD) /* a zombie: its account was closed when it ended */
		return VISIT_DONE;
	leg_capture(&s->leg.leg, address, thread_kind(task));
	wanted = ask_of(&s->leg.leg, address);
	if (wanted == UNWANTED)
		return VISIT_DONE;
	if (settings.standing && was_counted(which, s->leg.leg.tid))
		return VISIT_DONE;
	s->leg.leg.left_out = wanted == CAUSE;
	leg_intern(&s->leg, tally, now, 0);
	if (was_refused(tally, refused))
		return VISIT_AGAIN;
	t = memory_of(task, pass);
	if (!t->begin || (!t->on && !t->off))
		meet_stranger(t, task, tally);
	if (t->closed) {
		take_unread(pass, t, now);
		return VISIT_DONE;
	}
	was_unwanted = is_unwanted(&t->known);
	t->known.wanted = wanted;
	note_answer(t, was_unwanted, window.end);
	t->known.id = key.leg = s->leg.body.id;
	walk_other(task, pass, t, &key);
	if (was_refused(tally, refused))
		return VISIT_AGAIN;
	if (control.pass != which || !claim_account(t))
		return VISIT_DONE;
	t->closed = read;
	pass->counted = s->leg.leg.tid;
	flags = key.state;
	if (!settings.standing)
		leave_unseen(t, task, tally);
	if (settings.standing)
		look_at(task, &at);
	else
		close_account(t, window.end, &at);
	count_standing(s, task, t, &at, &key, flags, settings.standing, tally);
	if (settings.standing)
		return VISIT_DONE;
	finish_short(t, tally);
	if (!at.ran_ns)
		note_queue(t, task);
	take_account(&s->account, t, at.ran_ns, window.end, now);
	take_standing(s, &at, &key, flags);
	return VISIT_DONE;
}

/* A pass that user space has left goes on to the end of its read. */
static __always_inline bool is_of_this_pass(u64 session, u32 which, struct pass *pass)
{
	const struct pass *left = left_pass(which);

	if (left && left->session == session)
		return false;
	pass->session = session;
	return true;
}

/* Loaded as a program that can sleep, where it reads the memory of others. */
SEC("?iter/task")
int wick_visit(struct bpf_iter__task *ctx)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct task_struct *task = ctx->task;
	u32 which = control.pass;
	struct pass *pass = bpf_map_lookup_elem(&pass_scratch, &which);

	if (!task || !pass || !tally || !is_of_this_pass(ctx->meta->session_id, which, pass))
		return VISIT_DONE;
	pass->scratch.walk.mappings.key_slot = PASS_KEY_SLOT + which;
	pass->scratch.account.body.type = 0;
	if (visit(task, address_of_task(ctx), which, pass, tally) == VISIT_AGAIN)
		return VISIT_AGAIN;
	/*
	 * Also where there is no account, so that user space can empty the ring in between. There
	 * is room for it: user space reads less at once than the kernel has a buffer for.
	 */
	bpf_seq_write(ctx->meta->seq, &pass->scratch.account, sizeof(pass->scratch.account));
	return VISIT_DONE;
}

char LICENSE[] SEC("license") = "GPL";
