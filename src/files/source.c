/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source.h"

#include "unwinder.h"

#include <sys/resource.h>

enum {
	MAX_HELD = 4096,
	MAX_TOKENS = 1 << 20,
	MAX_FAILURES = 8, /* of a user's files; root's have no bound but that of helpers */
};

struct source *source_of(struct files *files, file_ref ref)
{
	if (bug(ref >= files->sources.nr))
		ref = 0;
	return files->sources.at[ref];
}

file_ref source_add(struct files *files, const struct source *source)
{
	struct source *new;

	if (files->sources.nr >= MAX_TOKENS)
		return 0;
	new = xmemdup(source, sizeof(*source));
	new->fd = new->root = new->debug = -1;
	new->recent = true;
	if (new->mapping.path)
		new->mapping.path = xstrdup(new->mapping.path);
	*vec_add(&files->sources) = new; /* NOLINT(bugprone-sizeof-expression): a vec of pointers */
	return (file_ref)files->sources.nr - 1;
}

void source_free(struct source *source)
{
	if (!source)
		return;
	cleanup_close(&source->fd);
	cleanup_close(&source->root);
	cleanup_close(&source->debug);
	free((char *)source->mapping.path);
	code_release(&source->code);
	unwind_table_free(source->unwind);
	free(source);
}

static struct device *device_of(struct files *files, const struct source *source)
{
	struct device *new;

	vec_for_each (&files->devices, d)
		if (d->major == source->mapping.major && d->minor == source->mapping.minor)
			return d;
	new = vec_add(&files->devices);
	*new = (struct device){.major = source->mapping.major, .minor = source->mapping.minor};
	return new;
}

static struct owner *owner_of(struct files *files, uid_t uid)
{
	struct owner *new;

	vec_for_each (&files->owners, o)
		if (o->uid == uid)
			return o;
	new = vec_add(&files->owners);
	*new = (struct owner){.uid = uid};
	return new;
}

void owner_failed(struct files *files, uid_t uid)
{
	owner_of(files, uid)->nr_failures++;
}

bool owner_is_hopeless(struct files *files, uid_t uid)
{
	return uid && owner_of(files, uid)->nr_failures >= MAX_FAILURES;
}

/*
 * One server that is gone must not cost a helper for each of its files, so no other file of that
 * file system is tried; but a local one that was slow once is not condemned.
 */
void source_give_up(struct files *files, struct source *source, enum files_state why)
{
	owner_failed(files, source->owner);
	source->hopeless = true;
	source->state = why;
	if (source->kind == MAPPED && why == FILES_TIMED_OUT)
		device_of(files, source)->hopeless = true;
}

bool source_is_hopeless(struct files *files, const struct source *source)
{
	const struct device *device;

	if (source->hopeless || owner_is_hopeless(files, source->owner))
		return true;
	if (source->kind != MAPPED)
		return false;
	device = device_of(files, source);
	return device->hopeless && !device->local;
}

void source_is_on_local(struct files *files, const struct source *source)
{
	device_of(files, source)->local = true;
}

void hold_fd(struct files *files, int *at, int fd)
{
	if (*at >= 0)
		files->nr_held--;
	cleanup_close(at);
	*at = fd;
	if (fd >= 0)
		files->nr_held++;
}

/* A map cannot be found again once its process's root is closed. */
static void close_fds(struct files *files, struct source *source)
{
	if (source->fd < 0 && source->root < 0)
		return;
	hold_fd(files, &source->fd, -1);
	hold_fd(files, &source->root, -1);
	if (source->kind == PERF_MAP)
		source->state = FILES_GONE;
}

/* Second chance: a source that was announced since the last time is passed over once. */
void sweep_fds(struct files *files)
{
	size_t tries = 2 * files->sources.nr;

	for (; files->nr_held > files->max_held && tries; tries--) {
		struct source *source;

		files->sweep = files->sweep % (file_ref)(files->sources.nr - 1) + 1;
		source = files->sources.at[files->sweep];
		if (!source->recent)
			close_fds(files, source);
		source->recent = false;
	}
}

unsigned int raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 64;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return (unsigned int)min(limit.rlim_cur / 2, (rlim_t)MAX_HELD);
}
