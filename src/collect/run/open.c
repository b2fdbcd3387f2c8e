/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.c: the order in which a run begins. Side-band first, so that no process is missed; then BPF,
 * then the sampling events, which run from here on and count nothing.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <malloc.h>
#include <sys/epoll.h>

#include "collect/host/check_options.h"
#include "collector.h"
#include "instruments.h"
#include "collect/kernel/load.h"
#include "wick.h"
#include "wick.skel.h"

int collector_watch(int epoll, int fd, u32 what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};

	return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_channels(struct collector *c, struct error *error)
{
	int err = intake_add_ring(c->intake, bpf_map__fd(c->skeleton->maps.bodies), c->sizes.ring,
				  error);

	if (err)
		return err;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0)
		return fail(error, -errno, "epoll_create1: %s", strerror(errno));
	err = collector_watch(c->epoll, intake_fd(c->intake), FILLS_UP);
	return err ? fail(error, err, "epoll_ctl: %s", strerror(-err)) : 0;
}

static int parse_cpus(const char *text, struct cpu_list *cpus, struct error *error)
{
	size_t nr = 0;

	if (text && parse_cpu_list(text, &cpus->at, &nr))
		return fail(error, -EINVAL, "bad list of CPUs: '%s'; it looks like 0-3,8", text);
	cpus->nr = cpus->room = nr;
	return cpus_check(cpus, error);
}

/* ---- what follows processes asks of BPF's maps, and the other way */

static void want(void *ctx, const struct wick_copy_body *copy, const struct mapping *mapping)
{
	publisher_want(((struct collector *)ctx)->publisher, copy, mapping);
}

static void tell_java(void *ctx, u32 pid, const struct wick_java *java)
{
	rows_maps_set_java(&((struct collector *)ctx)->rows_maps, pid, java);
}

static int add_chunk(void *ctx, u32 number, u32 **words)
{
	return rows_maps_add_chunk(&((struct collector *)ctx)->rows_maps, number, words);
}

static int set_file(void *ctx, const struct wick_file_key *key, const struct wick_file *file)
{
	return rows_maps_set_file(&((struct collector *)ctx)->rows_maps, key, file);
}

static int set_python(void *ctx, u32 row, const struct wick_python *python)
{
	return rows_maps_set_python(&((struct collector *)ctx)->rows_maps, row, python);
}

static int remove_file(void *ctx, const struct wick_file_key *key)
{
	return rows_maps_remove_file(&((struct collector *)ctx)->rows_maps, key);
}

static u32 announce_again(void *ctx, u32 pid, const struct mapping *mapping)
{
	return follow_announce_again(((struct collector *)ctx)->follow, pid, mapping);
}

/* As many as are made if there is use for them. */
static u32 max_chunks(const struct collector *c)
{
	u64 nr = c->sizes.tables / 2 / (WICK_CHUNK_WORDS * sizeof(u32));

	return c->options->walk_fp ? 0 : (u32)min(max(nr, (u64)1), (u64)WICK_CHUNKS);
}

static int attach_publisher(struct collector *c, struct error *error)
{
	int err = rows_maps_open(&c->rows_maps, c->skeleton, max_chunks(c));

	if (err)
		return fail(error, err, "cannot map the BPF map of unwind rows: %s",
			    strerror(-err));
	publisher_attach(c->publisher,
			 &(struct publish_sink){
				 .regions = c->rows_maps.regions,
				 .epoch = &c->skeleton->bss->known_files_epoch,
				 .clock = &c->skeleton->bss->rows_clock,
				 .add_chunk = add_chunk,
				 .set_file = set_file,
				 .set_python = set_python,
				 .remove_file = remove_file,
				 .announce_again = announce_again,
				 .ctx = c,
			 },
			 c->sizes.tables / 2);
	files_limit_tables(c->files, c->sizes.tables / 2, c->sizes.table_file);
	return 0;
}

/*
 * Without perf events, what ends during the run may have no names; that is no reason to see
 * nothing.
 */
static int open_sideband(struct collector *c, struct error *error)
{
	int err = sideband_open(&c->sideband, c->sizes.records, error);

	if (!err || needs_perf_event(c->options->needs))
		return err;
	c->sideband = sideband_none();
	c->profile->unfollowed = true;
	return 0;
}

static int open_all(struct collector *c, struct error *error)
{
	const struct collect_options *o = c->options;
	struct cpu_list cpus = {};
	int err = check_options(o, error);

	if (!err)
		err = parse_cpus(o->cpus, &cpus, error);
	if (!err)
		err = open_sideband(c, error);
	if (!err)
		err = intake_open(&c->intake, c->sideband, c->sizes.bodies, error);
	if (!err)
		err = load_open(&c->skeleton, o, &c->sizes, &cpus, 0, error);
	if (!err)
		err = counts_init(&c->counts, load_counts_maps(c->skeleton),
				  &c->skeleton->bss->generation, error);
	if (!err)
		err = attach_publisher(c, error);
	if (!err)
		err = open_channels(c, error);
	if (!err)
		err = load_attach(c->skeleton, error);
	for_each_instrument (c, kind)
		if (!err && instrument_steps[kind].open)
			err = instrument_steps[kind].open(c, &cpus, error);
	vec_release(&cpus);
	return err;
}

enum {
	LARGE_BYTES = 1 << 20,
	LARGE_BYTES_IF_BOUNDED = 128 << 10,
};

/*
 * What was freed is to go back: else glibc keeps blocks of up to 32 MB, and where tables have grown
 * out of their places, a fifth of a long run's memory is such holes. Where memory is bounded, at
 * once, and there is no arena for each thread: what loading BPF took (20 MB) would stay for good.
 */
static void save_memory(const struct sizes *sizes)
{
	if (sizes->memory == UINT64_MAX) {
		mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
		return;
	}
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES_IF_BOUNDED);
	mallopt(M_ARENA_MAX, 1);
}

int collector_open(struct collector **out, const struct collect_options *options,
		   struct profile *profile, struct files *files, struct error *error)
{
	struct collector *c = xcalloc(1, sizeof(*c));
	int err;

	c->options = options;
	c->profile = profile;
	c->files = files;
	c->sizes = sizes_for(options, memory_limit());
	save_memory(&c->sizes);
	c->epoll = -1;
	c->program = (struct program){.pidfd = -1, .go = -1, .failed = -1};
	c->publisher = publisher_new(files, !options->walk_fp);
	c->follow = follow_new(profile, files, !options->walk_fp, c->sizes.copies,
			       (struct wanted_sink){.want = want, .ctx = c},
			       (struct java_sink){.tell = tell_java, .ctx = c});
	err = open_all(c, error);
	if (err) {
		collector_close(c);
		return err;
	}
	*out = c;
	return 0;
}

void collector_close(struct collector *c)
{
	if (!c)
		return;
	sampler_close(&c->sampler);
	vec_release(&c->idle_begin);
	vec_release(&c->idle_end);
	faults_close(&c->faults);
	account_release(&c->account);
	intake_close(c->intake);
	counts_release(&c->counts);
	sideband_close(c->sideband);
	follow_free(c->follow);
	publisher_free(c->publisher);
	rows_maps_release(&c->rows_maps);
	wick_bpf__destroy(c->skeleton);
	program_release(&c->program);
	if (c->epoll >= 0)
		close(c->epoll);
	free(c);
}
