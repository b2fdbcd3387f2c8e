/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "roots.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

/* A chroot is another root in the same namespace. */
struct root {
	int fd; /* -1: free */
	u64 used;
	dev_t device;
	ino_t inode, namespace;
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

static bool same_root(const struct root *a, const struct root *b)
{
	return a->fd >= 0 && a->device == b->device && a->inode == b->inode &&
	       a->namespace == b->namespace;
}

static void remember(struct roots *roots, struct root new)
{
	struct root *oldest = &roots->at[0];

	new.used = ++roots->clock;
	for (struct root *root = roots->at; root < roots->at + NR_ROOTS; root++) {
		if (same_root(root, &new)) {
			root->used = new.used;
			return;
		}
		if (root->used < oldest->used)
			oldest = root;
	}
	cleanup_close(&oldest->fd);
	new.fd = fcntl(new.fd, F_DUPFD_CLOEXEC, 0);
	*oldest = new;
}

int roots_of(struct roots *roots, int process)
{
	int fd = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st, ns;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || fstatat(process, "ns/mnt", &ns, 0))
		return fd;
	pthread_mutex_lock(&roots->lock);
	remember(roots, (struct root){
				.fd = fd,
				.device = st.st_dev,
				.inode = st.st_ino,
				.namespace = ns.st_ino,
			});
	pthread_mutex_unlock(&roots->lock);
	return fd;
}

size_t roots_all(struct roots *roots, int fds[NR_ROOTS + 1])
{
	size_t nr = 0;
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fds[nr++] = fd;
	pthread_mutex_lock(&roots->lock);
	for (size_t i = 0; i < NR_ROOTS; i++) {
		fd = roots->at[i].fd < 0 ? -1 : fcntl(roots->at[i].fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			fds[nr++] = fd;
	}
	pthread_mutex_unlock(&roots->lock);
	return nr;
}
