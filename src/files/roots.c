/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "roots.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

struct root {
	int fd; /* -1: free */
	u64 used;
	struct root_identity identity;
};

struct roots {
	pthread_mutex_t lock;
	unsigned int refs;
	u64 clock;
	struct root at[NR_ROOTS];
};

struct roots *roots_new(void)
{
	struct roots *roots = xcalloc(1, sizeof(*roots));

	pthread_mutex_init(&roots->lock, NULL);
	roots->refs = 1;
	for (size_t i = 0; i < NR_ROOTS; i++)
		roots->at[i].fd = -1;
	return roots;
}

struct roots *roots_ref(struct roots *roots)
{
	pthread_mutex_lock(&roots->lock);
	roots->refs++;
	pthread_mutex_unlock(&roots->lock);
	return roots;
}

void roots_unref(struct roots *roots)
{
	bool last;

	pthread_mutex_lock(&roots->lock);
	last = --roots->refs == 0;
	pthread_mutex_unlock(&roots->lock);
	if (!last)
		return;
	for (size_t i = 0; i < NR_ROOTS; i++)
		cleanup_close(&roots->at[i].fd);
	pthread_mutex_destroy(&roots->lock);
	free(roots);
}

static bool same_root(const struct root *root, const struct root_identity *identity)
{
	return root->fd >= 0 && !memcmp(&root->identity, identity, sizeof(*identity));
}

static void remember(struct roots *roots, const struct root_identity *identity, int fd)
{
	struct root *oldest = &roots->at[0];

	roots->clock++;
	for (struct root *root = roots->at; root < roots->at + NR_ROOTS; root++) {
		if (same_root(root, identity)) {
			root->used = roots->clock;
			return;
		}
		if (root->used < oldest->used)
			oldest = root;
	}
	cleanup_close(&oldest->fd);
	*oldest = (struct root){
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
		.used = roots->clock,
		.identity = *identity,
	};
}

void roots_remember(struct roots *roots, const struct root_identity *identity, int fd)
{
	pthread_mutex_lock(&roots->lock);
	remember(roots, identity, fd);
	pthread_mutex_unlock(&roots->lock);
}

size_t roots_all(struct roots *roots, int fds[NR_ROOTS])
{
	size_t nr = 0;

	pthread_mutex_lock(&roots->lock);
	for (size_t i = 0; i < NR_ROOTS; i++) {
		int fd = roots->at[i].fd < 0 ? -1 : fcntl(roots->at[i].fd, F_DUPFD_CLOEXEC, 0);

		if (fd >= 0)
			fds[nr++] = fd;
	}
	pthread_mutex_unlock(&roots->lock);
	return nr;
}

int root_open(int process, struct root_identity *identity, bool *known)
{
	int fd = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st, mounts;

	*known = false;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || fstatat(process, "ns/mnt", &mounts, 0))
		return fd;
	*known = true;
	*identity = (struct root_identity){
		.device = st.st_dev,
		.inode = st.st_ino,
		.mounts = mounts.st_ino,
	};
	return fd;
}
