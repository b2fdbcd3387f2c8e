/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c: recordings become one. Each is read into a profile of its own, and what its slices have
 * counted is kept apart. Then all slices, by the time at which they end, are counted into a profile
 * that is recorded as a run is.
 */
#include "merge.h"

#include "base/checked.h"
#include "base/numbers.h"
#include "merge_sums.h"

enum { MAX_NAMED_HOSTS = 3, MAX_CPUS_OF_A_RUN = 1 << 16 };

struct piece {
	bool is_slice;
	u64 begin, end; /* after the run's begin */
	size_t first_count, nr_counts, first_block, nr_blocks;
	struct memory_account memory[NR_MEMORY_ACCOUNTS]; /* until its end */
};

struct run {
	char *name;
	struct profile p;
	struct merged_rows rows;
	VEC(struct piece) pieces;
	VEC(struct slice_sample) counts;
	VEC(struct block) blocks;
	u64 begin; /* on the merged clock */
};

struct merge {
	struct profile p;
	VEC(struct run) runs;
};

struct merge *merge_new(void)
{
	struct merge *m = xcalloc(1, sizeof(*m));

	profile_init(&m->p);
	m->p.slice.wanted = true;
	return m;
}

static void run_release(struct run *run)
{
	free(run->name);
	merged_rows_release(&run->rows);
	profile_release(&run->p);
	vec_release(&run->pieces);
	vec_release(&run->counts);
	vec_release(&run->blocks);
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	vec_for_each (&m->runs, run)
		run_release(run);
	vec_release(&m->runs);
	profile_release(&m->p);
	free(m);
}

/* ---- reading */

static void keep_piece(void *ctx, const struct profile *p, const struct recording_piece *piece)
{
	struct run *run = ctx;
	struct piece *kept = vec_add(&run->pieces);

	*kept = (struct piece){
		.is_slice = piece->is_slice,
		.begin = piece->slice.begin,
		.end = piece->slice.end,
		.first_count = run->counts.nr,
		.nr_counts = piece->nr_counts,
		.first_block = run->blocks.nr,
		.nr_blocks = piece->nr_blocks,
	};
	memcpy(kept->memory, p->memory, sizeof(kept->memory));
	for (size_t i = 0; i < piece->nr_counts; i++)
		*vec_add(&run->counts) = piece->counts[i];
	for (size_t i = 0; i < piece->nr_blocks; i++)
		*vec_add(&run->blocks) = piece->blocks[i];
}

/* Samples of another period are of another length. */
static int check_frequency(const struct merge *m, const struct run *run, struct error *error)
{
	vec_for_each (&m->runs, other)
		if (other->p.needs & run->p.needs & NEED_CPU &&
		    other->p.frequency != run->p.frequency)
			return fail(
				error, -EINVAL,
				"%s has CPU samples at %u Hz and %s at %u Hz: they do not add up. "
				"Record both with the same -F.",
				other->name, other->p.frequency, run->name, run->p.frequency);
	return 0;
}

int merge_add(struct merge *m, int fd, const char *name, struct recording *facts,
	      struct error *error)
{
	struct run run = {.name = xstrdup(name)};
	const struct recording_listener listener = {.piece = keep_piece, .ctx = &run};
	int err;

	profile_init(&run.p);
	err = recording_read_slices(fd, &listener, &run.p, facts, error);
	if (!err)
		err = check_frequency(m, &run, error);
	if (err)
		run_release(&run);
	else
		*vec_add(&m->runs) = run;
	return err;
}

size_t merge_nr_runs(const struct merge *m)
{
	return m->runs.nr;
}

struct merge_run merge_run_at(const struct merge *m, size_t i)
{
	const struct run *run = &m->runs.at[i];

	return (struct merge_run){
		.name = run->name, .p = &run->p, .begin = run->begin - m->p.begin};
}

/* ---- one clock */

static const struct run *first_run(const struct merge *m)
{
	const struct run *first = m->runs.at;

	vec_for_each (&m->runs, run)
		if (run->p.wall_start_ns < first->p.wall_start_ns)
			first = run;
	return first;
}

/*
 * Start times tell threads apart: those of two runs are shifted by different times. Whole
 * microseconds, as the times of the log are.
 */
static u64 own_shift(const struct merge *m, u64 shift, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (m->runs.at[i].rows.shift == shift)
			return own_shift(m, shift + NSEC_PER_USEC, nr);
	return shift;
}

/* A clock may go back, too. */
static u64 whole_microseconds(u64 shift)
{
	s64 microseconds = (s64)shift / (s64)NSEC_PER_USEC;

	return (u64)microseconds * NSEC_PER_USEC;
}

static int set_clock(struct merge *m, struct error *error)
{
	const struct run *first = first_run(m);
	struct profile *p = &m->p;
	u64 end;

	p->begin = first->p.begin;
	p->end = p->begin;
	p->wall_start_ns = first->p.wall_start_ns;
	for (size_t i = 0; i < m->runs.nr; i++) {
		struct run *run = &m->runs.at[i];
		u64 after = run->p.wall_start_ns - p->wall_start_ns;

		u64 shift = p->begin + after - run->p.begin;

		run->rows.shift = own_shift(m, whole_microseconds(shift), i);
		run->begin = run->p.begin + run->rows.shift;
		if (!checked_add(p->begin, after, &end) ||
		    !checked_add(run->begin, run->p.end - run->p.begin, &end))
			return fail(error, -EINVAL,
				    "%s and %s began at times of day that no clock holds: one of "
				    "them is wrong",
				    first->name, run->name);
		p->end = max(p->end, end);
	}
	return 0;
}

/* ---- what a run has one of */

/* What a file says is bounded. */
static size_t cpus_of(const struct profile *p)
{
	return max((size_t)min(p->nr_cpus, (u32)MAX_CPUS_OF_A_RUN), p->cpus.nr);
}

static void add_host(struct merge *m, struct run *run, const struct profile_host *host)
{
	struct profile *p = &m->p;
	struct profile_host row = *host;

	row.name = merged_string(&run->rows, host->name);
	row.kernel_release = merged_string(&run->rows, host->kernel_release);
	row.begin += run->rows.shift;
	row.end += run->rows.shift;
	row.first_cpu += (u32)p->cpus.nr;
	*vec_add(&p->hosts) = row;
}

/* Before its CPUs are added. */
static void add_hosts(struct merge *m, struct run *run)
{
	const struct profile *p = &run->p;
	const struct profile_host own = {
		.name = p->host,
		.kernel_release = p->kernel_release,
		.begin = p->begin,
		.end = p->end,
		.nr_cpus = (u32)cpus_of(p),
	};

	run->rows.first_host = (u32)m->p.hosts.nr;
	for (size_t i = 1; i < p->hosts.nr; i++)
		add_host(m, run, &p->hosts.at[i]);
	if (p->hosts.nr == 1)
		add_host(m, run, &own);
}

static void add_cpus(struct profile *p, const struct run *run)
{
	size_t first = p->cpus.nr, nr = cpus_of(&run->p);

	if (!run->p.cpus.nr)
		return;
	profile_cpu(p, (u32)(first + nr - 1));
	for (size_t i = 0; i < run->p.cpus.nr; i++)
		p->cpus.at[first + i] = run->p.cpus.at[i];
}

/* The hosts that there are, each once, and all of their CPUs. */
static void name_hosts(struct profile *p)
{
	_cleanup_strbuf_ struct strbuf names = {};
	size_t nr = 0;

	for (size_t i = 1; i < p->hosts.nr; i++) {
		const struct profile_host *host = &p->hosts.at[i];
		u32 most = 0;
		bool is_first = true;

		for (size_t k = 1; k < p->hosts.nr; k++) {
			if (p->hosts.at[k].name != host->name)
				continue;
			is_first &= k >= i;
			most = max(most, p->hosts.at[k].nr_cpus);
		}
		if (!is_first)
			continue;
		p->nr_cpus += most;
		if (nr++ < MAX_NAMED_HOSTS)
			strbuf_addf(&names, "%s%s", nr > 1 ? "+" : "",
				    strings_get(&p->names, host->name).s);
	}
	if (nr > MAX_NAMED_HOSTS)
		strbuf_addf(&names, "+%zu", nr - MAX_NAMED_HOSTS);
	p->host = names.size ? strings_add(&p->names, names.s, names.size) : 0;
}

/* The text that all runs have; else each one's, by its file. */
static u32 common_text(struct merge *m, size_t member)
{
	_cleanup_strbuf_ struct strbuf all = {};
	u32 first = 0;
	bool same = true;

	for (size_t i = 0; i < m->runs.nr; i++) {
		struct run *run = &m->runs.at[i];
		u32 text;

		memcpy(&text, (const char *)&run->p + member, sizeof(text));
		text = merged_string(&run->rows, text);
		first = i ? first : text;
		same &= text == first;
		strbuf_addf(&all, "%s%s: %s", i ? "; " : "", run->name,
			    text ? strings_get(&m->p.names, text).s : "all");
	}
	return same ? first : strings_add(&m->p.names, all.s, all.size);
}

/* In their order, so that what is rounded from row to row is rounded as it was. */
static void add_samples(struct profile *p, const struct run *run)
{
	vec_for_each (&run->p.samples, sample) {
		const struct sample key = merged_sample(&run->rows, sample);

		profile_sample(p, &key);
	}
}

/* What the runs themselves have cost is of each, not of all. */
static void begin_merged(struct merge *m)
{
	struct profile *p = &m->p;

	p->most_blocks = 0;
	p->cost.unknown = true;
	vec_for_each (&m->runs, run) {
		run->rows.to = p;
		run->rows.from = &run->p;
		add_hosts(m, run);
		add_cpus(p, run);
		merged_rows_init(&run->rows);
		add_samples(p, run);
		merged_facts(&run->rows);
		p->most_blocks += min(run->p.most_blocks, (size_t)MOST_BLOCKS);
	}
	name_hosts(p);
	p->filters = common_text(m, offsetof(struct profile, filters));
	p->event = common_text(m, offsetof(struct profile, event));
	p->kernel_release = common_text(m, offsetof(struct profile, kernel_release));
}

/* ---- slices */

struct place {
	struct run *run;
	size_t piece;
	u64 end; /* on the merged clock */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->run != y->run ? (x->run->begin < y->run->begin ? -1 : 1)
				: (x->piece < y->piece ? -1 : 1);
}

static void count_piece(struct profile *p, const struct run *run, size_t at)
{
	static const struct memory_account nothing[NR_MEMORY_ACCOUNTS];
	const struct piece *piece = &run->pieces.at[at];
	const struct memory_account *before = at ? piece[-1].memory : nothing;

	for (size_t i = 0; i < piece->nr_counts; i++) {
		const struct slice_sample *count = &run->counts.at[piece->first_count + i];
		struct sample sample = merged_sample(&run->rows, &run->p.samples.at[count->sample]);

		memcpy(sample.column, count->column, sizeof(sample.column));
		profile_count(p, &sample);
	}
	for (size_t i = 0; i < piece->nr_blocks; i++) {
		const struct block block =
			merged_block(&run->rows, &run->blocks.at[piece->first_block + i]);

		profile_block(p, &block);
	}
	for (size_t i = 0; i < NR_MEMORY_ACCOUNTS; i++)
		merged_memory(&p->memory[i], &piece->memory[i], &before[i]);
}

static void put_slices(struct merge *m, struct recording_writer *w, struct strbuf *to)
{
	VEC(struct place) places = {};

	vec_for_each (&m->runs, run) {
		for (size_t i = 0; i < run->pieces.nr; i++)
			*vec_add(&places) = (struct place){
				.run = run,
				.piece = i,
				.end = run->begin + run->pieces.at[i].end,
			};
	}
	vec_sort(&places, compare_places);
	vec_for_each (&places, place) {
		const struct run *run = place->run;
		const struct piece *piece = &run->pieces.at[place->piece];
		u64 begin = run->begin - m->p.begin;

		count_piece(&m->p, run, place->piece);
		if (piece->is_slice)
			recording_put_piece(w, &m->p, begin + piece->begin, begin + piece->end, to);
	}
	vec_release(&places);
}

/* ---- the end */

static void add_held(struct profile *p, const struct run *run)
{
	vec_for_each (&run->p.samples, sample) {
		struct sample key;

		if (instruments[sample->kind].columns[HELD_COLUMN].merge != MERGE_END ||
		    !sample->column[HELD_COLUMN])
			continue;
		key = merged_sample(&run->rows, sample);
		add_to_sum(&p->samples.at[profile_sample(p, &key)].column[HELD_COLUMN],
			   sample->column[HELD_COLUMN]);
	}
}

static void add_end(struct profile *p, const struct run *run)
{
	vec_for_each (&run->p.threads, thread) {
		struct thread_time *merged = vec_add(&p->threads);

		*merged = *thread;
		merged->leg = run->rows.legs[thread->leg];
		merged->begin += run->rows.shift;
		merged->end += run->rows.shift;
	}
	merged_losses(&run->rows);
	add_held(p, run);
}

int merge_write(struct merge *m, struct strbuf *to, struct error *error)
{
	struct recording_writer *w;
	int err = set_clock(m, error);

	if (err)
		return err;
	begin_merged(m);
	w = recording_writer_new();
	recording_put_header(to);
	put_slices(m, w, to);
	vec_for_each (&m->runs, run)
		add_end(&m->p, run);
	recording_put_names(w, &m->p, to);
	recording_put_end(w, &m->p, to);
	recording_writer_free(w);
	return 0;
}
