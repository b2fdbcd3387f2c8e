/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c: the tables of a run. Each kind of row has a key, the columns that make it what it is;
 * a row is looked up by the hash of its key, compared, and added when nothing equals it. Row 0 of
 * most tables stands for "none", so that a zeroed reference means that.
 */
#include "profile.h"
#include "base/numbers.h"

void profile_init(struct profile *p)
{
	*p = (struct profile){.most_blocks = MOST_BLOCKS};
	strings_init(&p->names);
	profile_note(p, "[unknown]");
	vec_add(&p->sources);
	profile_stack(p, NULL, 0, WICK_COMPLETE);
	profile_file(p, "");
	profile_image(p, &(struct image){});
	vec_add(&p->hosts);
	vec_add(&p->legs);
	vec_add(&p->hops);
	vec_add(&p->objects);
	profile_chain(p, NULL, 0, WICK_CHAIN_RUNNING);
}

void profile_release(struct profile *p)
{
	strings_release(&p->names);
	vec_release(&p->functions);
	vec_release(&p->sources);
	vec_release(&p->frames);
	vec_release(&p->kernel_sights);
	vec_release(&p->stack_frames);
	vec_release(&p->stacks);
	vec_release(&p->files);
	vec_release(&p->images);
	vec_release(&p->hosts);
	vec_release(&p->legs);
	vec_release(&p->hops);
	vec_release(&p->objects);
	vec_release(&p->chain_hops);
	vec_release(&p->chains);
	vec_release(&p->samples);
	vec_release(&p->blocks);
	vec_release(&p->threads);
	vec_release(&p->other_threads);
	vec_release(&p->cpus);
	vec_release(&p->losses);
	vec_release(&p->cost.programs);
	vec_release(&p->slice.samples);
	table_release(&p->slice.place);
	vec_release(&p->slice.filled);
	vec_release(&p->slice.blocks);
	vec_release(&p->waits.blocks);
	vec_release(&p->waits.wakers);
	table_release(&p->function_table);
	table_release(&p->source_table);
	table_release(&p->frame_table);
	table_release(&p->stack_table);
	table_release(&p->image_table);
	table_release(&p->leg_table);
	table_release(&p->sample_table);
	table_release(&p->hop_table);
	table_release(&p->object_table);
	table_release(&p->chain_table);
	*p = (struct profile){};
}

/* Keys are hashed as arrays of whole words: structs have padding. */
#define HASH_OF(...)                                                                               \
	({                                                                                         \
		const u64 words[] = {__VA_ARGS__};                                                 \
		hash_bytes(words, sizeof(words));                                                  \
	})

u32 profile_function(struct profile *p, const char *name, size_t size, const char *module,
		     enum frame_kind kind, bool named)
{
	struct tree_frame shown = {
		.name = strings_add(&p->names, name, size),
		.module = strings_adds(&p->names, module),
		.kind = kind,
	};
	u64 hash = HASH_OF(shown.name, shown.module, kind, named);
	struct table_probe probe = table_probe(&p->function_table, hash);

	while (table_next(&probe)) {
		const struct function *f = &p->functions.at[probe.ref];

		if (f->shown.name == shown.name && f->shown.module == shown.module &&
		    f->shown.kind == kind && f->named == named)
			return probe.ref;
	}
	table_insert(&p->function_table, hash, (u32)p->functions.nr);
	*vec_add(&p->functions) = (struct function){.shown = shown, .named = named};
	return (u32)p->functions.nr - 1;
}

u32 profile_note(struct profile *p, const char *text)
{
	return profile_function(p, text, strlen(text), "", FRAME_NOTE, false);
}

u32 profile_frame(struct profile *p, enum frame_space space, u32 origin, u64 address)
{
	u64 hash = HASH_OF(space, origin, address);
	struct table_probe probe = table_probe(&p->frame_table, hash);

	while (table_next(&probe)) {
		const struct frame *f = &p->frames.at[probe.ref];

		if (f->space == space && f->origin == origin && f->address == address)
			return probe.ref;
	}
	table_insert(&p->frame_table, hash, (u32)p->frames.nr);
	*vec_add(&p->frames) = (struct frame){.space = space,
					      .origin = origin,
					      .address = address,
					      .function = space == SPACE_NOTE ? (u32)address : 0};
	return (u32)p->frames.nr - 1;
}

static void add_frames(struct profile *p, const u32 *frames, size_t nr)
{
	if (!nr)
		return;
	vec_reserve(&p->stack_frames, nr);
	memcpy(p->stack_frames.at + p->stack_frames.nr, frames, nr * sizeof(*frames));
	p->stack_frames.nr += nr;
}

/* Their references have 32 bits: the stacks that come after 16 GB of frames are lost. */
static bool has_room(const struct profile *p, size_t nr)
{
	return nr < UINT32_MAX - p->stack_frames.nr;
}

u32 profile_reserve_stack(struct profile *p)
{
	*vec_add(&p->stacks) = (struct stack){.end = WICK_LOST};
	return (u32)p->stacks.nr - 1;
}

u32 profile_stack(struct profile *p, const u32 *frames, size_t nr, enum wick_end end)
{
	u64 hash = hash_bytes(frames, nr * sizeof(*frames)) ^ hash_u64(end);
	struct table_probe probe = table_probe(&p->stack_table, hash);

	while (table_next(&probe)) {
		const struct stack *s = &p->stacks.at[probe.ref];

		if (s->nr == nr && s->end == end &&
		    (!nr || !memcmp(p->stack_frames.at + s->first, frames, nr * sizeof(*frames))))
			return probe.ref;
	}
	if (!has_room(p, nr))
		return profile_reserve_stack(p);
	table_insert(&p->stack_table, hash, (u32)p->stacks.nr);
	*vec_add(&p->stacks) =
		(struct stack){.first = (u32)p->stack_frames.nr, .nr = (u32)nr, .end = end};
	add_frames(p, frames, nr);
	return (u32)p->stacks.nr - 1;
}

void profile_fill_stack(struct profile *p, u32 stack, const u32 *frames, size_t nr,
			enum wick_end end)
{
	if (!has_room(p, nr))
		return;
	p->stacks.at[stack] =
		(struct stack){.first = (u32)p->stack_frames.nr, .nr = (u32)nr, .end = end};
	add_frames(p, frames, nr);
	if (p->slice.wanted)
		*vec_add(&p->slice.filled) = stack;
}

static size_t without_suffix(const char *s, size_t size, const char *suffix)
{
	size_t length = strlen(suffix);

	return size >= length && !memcmp(s + size - length, suffix, length) ? size - length : size;
}

u32 profile_file(struct profile *p, const char *path)
{
	size_t size = without_suffix(path, strlen(path), " (deleted)");
	const char *slash = memrchr(path, '/', size);
	const char *base = slash ? slash + 1 : path;

	*vec_add(&p->files) = (struct profile_file){
		.path = strings_add(&p->names, path, size),
		.name = strings_add(&p->names, base, (size_t)(path + size - base)),
	};
	return (u32)p->files.nr - 1;
}

u32 profile_image(struct profile *p, const struct image *image)
{
	u64 hash = HASH_OF(image->pid, image->start_ns, image->exec_id, image->host);
	struct table_probe probe = table_probe(&p->image_table, hash);

	while (table_next(&probe)) {
		const struct image *i = &p->images.at[probe.ref];

		if (i->pid == image->pid && i->start_ns == image->start_ns &&
		    i->exec_id == image->exec_id && i->host == image->host)
			return probe.ref;
	}
	table_insert(&p->image_table, hash, (u32)p->images.nr);
	*vec_add(&p->images) = *image;
	return (u32)p->images.nr - 1;
}

static bool same_leg(const struct leg *a, const struct leg *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns &&
	       a->image == b->image && a->comm == b->comm && a->cgroup == b->cgroup &&
	       a->host == b->host && a->kind == b->kind && a->left_out == b->left_out;
}

u32 profile_leg(struct profile *p, const struct leg *leg)
{
	u64 hash = HASH_OF(leg->pid, leg->tid, leg->start_ns, leg->image, leg->comm, leg->cgroup,
			   leg->host, leg->kind, leg->left_out);
	struct table_probe probe = table_probe(&p->leg_table, hash);

	while (table_next(&probe))
		if (same_leg(&p->legs.at[probe.ref], leg))
			return probe.ref;
	table_insert(&p->leg_table, hash, (u32)p->legs.nr);
	*vec_add(&p->legs) = *leg;
	return (u32)p->legs.nr - 1;
}

u32 profile_hop(struct profile *p, const struct hop *hop)
{
	u64 hash = HASH_OF(hop->cause, hop->leg, hop->user, hop->kernel);
	struct table_probe probe = table_probe(&p->hop_table, hash);

	while (table_next(&probe)) {
		const struct hop *h = &p->hops.at[probe.ref];

		if (h->cause == hop->cause && h->leg == hop->leg && h->user == hop->user &&
		    h->kernel == hop->kernel)
			return probe.ref;
	}
	table_insert(&p->hop_table, hash, (u32)p->hops.nr);
	*vec_add(&p->hops) = *hop;
	return (u32)p->hops.nr - 1;
}

static bool same_object(const struct object *a, const struct object *b)
{
	return a->kind == b->kind && a->name == b->name && a->device == b->device &&
	       a->peer_pid == b->peer_pid && a->id == b->id && a->of == b->of &&
	       a->here == b->here && a->there == b->there;
}

u32 profile_object(struct profile *p, const struct object *object)
{
	u64 hash = HASH_OF(object->kind, object->name, object->device, object->peer_pid, object->id,
			   object->of, object->here, object->there);
	struct table_probe probe = table_probe(&p->object_table, hash);

	while (table_next(&probe))
		if (same_object(&p->objects.at[probe.ref], object))
			return probe.ref;
	table_insert(&p->object_table, hash, (u32)p->objects.nr);
	*vec_add(&p->objects) = *object;
	return (u32)p->objects.nr - 1;
}

u32 profile_chain(struct profile *p, const u32 *hops, size_t nr, enum wick_chain_end end)
{
	u64 hash = hash_bytes(hops, nr * sizeof(*hops)) ^ hash_u64(end);
	struct table_probe probe = table_probe(&p->chain_table, hash);

	while (table_next(&probe)) {
		const struct chain *c = &p->chains.at[probe.ref];

		if (c->nr == nr && c->end == end &&
		    (!nr || !memcmp(p->chain_hops.at + c->first, hops, nr * sizeof(*hops))))
			return probe.ref;
	}
	table_insert(&p->chain_table, hash, (u32)p->chains.nr);
	*vec_add(&p->chains) =
		(struct chain){.first = (u32)p->chain_hops.nr, .nr = (u32)nr, .end = end};
	if (nr) {
		vec_reserve(&p->chain_hops, nr);
		memcpy(p->chain_hops.at + p->chain_hops.nr, hops, nr * sizeof(*hops));
		p->chain_hops.nr += nr;
	}
	return (u32)p->chains.nr - 1;
}

enum { SAMPLE_KEY_SIZE = offsetof(struct sample, end_of_key) };

bool profile_find_sample(const struct profile *p, const struct sample *sample, u32 *row)
{
	struct table_probe probe =
		table_probe(&p->sample_table, hash_bytes(sample, SAMPLE_KEY_SIZE));

	while (table_next(&probe)) {
		if (probe.ref >= p->samples.nr ||
		    memcmp(&p->samples.at[probe.ref], sample, SAMPLE_KEY_SIZE))
			continue;
		*row = probe.ref;
		return true;
	}
	return false;
}

void profile_index_sample(struct profile *p, u32 row)
{
	table_insert(&p->sample_table, hash_bytes(&p->samples.at[row], SAMPLE_KEY_SIZE), row);
}

void profile_order_samples(struct profile *p, const u32 *rows)
{
	struct sample *before = p->samples.at;

	p->samples.at = xcalloc(p->samples.nr + 1, sizeof(*before));
	p->samples.room = p->samples.nr + 1;
	table_release(&p->sample_table);
	for (size_t i = 0; i < p->samples.nr; i++) {
		p->samples.at[i] = before[rows[i]];
		profile_index_sample(p, (u32)i);
	}
	free(before);
	profile_next_slice(p);
}

u32 profile_sample(struct profile *p, const struct sample *sample)
{
	struct sample *new;
	u32 row;

	if (profile_find_sample(p, sample, &row))
		return row;
	new = vec_add(&p->samples);
	*new = *sample;
	memset(new->column, 0, sizeof(new->column));
	profile_index_sample(p, (u32)p->samples.nr - 1);
	return (u32)p->samples.nr - 1;
}

enum memory_accounts memory_account_of(const struct sample *sample)
{
	if (sample->kind == WICK_BRK)
		return MEMORY_BRK;
	return sample->state & WICK_MEMORY_RESERVED ? MEMORY_RESERVED : MEMORY_MMAP;
}

void merge_columns(enum wick_kind kind, u64 sums[MAX_COLUMNS], const u64 columns[MAX_COLUMNS])
{
	for (size_t i = 0; i < MAX_COLUMNS; i++)
		if (instruments[kind].columns[i].merge == MERGE_MAX)
			sums[i] = max(sums[i], columns[i]);
		else
			add_to_sum(&sums[i], columns[i]);
}

/* The sample's row in the slice, made if need be. */
static struct slice_sample *slice_sample(struct profile_slice *slice, u32 sample)
{
	struct table_probe probe = table_probe(&slice->place, hash_u64(sample));
	struct slice_sample *added;

	while (table_next(&probe))
		if (slice->samples.at[probe.ref].sample == sample)
			return &slice->samples.at[probe.ref];
	table_insert(&slice->place, hash_u64(sample), (u32)slice->samples.nr);
	added = vec_add(&slice->samples);
	added->sample = sample;
	return added;
}

void profile_next_slice(struct profile *p)
{
	p->slice.samples.nr = 0;
	table_release(&p->slice.place);
	p->slice.filled.nr = 0;
	p->slice.blocks.nr = 0;
}

void profile_end_recording(struct profile *p)
{
	p->slice.wanted = false;
	vec_release(&p->slice.samples);
	table_release(&p->slice.place);
	vec_release(&p->slice.filled);
	vec_release(&p->slice.blocks);
}

void profile_count(struct profile *p, const struct sample *sample)
{
	u32 row = profile_sample(p, sample);

	merge_columns(sample->kind, p->samples.at[row].column, sample->column);
	if (p->slice.wanted)
		merge_columns(sample->kind, slice_sample(&p->slice, row)->column, sample->column);
}

u64 profile_sum(const struct profile *p, enum wick_kind kind, u32 column, u32 of, u32 flags)
{
	u64 sum = 0;

	vec_for_each (&p->samples, sample)
		if (sample->kind == kind && (sample->state & of) == flags)
			add_to_sum(&sum, sample->column[column]);
	vec_for_each (&p->losses, loss)
		if (!flags && loss->kind == kind && loss->note && loss->column == column)
			add_to_sum(&sum, loss->value);
	return sum;
}

static u64 largest_memory_sums(const struct memory_account *account)
{
	return (account->mapped == UINT64_MAX) + (account->unmapped == UINT64_MAX) +
	       (account->gone == UINT64_MAX) + (account->held == UINT64_MAX) +
	       (account->given_back == UINT64_MAX);
}

u64 profile_nr_largest(const struct profile *p)
{
	u64 nr = 0;

	vec_for_each (&p->samples, sample)
		for (size_t i = 0; i < MAX_COLUMNS; i++)
			nr += sample->column[i] == UINT64_MAX;
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		for (u32 i = 0; i < MAX_COLUMNS; i++)
			nr += profile_sum(p, kind, i, 0, 0) == UINT64_MAX;
	for (size_t i = 0; i < NR_MEMORY_ACCOUNTS; i++)
		nr += largest_memory_sums(&p->memory[i]);
	return nr;
}

void profile_thread(struct profile *p, const struct thread_time *thread)
{
	struct thread_time *t = vec_add(&p->threads);
	u64 excess = thread->running - min(thread->running, thread->ran);

	*t = *thread;
	if (excess <= clock_tolerance(t->running))
		return;
	t->running -= excess;
	add_to_sum(&t->unaccounted, excess);
}

struct cpu_time *profile_cpu(struct profile *p, u32 cpu)
{
	while (p->cpus.nr <= cpu)
		*vec_add(&p->cpus) = (struct cpu_time){};
	return &p->cpus.at[cpu];
}

struct thread_time profile_threads_time(const struct profile *p)
{
	struct thread_time sum = {};

	vec_for_each (&p->threads, t) {
		add_to_sum(&sum.running, t->running);
		add_to_sum(&sum.queued, t->queued);
		add_to_sum(&sum.preempted, t->preempted);
		add_to_sum(&sum.blocked, t->blocked);
		add_to_sum(&sum.unaccounted, t->unaccounted);
		add_to_sum(&sum.ran, t->ran);
		add_to_sum(&sum.end, t->end - t->begin);
	}
	return sum;
}
void profile_loss(struct profile *p, const char *cause, const char *note, enum wick_kind kind,
		  u32 column, u64 value)
{
	vec_for_each (&p->losses, loss) {
		if (loss->kind == kind && !strcmp(loss->cause, cause)) {
			add_to_sum(&loss->value, value);
			return;
		}
	}
	*vec_add(&p->losses) = (struct loss){
		.cause = cause, .note = note, .kind = kind, .column = column, .value = value};
}
