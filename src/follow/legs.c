/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "legs.h"

#include "follow.h"

static u32 comm_of(struct legs *l, const char comm[WICK_COMM_SIZE])
{
	return strings_add(&l->profile->names, comm, strnlen(comm, WICK_COMM_SIZE));
}

/* The path of a cgroup, asked once: a container's may be gone by the end of the run. */
static u32 path_of_cgroup(struct legs *l, u64 cgroup)
{
	struct named_cgroup *named;
	_cleanup_free_ char *path = NULL;

	vec_for_each (&l->cgroups, known)
		if (known->id == cgroup)
			return known->path;
	path = cgroup_path(cgroup);
	named = vec_add(&l->cgroups);
	*named = (struct named_cgroup){.id = cgroup,
				       .path = strings_adds(&l->profile->names, path ? path : "")};
	return named->path;
}

size_t legs_comm_of(u32 pid, char comm[WICK_COMM_SIZE])
{
	_cleanup_free_ char *path = format("/proc/%u/comm", pid);
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	size_t size = file ? fread(comm, 1, WICK_COMM_SIZE, file) : 0;

	return size && comm[size - 1] == '\n' ? size - 1 : size;
}

/* The name of a process is its leader's, which need not be the thread that was sampled. */
static u32 comm_of_process(struct legs *l, const struct wick_leg *leg)
{
	char comm[WICK_COMM_SIZE];
	size_t size = leg->tid == leg->tgid ? 0 : legs_comm_of(leg->tgid, comm);

	return size ? strings_add(&l->profile->names, comm, size) : comm_of(l, leg->comm);
}

static u32 image_of(struct legs *l, const struct wick_leg *leg)
{
	struct image image = {
		.pid = leg->tgid,
		.inner_pid = leg->inner_tgid,
		.start_ns = leg->process_start_ns,
		.exec_id = leg->exec_id,
	};
	size_t nr = l->profile->images.nr;
	u32 row = profile_image(l->profile, &image);

	/* A leader that has another name by now has given it to its process. */
	if (l->profile->images.nr > nr || leg->tid == leg->tgid)
		l->profile->images.at[row].comm = comm_of_process(l, leg);
	return row;
}

u32 legs_row(struct legs *l, const struct wick_leg *from)
{
	struct leg leg = {
		.pid = from->tgid,
		.tid = from->tid,
		.start_ns = from->start_ns,
		.image = image_of(l, from),
		.comm = comm_of(l, from->comm),
		.cgroup = from->cgroup,
		.cgroup_path = path_of_cgroup(l, from->cgroup),
		.kind = from->kind < WICK_NR_THREAD_KINDS ? from->kind : WICK_USER_THREAD,
		.left_out = from->left_out != 0,
	};

	return profile_leg(l->profile, &leg);
}

void legs_release(struct legs *l)
{
	vec_release(&l->cgroups);
}
