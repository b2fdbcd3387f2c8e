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

enum { PROCESSED_VERSION = 70, GECKO_VERSION = 36, MAX_MARKERS = 10000 };

static const char INTERVAL[] = "1"; /* the phase of a marker with both ends */

/* By enum frame_kind. Colors are of a fixed list; a grey one is the default. */
static const struct {
	const char *name, *color;
} categories[NR_FRAME_KINDS] = {
	[FRAME_USER] = {"User", "yellow"},	    [FRAME_KERNEL] = {"Kernel", "orange"},
	[FRAME_INLINED] = {"Inlined", "lightblue"}, [FRAME_JIT] = {"JIT", "green"},
	[FRAME_WAKER] = {"Waker", "blue"},	    [FRAME_GROUP] = {"Group", "grey"},
	[FRAME_NOTE] = {"No function", "darkgrey"}, [FRAME_GONE] = {"Gone", "lightgrey"},
};

static void firefox_release(struct firefox *f)
{
	strbuf_release(&f->b);
	functions_release(&f->functions);
	vec_release(&f->modules);
	vec_release(&f->paths);
	table_release(&f->modules.table);
	table_release(&f->paths.table);
	threads_release(&f->threads);
	by_thread_release(&f->rows);
	by_thread_release(&f->waits);
}

/* ---- threads */

static void sort_rows(struct firefox *f)
{
	size_t nr = f->stacks->rows.nr;
	_cleanup_free_ u32 *thread = xcalloc(nr, sizeof(*thread));

	for (size_t i = 0; i < nr; i++) {
		const struct weighted_row *row = &f->stacks->rows.at[i];
		u32 of = threads_of(&f->threads, row->leg);

		thread[i] = row->value[0] ? of : NO_THREAD;
	}
	f->rows = by_thread(thread, nr, f->threads.legs.nr);
}

static u64 wait_ns(const struct weighted_block *block)
{
	return block->end - block->begin;
}

static int compare_lengths(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What the shortest wait has that is a marker: no reader shows a million of them. */
static u64 shortest_wait(const struct firefox *f)
{
	size_t nr = f->stacks->blocks.nr;
	_cleanup_free_ u64 *lengths = xcalloc(nr, sizeof(*lengths));

	if (nr <= MAX_MARKERS)
		return 1;
	for (size_t i = 0; i < nr; i++)
		lengths[i] = wait_ns(&f->stacks->blocks.at[i]);
	qsort(lengths, nr, sizeof(*lengths), compare_lengths);
	return lengths[MAX_MARKERS - 1];
}

static void sort_waits(struct firefox *f)
{
	size_t nr = f->stacks->blocks.nr;
	_cleanup_free_ u32 *thread = xcalloc(nr, sizeof(*thread));
	u64 shortest = max(shortest_wait(f), 1ull);

	for (size_t i = 0; i < nr; i++) {
		const struct weighted_block *block = &f->stacks->blocks.at[i];

		thread[i] = wait_ns(block) >= shortest ? threads_of(&f->threads, block->leg)
						       : NO_THREAD;
	}
	f->waits = by_thread(thread, nr, f->threads.legs.nr);
}

/* By their threads, all of which have to be known before. */
static void sort_all(struct firefox *f)
{
	f->threads.profile = f->stacks->profile;
	vec_for_each (&f->stacks->rows, row)
		threads_of(&f->threads, row->leg);
	vec_for_each (&f->stacks->blocks, block)
		threads_of(&f->threads, block->leg);
	/* A profile without threads is not loaded. */
	if (!f->threads.legs.nr)
		threads_of(&f->threads, 0);
	sort_rows(f);
	sort_waits(f);
}

/* A sample of nothing comes first: readers ignore the CPU time of a thread's first one. */
static const struct weighted_row *row_at(const struct firefox *f, size_t i)
{
	static const struct weighted_row nothing;

	return i ? &f->stacks->rows.at[f->rows.things[f->rows.first[f->thread] + i - 1]] : &nothing;
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
	size_t nr = 1 + by_thread_nr(&f->rows, f->thread);

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
	return &f->stacks->blocks.at[f->waits.things[f->waits.first[f->thread] + i]];
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
	size_t nr = by_thread_nr(&f->waits, f->thread);

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
	u32 ref = f->threads.legs.at[f->thread];
	const struct leg *leg = threads_leg(&f->threads, ref);

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
	f->thread = i;
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
	sort_all(f);
	strbuf_addc(&f->b, '{');
	add_meta(f);
	firefox_add_shared(f);
	firefox_column(f, "threads", f->threads.legs.nr, add_thread);
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
	.waits = ALSO_WAITS,
	.write_stacks = write_firefox,
};
