/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.c: the Firefox Profiler's processed format, gzipped JSON (firefox-devtools/profiler:
 * src/types/profile.ts, docs-developer/CHANGELOG-formats.md there; this is version 70, which later
 * readers upgrade).
 *
 *	shared	tables of strings, functions, frames and stacks, by columns: "prefixOffset": [0, 1]
 *	threads	each with its samples (stack, weight) and the long waits as markers
 *
 * A profile has counts, and no time of a single sample. So all samples are at the window's begin,
 * with what was counted as their weight; only markers have times.
 */
#include "firefox.h"
#include "json.h"
#include "profile.h"

enum { PROCESSED_VERSION = 70, GECKO_VERSION = 36 };

static const char INTERVAL[] = "1"; /* the phase of a marker with both ends */

/* By enum frame_kind. Colors are of a fixed list; a grey one is the default. */
static const struct {
	const char *name, *color;
} categories[NR_FRAME_KINDS] = {
	[FRAME_USER] = {"User", "yellow"},	    [FRAME_KERNEL] = {"Kernel", "orange"},
	[FRAME_INLINED] = {"Inlined", "lightblue"}, [FRAME_JIT] = {"JIT", "green"},
	[FRAME_WAKER] = {"Waker", "blue"},	    [FRAME_GROUP] = {"Group", "grey"},
	[FRAME_NOTE] = {"No function", "darkgrey"},
};

static void firefox_release(struct firefox *f)
{
	strbuf_release(&f->b);
	functions_release(&f->functions);
	vec_release(&f->modules);
	table_release(&f->module_table);
	vec_release(&f->threads);
	table_release(&f->thread_table);
	vec_release(&f->thread_of);
	vec_release(&f->rows);
}

/* ---- threads */

/* Row 0 is "unknown", in every table. */
static const struct leg *leg_of(const struct firefox *f, u32 leg)
{
	static const struct leg unknown;

	return f->stacks->profile ? &f->stacks->profile->legs.at[leg] : &unknown;
}

static bool same_thread(const struct leg *a, const struct leg *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns;
}

/* A thread may have several legs: it was called otherwise, or was in another cgroup. */
static u32 find_thread(struct firefox *f, u32 ref)
{
	const struct leg *leg = leg_of(f, ref);
	u64 hash = hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
	struct table_probe probe = table_probe(&f->thread_table, hash);

	while (table_next(&probe)) {
		u32 other = f->threads.at[probe.ref].leg;

		if (!other == !ref && same_thread(leg_of(f, other), leg))
			return probe.ref;
	}
	table_insert(&f->thread_table, hash, (u32)f->threads.nr);
	vec_add(&f->threads)->leg = ref;
	return (u32)f->threads.nr - 1;
}

static u32 thread_of(struct firefox *f, u32 leg)
{
	while (f->thread_of.nr <= leg)
		*vec_add(&f->thread_of) = 0;
	if (!f->thread_of.at[leg]) {
		u32 thread = find_thread(f, leg);

		f->threads.at[thread].leg = max(f->threads.at[thread].leg, leg);
		f->thread_of.at[leg] = thread + 1;
	}
	return f->thread_of.at[leg] - 1;
}

/* Puts the rows in order of their threads, and in the order in which they came there. */
static void sort_rows(struct firefox *f)
{
	const struct weighted_row *rows = f->stacks->rows.at;
	size_t nr = f->stacks->rows.nr, first = 0;

	for (size_t i = 0; i < nr; i++) {
		u32 thread = thread_of(f, rows[i].leg);

		f->threads.at[thread].nr_rows += !!rows[i].value[0];
	}
	vec_for_each (&f->stacks->blocks, block)
		thread_of(f, block->leg);
	/* A profile without threads is not loaded. */
	if (!f->threads.nr)
		thread_of(f, 0);
	vec_for_each (&f->threads, thread) {
		thread->first = first;
		first += thread->nr_rows;
		thread->nr_rows = 0;
	}
	vec_reserve(&f->rows, first);
	for (size_t i = 0; i < nr; i++) {
		struct thread *thread = &f->threads.at[thread_of(f, rows[i].leg)];

		if (rows[i].value[0])
			f->rows.at[thread->first + thread->nr_rows++] = (u32)i;
	}
}

/* A sample of nothing comes first: readers ignore the CPU time of a thread's first one. */
static const struct weighted_row *row_at(const struct firefox *f, size_t i)
{
	static const struct weighted_row nothing;

	return i ? &f->stacks->rows.at[f->rows.at[f->thread->first + i - 1]] : &nothing;
}

static void add_stack_index(struct firefox *f, u32 node)
{
	if (node)
		firefox_number(f, node - 1);
	else
		strbuf_adds(&f->b, "null");
}

static void add_sample_stack(struct firefox *f, size_t i)
{
	add_stack_index(f, row_at(f, i)->node);
}

static void add_weight(struct firefox *f, size_t i)
{
	if (f->stacks->units[0].time)
		json_add_ms(&f->b, row_at(f, i)->value[0]);
	else
		json_add_count(&f->b, row_at(f, i)->value[0], &f->stacks->units[0]);
}

/* Nanoseconds. */
static void add_cpu(struct firefox *f, size_t i)
{
	const struct weighted_row *row = row_at(f, i);
	u64 ns = f->stacks->frequency ? NSEC_PER_SEC / f->stacks->frequency : 1;

	firefox_number(f, row->on_cpu ? row->value[0] * ns : 0);
}

static void add_samples(struct firefox *f)
{
	static const char *const times[] = {"time", NULL};
	const struct unit *unit = &f->stacks->units[0];
	size_t nr = 1 + f->thread->nr_rows;

	firefox_begin(f, "samples");
	firefox_column(f, "stack", nr, add_sample_stack);
	firefox_same(f, times, "0", nr);
	firefox_column(f, "weight", nr, add_weight);
	if (unit->time || f->stacks->frequency)
		firefox_column(f, "threadCPUDelta", nr, add_cpu);
	strbuf_addf(&f->b, "\"weightType\":\"%s\",",
		    unit->time	  ? "tracing-ms"
		    : unit->bytes ? "bytes"
				  : "samples");
	firefox_end(f, nr, ",");
}

/* ---- long waits, as intervals */

static const struct weighted_block *block_at(const struct firefox *f, size_t i)
{
	vec_for_each (&f->stacks->blocks, block) {
		u32 thread = f->thread_of.at[block->leg] - 1;

		if (&f->threads.at[thread] == f->thread && !i--)
			return block;
	}
	return NULL;
}

static void add_window_time(struct firefox *f, u64 time)
{
	json_add_ms(&f->b, time - min(time, f->stacks->profile->begin));
}

static void add_begin(struct firefox *f, size_t i)
{
	add_window_time(f, block_at(f, i)->begin);
}

static void add_end(struct firefox *f, size_t i)
{
	add_window_time(f, block_at(f, i)->end);
}

static void add_wait(struct firefox *f, size_t i)
{
	const struct weighted_block *block = block_at(f, i);
	char state[] = {block->state, 0};

	strbuf_addf(&f->b, "{\"type\":\"%s\",\"state\":", FIREFOX_WAIT);
	json_add_text(&f->b, state);
	strbuf_adds(&f->b, ",\"waker\":");
	json_add_string(&f->b, strings_get(f->stacks->names, block->waker));
	strbuf_adds(&f->b, ",\"cause\":{\"time\":");
	add_window_time(f, block->begin);
	strbuf_adds(&f->b, ",\"stack\":");
	add_stack_index(f, block->node);
	strbuf_adds(&f->b, "}}");
}

static void add_wait_name(struct firefox *f, size_t i)
{
	(void)i;
	firefox_number(f, firefox_wait_string(f));
}

static void add_markers(struct firefox *f)
{
	static const char *const phase[] = {"phase", NULL}, *const category[] = {"category", NULL};
	char waiting[8];
	size_t nr = 0;

	while (block_at(f, nr))
		nr++;
	snprintf(waiting, sizeof(waiting), "%d", FRAME_GROUP);
	firefox_begin(f, "markers");
	firefox_column(f, "data", nr, add_wait);
	firefox_column(f, "name", nr, add_wait_name);
	firefox_column(f, "startTime", nr, add_begin);
	firefox_column(f, "endTime", nr, add_end);
	firefox_same(f, phase, INTERVAL, nr);
	firefox_same(f, category, waiting, nr);
	firefox_end(f, nr, "");
}

static void add_thread_names(struct firefox *f)
{
	const struct profile *profile = f->stacks->profile;
	u32 ref = f->thread->leg;
	const struct leg *leg = leg_of(f, ref);

	strbuf_adds(&f->b, "\"name\":");
	if (ref)
		json_add_string(&f->b, strings_get(&profile->names, leg->comm));
	else
		json_add_text(&f->b, profile ? "[unknown]" : f->caption->title);
	strbuf_adds(&f->b, ",\"processName\":");
	if (ref)
		json_add_string(&f->b,
				strings_get(&profile->names, profile->images.at[leg->image].comm));
	else
		json_add_text(&f->b, "");
	strbuf_addf(&f->b, ",\"pid\":\"%u\",\"tid\":%u,\"isMainThread\":%s,", leg->pid, leg->tid,
		    leg->pid == leg->tid ? "true" : "false");
}

static void add_thread(struct firefox *f, size_t i)
{
	f->thread = &f->threads.at[i];
	strbuf_adds(&f->b,
		    "{\"processType\":\"default\",\"processStartupTime\":0,"
		    "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		    "\"pausedRanges\":[],\"showMarkersInTimeline\":true,");
	add_thread_names(f);
	add_samples(f);
	add_markers(f);
	strbuf_addc(&f->b, '}');
}

/* ---- the run */

static void add_category_row(struct firefox *f, size_t i)
{
	strbuf_addf(&f->b, "{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
		    categories[i].name, categories[i].color);
}

static void add_run(struct firefox *f)
{
	const struct profile *p = f->stacks->profile;

	if (!p) {
		strbuf_adds(&f->b, "\"startTime\":0,\"interval\":1,");
		return;
	}
	strbuf_adds(&f->b, "\"startTime\":");
	json_add_ms(&f->b, p->wall_start_ns);
	strbuf_adds(&f->b, ",\"profilingStartTime\":0,\"profilingEndTime\":");
	json_add_ms(&f->b, p->end - p->begin);
	strbuf_adds(&f->b, ",\"interval\":");
	json_add_ms(&f->b,
		    f->stacks->frequency ? NSEC_PER_SEC / f->stacks->frequency : NSEC_PER_MSEC);
	strbuf_addf(&f->b, ",\"logicalCPUs\":%u,\"oscpu\":", p->nr_cpus);
	json_add_string(&f->b, strings_get(&p->names, p->kernel_release));
	strbuf_addc(&f->b, ',');
}

static void add_meta(struct firefox *f)
{
	firefox_begin(f, "meta");
	strbuf_addf(&f->b,
		    "\"version\":%d,\"preprocessedProfileVersion\":%d,\"product\":\"wick\","
		    "\"importedFrom\":\"wick\",\"processType\":0,\"stackwalk\":1,"
		    "\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
		    "\"sourceCodeIsNotOnSearchfox\":true,\"platform\":\"Linux\","
		    "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		    "\"threadCPUDelta\":\"ns\"},",
		    GECKO_VERSION, PROCESSED_VERSION);
	add_run(f);
	firefox_column(f, "categories", NR_FRAME_KINDS, add_category_row);
	strbuf_addf(
		&f->b,
		"\"markerSchema\":[{\"name\":\"%s\",\"display\":[\"marker-chart\","
		"\"marker-table\",\"timeline-overview\"],\"chartLabel\":\"{marker.data.waker}\","
		"\"tableLabel\":\"{marker.data.state} {marker.data.waker}\",\"fields\":["
		"{\"key\":\"state\",\"label\":\"State\",\"format\":\"string\"},"
		"{\"key\":\"waker\",\"label\":\"Ended by\",\"format\":\"string\"}]}],"
		"\"extra\":[{\"label\":\"wick\",\"entries\":[{\"label\":\"Graph\","
		"\"format\":\"string\",\"value\":",
		FIREFOX_WAIT);
	json_add_text(&f->b, f->caption->title);
	strbuf_adds(&f->b, "},{\"label\":\"Run\",\"format\":\"string\",\"value\":");
	json_add_text(&f->b, f->caption->subtitle);
	strbuf_adds(&f->b, "}]}]},");
}

static void write_all(struct firefox *f)
{
	firefox_find_functions(f);
	sort_rows(f);
	strbuf_addc(&f->b, '{');
	add_meta(f);
	firefox_add_shared(f);
	firefox_column(f, "threads", f->threads.nr, add_thread);
	strbuf_adds(&f->b, "\"libs\":[]}\n");
	gzip_add_buffer(f->out, &f->b, 0);
}

static int write_firefox(const struct weighted_stacks *stacks, const struct caption *caption,
			 FILE *out, struct error *error)
{
	_cleanup_(firefox_release) struct firefox f = {.stacks = stacks, .caption = caption};

	(void)error;
	f.out = gzip_new(out);
	write_all(&f);
	gzip_finish(f.out);
	return 0;
}

const struct format firefox_format = {
	.name = "firefox",
	.suffix = ".json.gz",
	.summary = "for the Firefox Profiler, profiler.firefox.com",
	.write_stacks = write_firefox,
};
