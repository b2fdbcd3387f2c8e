/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leg_filter.h"

#include <fnmatch.h>

#include "wick_glob.h"

struct leg_filter {
	const struct collect_options *o;
	const char *host;
	struct wick_glob comm, process;
	const char *cgroup; /* its path inside the hierarchy; NULL: any */
};

static bool is_in(const u32 *ids, size_t nr, u32 id)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return !nr;
}

static bool is_below(struct string path, const char *cgroup)
{
	size_t size = strlen(cgroup);

	return string_begins(path, cgroup) && (!path.s[size] || path.s[size] == '/');
}

static bool matches(const struct wick_glob *glob, struct string comm)
{
	char name[WICK_COMM_SIZE] = {};

	memcpy(name, comm.s, min(comm.size, sizeof(name) - 1));
	return wick_glob_match(glob, name);
}

static bool has_kind(const struct collect_options *o, enum wick_thread_kind kind)
{
	if (o->user_threads)
		return kind == WICK_USER_THREAD;
	return !o->kernel_threads || kind == WICK_KERNEL_THREAD || kind == WICK_IO_WORKER;
}

static bool keeps(const void *ctx, const struct profile *p, u32 ref)
{
	const struct leg_filter *f = ctx;
	const struct collect_options *o = f->o;
	const struct leg *leg = &p->legs.at[ref];

	return is_in(o->pids, o->nr_pids, leg->pid) && is_in(o->tids, o->nr_tids, leg->tid) &&
	       has_kind(o, leg->kind) &&
	       (!f->host || !fnmatch(f->host, profile_host_name(p, ref).s, 0)) &&
	       (!o->comm || matches(&f->comm, strings_get(&p->names, leg->comm))) &&
	       (!o->process ||
		matches(&f->process, strings_get(&p->names, p->images.at[leg->image].comm))) &&
	       (!f->cgroup || is_below(strings_get(&p->names, leg->cgroup_path), f->cgroup));
}

static void keep_samples(const struct leg_filter *f, struct profile *p)
{
	size_t kept = 0;

	vec_for_each (&p->samples, sample)
		if (keeps(f, p, sample->leg))
			p->samples.at[kept++] = *sample;
	p->samples.nr = kept;
}

static void leave_out_stacks(struct profile *p, bool user, bool kernel)
{
	vec_for_each (&p->samples, sample) {
		sample->user = user ? 0 : sample->user;
		sample->kernel = kernel ? 0 : sample->kernel;
	}
}

/* "/sys/fs/cgroup/system.slice", "system.slice" and "/system.slice" are the same. */
static char *path_of_cgroup(const char *name)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t size;

	if (!strncmp(name, mount, strlen(mount)))
		name += strlen(mount);
	name += strspn(name, "/");
	size = strlen(name);
	while (size && name[size - 1] == '/')
		size--;
	/* All are below the root. */
	return size ? format("/%.*s", (int)size, name) : xstrdup("");
}

static bool is_any(const struct run_options *options)
{
	const struct collect_options *o = &options->collect;

	return options->host || o->nr_pids || o->nr_tids || o->comm || o->process || o->cgroup ||
	       o->user_threads || o->kernel_threads;
}

int filter_legs(const struct run_options *o, struct profile *p, struct error *error)
{
	const struct collect_options *c = &o->collect;
	_cleanup_free_ char *cgroup = c->cgroup ? path_of_cgroup(c->cgroup) : NULL;
	struct leg_filter f = {.o = c, .host = o->host, .cgroup = cgroup};
	int err = c->comm ? wick_glob_compile(&f.comm, c->comm, error) : 0;

	if (!err && c->process)
		err = wick_glob_compile(&f.process, c->process, error);
	if (err)
		return err;
	if (o->filters.size) {
		_cleanup_free_ char *all =
			format("%s%s%s", strings_get(&p->names, p->filters).s,
			       strings_get(&p->names, p->filters).size ? " " : "", o->filters.s);

		p->filters = strings_adds(&p->names, all);
	}
	if (is_any(o)) {
		keep_samples(&f, p);
		profile_set_apart(p, keeps, &f);
		/* Of the CPUs it is not known which part was theirs. */
		p->cpus.nr = 0;
		p->expected = profile_sum(p, WICK_CPU, 0, 0, 0);
	}
	leave_out_stacks(p, c->kernel_frames, c->user_frames);
	return 0;
}
