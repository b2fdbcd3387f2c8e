/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sideband.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>

#include "base/lock.h"
#include "cpus.h"
#include "perf.h"

enum {
	RING_PAGES =
		64, /* 8 lose a third of the records of a parallel compile at one look a second */
	SPARE = 1 << 20, /* room that is kept from one call to the next, at most */
	SPARE_PART = 8,	 /* ... and so much of what may be saved */
};

struct ring {
	u32 cpu;
	int fd;
	struct perf_event_mmap_page *head;
	char *at;
	size_t size;	      /* of the data, a power of two */
	u64 clock, looked_ns; /* the event's own, and the time, at the last look */
};

/* Records, one after another. */
struct saved_records {
	VEC_FIELDS(char);
};

struct sideband {
	VEC_FIELDS(struct ring);
	pthread_mutex_t lock; /* of the rings and of `saved` */
	struct saved_records saved, spare;
	u64 max_saved; /* bytes; then records stay in their rings */
	int epoll_fd;  /* -1: none */
	bool is_none;
	u64 nr_records, lost;
	struct programs programs;
};

/* What the kernel appends to every record: sample_id_all with TID and TIME. */
struct trailer {
	u32 pid, tid;
	u64 time;
};

struct mmap2_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, size, offset;
	u32 major, minor;
	u64 inode, generation;
	u32 protection, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[];
};

struct task_record {
	struct perf_event_header header;
	u32 pid, parent, tid, parent_tid;
	u64 time;
};

struct ksymbol_record {
	struct perf_event_header header;
	u64 start;
	u32 size;
	u16 type, flags;
	char name[];
};

struct lost_record {
	struct perf_event_header header;
	u64 id, nr;
};

static void ring_close(struct ring *ring)
{
	long page = sysconf(_SC_PAGESIZE);

	if (ring->head)
		munmap(ring->head, ring->size + (size_t)page);
	close(ring->fd);
}

static int ring_open(struct ring *ring, u32 cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (u32)(RING_PAGES * page / 4),
	};
	_cleanup_close_ int fd = perf_open_on_cpu(&attr, cpu);
	void *memory;

	if (fd < 0)
		return fd;
	memory = mmap(NULL, (RING_PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*ring = (struct ring){
		.cpu = cpu, .head = memory, .at = (char *)memory + page, .size = RING_PAGES * page};
	ring->fd = steal_fd(&fd);
	return 0;
}

static bool has(const struct sideband *s, u32 cpu)
{
	vec_for_each (s, ring)
		if (ring->cpu == cpu)
			return true;
	return false;
}

static int watch_ring(struct sideband *s, const struct ring *ring)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (s->epoll_fd < 0)
		return 0;
	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, ring->fd, &event) ? -errno : 0;
}

/* `opened`: appended to, the CPUs whose ring is new; or NULL. */
static int open_all(struct sideband *s, struct cpu_list *opened)
{
	_cleanup_cpu_list_ struct cpu_list online = {};
	int err = cpus_online(&online, NULL);

	for (size_t i = 0; !err && i < online.nr; i++) {
		struct ring ring;

		if (has(s, online.at[i]))
			continue;
		err = ring_open(&ring, online.at[i]);
		if (err == -ENODEV) { /* went offline since */
			err = 0;
			continue;
		}
		if (err)
			break;
		*vec_add(s) = ring;
		watch_ring(s, &ring);
		if (opened)
			*vec_add(opened) = ring.cpu;
	}
	return err;
}

int sideband_open(struct sideband **out, u64 max_saved, struct error *error)
{
	struct sideband *s = xcalloc(1, sizeof(*s));
	int err;

	s->epoll_fd = -1;
	s->max_saved = max_saved;
	programs_init(&s->programs);
	lock_init(&s->lock);
	err = open_all(s, NULL);
	if (err) {
		sideband_close(s);
		return perf_refused(error, err, "the perf events that follow processes");
	}
	*out = s;
	return 0;
}

struct sideband *sideband_none(void)
{
	struct sideband *s = xcalloc(1, sizeof(*s));

	s->epoll_fd = -1;
	programs_init(&s->programs);
	lock_init(&s->lock);
	s->is_none = true;
	return s;
}

/*
 * An event ends with its CPU, silently, and does not come back with it. What tells is its clock,
 * which goes on also on an idle CPU, but not on one that is gone, or was in between.
 */
static bool is_alive(struct ring *ring)
{
	u64 clock = 0, before = ring->clock, now = monotonic_ns(), then = ring->looked_ns;

	if (read(ring->fd, &clock, sizeof(clock)) != sizeof(clock))
		return false;
	ring->clock = clock;
	ring->looked_ns = now;
	return !then || clock - before > (now - then) / 10 * 9;
}

void sideband_follow_cpus(struct sideband *s, struct cpu_list *opened)
{
	size_t nr = 0;

	if (s->is_none)
		return;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->nr; i++) {
		if (is_alive(&s->at[i]))
			s->at[nr++] = s->at[i];
		else
			ring_close(&s->at[i]);
	}
	s->nr = nr;
	open_all(s, opened);
	pthread_mutex_unlock(&s->lock);
}

int sideband_watch(struct sideband *s, int epoll_fd)
{
	s->epoll_fd = epoll_fd;
	vec_for_each (s, ring) {
		int err = watch_ring(s, ring);

		if (err)
			return err;
	}
	return 0;
}

static bool parse_mmap(struct sideband_record *r, const struct perf_event_header *header)
{
	const struct mmap2_record *m = (const void *)header;
	size_t fixed = sizeof(*m) + sizeof(struct trailer);

	if (header->size <= fixed || !memchr(m->path, '\0', header->size - fixed))
		return false;
	r->type = SIDEBAND_MMAP;
	r->pid = m->pid;
	r->tid = m->tid;
	r->start = m->start;
	r->size = m->size;
	r->offset = m->offset;
	r->major = m->major;
	r->minor = m->minor;
	r->inode = m->inode;
	r->generation = m->generation;
	r->shared = m->flags & MAP_SHARED;
	r->path = m->path;
	return true;
}

static bool parse_comm(struct sideband_record *r, const struct perf_event_header *header)
{
	const struct comm_record *c = (const void *)header;

	if (header->size < sizeof(*c) || !(header->misc & PERF_RECORD_MISC_COMM_EXEC))
		return false;
	r->type = SIDEBAND_EXEC;
	r->pid = c->pid;
	r->tid = c->tid;
	return true;
}

static bool parse_task(struct sideband_record *r, const struct perf_event_header *header)
{
	const struct task_record *t = (const void *)header;

	if (header->size < sizeof(*t))
		return false;
	r->type = header->type == PERF_RECORD_FORK ? SIDEBAND_FORK : SIDEBAND_EXIT;
	r->pid = t->pid;
	r->tid = t->tid;
	r->parent = t->parent;
	return true;
}

/*
 * Trampolines say that they have a page, which they share with programs. The kernel (6.18) makes
 * this record 16 bytes longer for each event that it has told before, so what follows the name,
 * which is padded to 8 bytes, is the trailer, and not what lies at the end.
 */
static void keep_program(struct sideband *s, const struct perf_event_header *header)
{
	const struct ksymbol_record *k = (const void *)header;
	size_t fixed = sizeof(*k) + sizeof(struct trailer), name_size;
	struct trailer trailer;

	if (header->size <= fixed || k->type != PERF_RECORD_KSYMBOL_TYPE_BPF ||
	    !memchr(k->name, '\0', header->size - fixed) || strncmp(k->name, "bpf_prog_", 9))
		return;
	name_size = (strlen(k->name) + 8) & ~(size_t)7;
	if (name_size > header->size - fixed)
		return;
	memcpy(&trailer, k->name + name_size, sizeof(trailer));
	programs_add(&s->programs, k->start, k->size, k->name, trailer.time,
		     !(k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER));
}

/* False for what is no record of processes. */
static bool parse(struct sideband *s, struct sideband_record *r,
		  const struct perf_event_header *header)
{
	struct trailer trailer;

	if (header->size < sizeof(*header) + sizeof(trailer))
		return false;
	memcpy(&trailer, (const char *)header + header->size - sizeof(trailer), sizeof(trailer));
	r->time = trailer.time;
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return parse_mmap(r, header);
	case PERF_RECORD_COMM:
		return parse_comm(r, header);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return parse_task(r, header);
	case PERF_RECORD_KSYMBOL:
		keep_program(s, header);
		return false;
	case PERF_RECORD_LOST:
		if (header->size >= sizeof(struct lost_record))
			s->lost += ((const struct lost_record *)(const void *)header)->nr;
		return false;
	default:
		return false;
	}
}

/* Copies all that is in a ring, whose records are multiples of 8 bytes. */
static void save_ring(struct saved_records *to, struct ring *ring, u64 max_saved)
{
	u64 end = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
	u64 begin = ring->head->data_tail;
	size_t at = begin & (ring->size - 1), size = end - begin;
	size_t first = min(size, ring->size - at);

	if (!size || size > ring->size || to->nr >= max_saved)
		return;
	vec_reserve(to, size);
	memcpy(to->at + to->nr, ring->at + at, first);
	memcpy(to->at + to->nr + first, ring->at, size - first);
	to->nr += size;
	__atomic_store_n(&ring->head->data_tail, end, __ATOMIC_RELEASE);
}

static void save_all(struct sideband *s)
{
	vec_for_each (s, ring)
		save_ring(&s->saved, ring, s->max_saved);
}

void sideband_save(struct sideband *s)
{
	pthread_mutex_lock(&s->lock);
	save_all(s);
	pthread_mutex_unlock(&s->lock);
}

static void hand_on(struct sideband *s, const struct saved_records *saved,
		    void (*record)(void *ctx, const struct sideband_record *r), void *ctx)
{
	size_t at = 0;

	while (at + sizeof(struct perf_event_header) <= saved->nr) {
		const struct perf_event_header *header = (const void *)(saved->at + at);
		struct sideband_record r = {};

		if (header->size < sizeof(*header) || header->size > saved->nr - at)
			return;
		s->nr_records++;
		if (parse(s, &r, header))
			record(ctx, &r);
		at += header->size;
	}
}

void sideband_drain(struct sideband *s, void (*record)(void *ctx, const struct sideband_record *r),
		    void *ctx)
{
	size_t spare = min(s->max_saved / SPARE_PART, (u64)SPARE);
	struct saved_records saved;

	pthread_mutex_lock(&s->lock);
	save_all(s);
	saved = s->saved;
	s->saved = s->spare;
	s->spare = (struct saved_records){};
	pthread_mutex_unlock(&s->lock);
	hand_on(s, &saved, record, ctx);
	saved.nr = 0;
	if (saved.room > 2 * spare)
		vec_release(&saved);
	if (saved.room < spare) {
		/* Touched: whoever saves next does not wait for pages. */
		vec_reserve(&saved, spare);
		memset(saved.at, 0, saved.room);
	}
	s->spare = saved;
}

const struct programs *sideband_programs(const struct sideband *s)
{
	return &s->programs;
}

u64 sideband_nr_records(const struct sideband *s)
{
	return s->nr_records;
}

u64 sideband_lost(const struct sideband *s)
{
	return s->lost;
}

void sideband_close(struct sideband *s)
{
	if (!s)
		return;
	vec_for_each (s, ring)
		ring_close(ring);
	vec_release(s);
	vec_release(&s->saved);
	vec_release(&s->spare);
	programs_release(&s->programs);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
