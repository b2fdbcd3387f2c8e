/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "downloads.h"

#include <fcntl.h>
#include <pthread.h>

#include "base/vec.h"

enum {
	MAX_DOWNLOADS = 4096, /* a run's files; beyond that nothing is asked for */
};

struct download {
	struct download_request request;
	bool done;
	int fd; /* -1: not to be had */
};

struct downloads {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int refs;
	char *environment;
	u64 limit_ns, until_ns; /* until: 0 before the first */
	VEC(struct download) asked;
	struct files_downloads count;
};

struct downloads *downloads_new(const char *environment, unsigned int limit_ms)
{
	struct downloads *d = xcalloc(1, sizeof(*d));

	d->refs = 1;
	d->environment = xstrdup(environment);
	d->limit_ns = limit_ms * (u64)NSEC_PER_MSEC;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	return d;
}

struct downloads *downloads_ref(struct downloads *d)
{
	if (!d)
		return NULL;
	pthread_mutex_lock(&d->lock);
	d->refs++;
	pthread_mutex_unlock(&d->lock);
	return d;
}

void downloads_unref(struct downloads *d)
{
	bool last;

	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	last = !--d->refs;
	pthread_mutex_unlock(&d->lock);
	if (!last)
		return;
	vec_for_each (&d->asked, download)
		cleanup_close(&download->fd);
	vec_release(&d->asked);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->changed);
	free(d->environment);
	free(d);
}

u64 downloads_limit_ns(const struct downloads *d)
{
	return d ? d->limit_ns : 0;
}

u64 downloads_left_ns(struct downloads *d)
{
	u64 until_ns, now = monotonic_ns();

	if (!d)
		return 0;
	pthread_mutex_lock(&d->lock);
	until_ns = d->until_ns ? d->until_ns : now + d->limit_ns;
	pthread_mutex_unlock(&d->lock);
	return until_ns > now ? until_ns - now : 0;
}

/* With the lock held: where it is or is to be; d->asked.nr: nowhere. */
static size_t place_of(struct downloads *d, const struct download_request *request, bool *is_new)
{
	*is_new = false;
	for (size_t i = 0; i < d->asked.nr; i++)
		if (!memcmp(&d->asked.at[i].request, request, sizeof(*request)))
			return i;
	if (d->asked.nr == MAX_DOWNLOADS)
		return d->asked.nr;
	*vec_add(&d->asked) = (struct download){.request = *request, .fd = -1};
	*is_new = true;
	return d->asked.nr - 1;
}

/* With the lock held. */
static void count(struct files_downloads *count, int got, u64 size)
{
	count->nr += got >= 0;
	count->bytes += got >= 0 ? size : 0;
	count->nr_absent += got == -ENOENT;
	count->nr_late += got == -ETIMEDOUT;
	count->has_no_library |= got == -ENOSYS;
	count->nr_failed += got < 0 && got != -ENOENT && got != -ETIMEDOUT && got != -ENOSYS;
	if (got < 0 && got != -ENOENT && got != -ETIMEDOUT && got != -ENOSYS)
		count->error = -got;
}

/* With the lock held, but not while it is under way. */
static void ask(struct downloads *d, struct helpers *helpers, size_t place)
{
	const struct download_request request = d->asked.at[place].request;
	u64 until_ns, size = 0;
	int got;

	if (!d->until_ns)
		d->until_ns = monotonic_ns() + d->limit_ns;
	until_ns = d->until_ns;
	pthread_mutex_unlock(&d->lock);
	got = monotonic_ns() < until_ns
		      ? helpers_download(helpers, &request, d->environment, &size, until_ns)
		      : -ETIMEDOUT;
	pthread_mutex_lock(&d->lock);
	count(&d->count, got, size);
	d->asked.at[place].fd = max(got, -1);
	d->asked.at[place].done = true;
	pthread_cond_broadcast(&d->changed);
}

int downloads_get(struct downloads *d, struct helpers *helpers, enum download_kind kind,
		  const u8 *id, size_t id_size)
{
	struct download_request request = {.id_size = (u32)id_size, .executable = kind};
	bool is_new;
	size_t place;
	int fd = -1;

	if (!d || id_size < 2 || id_size > FILES_MAX_BUILD_ID)
		return -1;
	memcpy(request.id, id, id_size);
	pthread_mutex_lock(&d->lock);
	place = place_of(d, &request, &is_new);
	if (is_new)
		ask(d, helpers, place);
	while (place < d->asked.nr && !d->asked.at[place].done)
		pthread_cond_wait(&d->changed, &d->lock);
	if (place < d->asked.nr && d->asked.at[place].fd >= 0)
		fd = fcntl(d->asked.at[place].fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&d->lock);
	return fd;
}

struct files_downloads downloads_count(struct downloads *d)
{
	struct files_downloads count = {};

	if (!d)
		return count;
	pthread_mutex_lock(&d->lock);
	count = d->count;
	pthread_mutex_unlock(&d->lock);
	return count;
}
