/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chunk_maker.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "collect/host/privileges.h"
#include "wick.h"

enum { CHUNK_BYTES = WICK_CHUNK_WORDS * sizeof(u32) };

/* One chunk. Its maker and its thread have it; the last one frees it. */
struct job {
	pthread_mutex_t lock;
	u32 references;
	int chunk_map; /* its own descriptor */
	u32 number;
	int result; /* -EAGAIN: not done yet */
	u32 *words;
};

struct chunk_maker {
	int chunk_map;
	u32 max;
	struct job *job; /* NULL: all are made */
	VEC(u32 *) taken;
};

static u32 *map_words(int fd)
{
	void *memory = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* The outer map keeps the chunk: its descriptor is not needed afterwards. */
static int make_chunk(const struct job *job, u32 **words)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "wick_rows", sizeof(u32),
						CHUNK_BYTES, 1, &options);
	u32 *memory;
	int err;

	if (fd < 0)
		return -errno;
	memory = map_words(fd);
	if (!memory)
		return -errno;
	if (bpf_map_update_elem(job->chunk_map, &job->number, &fd, BPF_ANY)) {
		err = -errno;
		munmap(memory, CHUNK_BYTES);
		return err;
	}
	*words = memory;
	return 0;
}

static void job_put(struct job *job)
{
	bool last;

	pthread_mutex_lock(&job->lock);
	last = --job->references == 0;
	pthread_mutex_unlock(&job->lock);
	if (!last)
		return;
	if (job->words)
		munmap(job->words, CHUNK_BYTES);
	pthread_mutex_destroy(&job->lock);
	close(job->chunk_map);
	free(job);
}

static void *run_job(void *ctx)
{
	struct job *job = ctx;
	u32 *words = NULL;
	int result;

	privileges_drop();
	result = make_chunk(job, &words);
	pthread_mutex_lock(&job->lock);
	job->result = result == -EAGAIN ? -ENOMEM : result;
	job->words = words;
	pthread_mutex_unlock(&job->lock);
	job_put(job);
	return NULL;
}

static struct job *start(int chunk_map, u32 number)
{
	struct job *job = xcalloc(1, sizeof(*job));
	pthread_t thread;

	*job = (struct job){
		.references = 2,
		.chunk_map = fcntl(chunk_map, F_DUPFD_CLOEXEC, 0),
		.number = number,
		.result = -EAGAIN,
	};
	pthread_mutex_init(&job->lock, NULL);
	if (pthread_create(&thread, NULL, run_job, job)) {
		job->references = 1;
		job->result = -ENOMEM;
	} else {
		pthread_detach(thread);
	}
	return job;
}

struct chunk_maker *chunk_maker_new(int chunk_map, u32 max)
{
	struct chunk_maker *m = xcalloc(1, sizeof(*m));

	m->chunk_map = chunk_map;
	m->max = max;
	m->job = max ? start(chunk_map, 0) : NULL;
	return m;
}

int chunk_maker_take(struct chunk_maker *m, u32 number, u32 **words)
{
	struct job *job = m->job;
	int result;

	if (!job || job->number != number)
		return -ENOENT;
	pthread_mutex_lock(&job->lock);
	result = job->result;
	if (!result)
		*words = *vec_add(&m->taken) = steal(&job->words);
	pthread_mutex_unlock(&job->lock);
	if (result)
		return result;
	job_put(job);
	m->job = number + 1 < m->max ? start(m->chunk_map, number + 1) : NULL;
	return 0;
}

void chunk_maker_free(struct chunk_maker *m)
{
	if (!m)
		return;
	if (m->job)
		job_put(m->job);
	vec_for_each (&m->taken, words)
		munmap(*words, CHUNK_BYTES);
	vec_release(&m->taken);
	free(m);
}
