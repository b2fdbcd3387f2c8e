/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge_rows.h"

u32 merged_string(const struct merged_rows *m, u32 ref)
{
	struct string s = strings_get(&m->from->names, ref);

	return strings_add(&m->to->names, s.s, s.size);
}

static u32 merged_host(const struct merged_rows *m, u32 host)
{
	return m->first_host + (host && host < m->from->hosts.nr ? host - 1 : 0);
}

/* 0: not known. */
static u64 shifted(const struct merged_rows *m, u64 time)
{
	return time ? time + m->shift : 0;
}

static u32 merge_function(const struct merged_rows *m, u32 row)
{
	const struct function *f = &m->from->functions.at[row];
	struct string name = strings_get(&m->from->names, f->shown.name);

	return profile_function(m->to, name.s, name.size,
				strings_get(&m->from->names, f->shown.module).s, f->shown.kind,
				f->named);
}

static u32 merge_source(const struct merged_rows *m, u32 row)
{
	const struct source_line *line = &m->from->sources.at[row];

	if (!row)
		return 0;
	return profile_source(m->to, &(struct source_line){
					     .function = m->functions[line->function],
					     .path = merged_string(m, line->path),
					     .line = line->line,
					     .outer = m->sources[line->outer],
				     });
}

static u64 hash_of_file(const struct profile_file *file)
{
	return hash_u64(hash_u64(file->path) ^ file->build_id);
}

/* 0: there is none. */
static u32 find_file(const struct merged_rows *m, const struct profile_file *file)
{
	struct table_probe probe = table_probe(m->files_of_run, hash_of_file(file));

	while (table_next(&probe)) {
		const struct profile_file *other = &m->to->files.at[probe.ref];

		if (file->build_id && other->build_id == file->build_id &&
		    other->path == file->path)
			return probe.ref;
	}
	return 0;
}

/* A row of its own: another run's file of that path may be another one. */
static u32 merge_file(const struct merged_rows *m, u32 row)
{
	const struct profile_file *file = &m->from->files.at[row];
	const struct profile_file merged = {
		.path = merged_string(m, file->path),
		.name = merged_string(m, file->name),
		.build_id = merged_string(m, file->build_id),
		.state = file->state,
	};
	u32 known = row && m->files_of_run ? find_file(m, &merged) : 0;

	if (!row || known)
		return known;
	if (m->files_of_run)
		table_insert(m->files_of_run, hash_of_file(&merged), (u32)m->to->files.nr);
	*vec_add(&m->to->files) = merged;
	return (u32)m->to->files.nr - 1;
}

static u32 merge_image(const struct merged_rows *m, u32 row)
{
	struct image image = m->from->images.at[row];

	if (!row)
		return 0;
	image.start_ns += m->shift;
	image.comm = merged_string(m, image.comm);
	image.host = merged_host(m, image.host);
	return profile_image(m->to, &image);
}

static u32 merge_leg(const struct merged_rows *m, u32 row)
{
	struct leg leg = m->from->legs.at[row];

	if (!row)
		return 0;
	leg.start_ns += m->shift;
	leg.image = m->images[leg.image];
	leg.comm = merged_string(m, leg.comm);
	leg.cgroup_path = merged_string(m, leg.cgroup_path);
	leg.host = merged_host(m, leg.host);
	return profile_leg(m->to, &leg);
}

static u32 merge_frame(const struct merged_rows *m, u32 row)
{
	const struct frame *frame = &m->from->frames.at[row];
	u64 address = frame->address;
	u32 origin = frame->origin, merged;

	if (frame->space == SPACE_FILE)
		origin = m->files[origin];
	else if (frame->space == SPACE_IMAGE)
		origin = m->images[origin];
	else if (frame->space == SPACE_NOTE)
		address = m->functions[address];
	else
		origin = merged_host(m, origin);
	merged = profile_frame(m->to, frame->space, origin, address);
	m->to->frames.at[merged].function = m->functions[frame->function];
	m->to->frames.at[merged].source = m->sources[frame->source];
	return merged;
}

/* The rows of `to` that are a stack of this run already. */
struct taken {
	VEC_FIELDS(bool);
};

/* Is now; returns whether it was. */
static bool take_row(struct taken *taken, u32 row)
{
	bool was;

	while (taken->nr <= row)
		vec_add(taken);
	was = taken->at[row];
	taken->at[row] = true;
	return was;
}

/*
 * A stack that was walked late may equal another one of its run: these stay two, since what is
 * known of the waits of one stands for that stack's others only.
 */
static u32 merge_stack(const struct merged_rows *m, u32 row, struct taken *taken)
{
	const struct stack *stack = &m->from->stacks.at[row];
	_cleanup_free_ u32 *frames = xcalloc(stack->nr + 1, sizeof(*frames));
	u32 merged;

	for (u32 i = 0; i < stack->nr; i++)
		frames[i] = m->frames[m->from->stack_frames.at[stack->first + i]];
	merged = profile_stack(m->to, frames, stack->nr, stack->end);
	if (!take_row(taken, merged))
		return merged;
	merged = profile_reserve_stack(m->to);
	profile_fill_stack(m->to, merged, frames, stack->nr, stack->end);
	take_row(taken, merged);
	return merged;
}

static void merge_stacks(struct merged_rows *m)
{
	struct taken taken = {};

	m->stacks = xcalloc(m->from->stacks.nr + 1, sizeof(*m->stacks));
	for (u32 row = 0; row < m->from->stacks.nr; row++)
		m->stacks[row] = merge_stack(m, row, &taken);
	vec_release(&taken);
}

static u32 merge_hop(const struct merged_rows *m, u32 row)
{
	const struct hop *hop = &m->from->hops.at[row];

	if (!row)
		return 0;
	return profile_hop(m->to, &(struct hop){.cause = hop->cause,
						.leg = m->legs[hop->leg],
						.user = m->stacks[hop->user],
						.kernel = m->stacks[hop->kernel]});
}

static u32 merge_chain(const struct merged_rows *m, u32 row)
{
	const struct chain *chain = &m->from->chains.at[row];
	_cleanup_free_ u32 *hops = xcalloc(chain->nr + 1, sizeof(*hops));

	for (u32 i = 0; i < chain->nr; i++)
		hops[i] = m->hops[m->from->chain_hops.at[chain->first + i]];
	return profile_chain(m->to, hops, chain->nr, chain->end);
}

/* The same numbers mean other things on another host. */
static u32 merge_object(const struct merged_rows *m, u32 row)
{
	struct object object = m->from->objects.at[row];

	if (!row)
		return 0;
	object.name = merged_string(m, object.name);
	object.device = merged_string(m, object.device);
	object.of ^= (u64)m->first_host << 56;
	return profile_object(m->to, &object);
}

typedef u32 merge_row(const struct merged_rows *m, u32 row);

/* A row may refer to one before it. */
static void merge_all(const struct merged_rows *m, u32 **rows, size_t nr, merge_row *merge)
{
	*rows = xcalloc(nr + 1, sizeof(**rows));
	for (size_t i = 0; i < nr; i++)
		(*rows)[i] = merge(m, (u32)i);
}

void merged_rows_init(struct merged_rows *m)
{
	const struct profile *from = m->from;

	merge_all(m, &m->functions, from->functions.nr, merge_function);
	merge_all(m, &m->sources, from->sources.nr, merge_source);
	merge_all(m, &m->files, from->files.nr, merge_file);
	merge_all(m, &m->images, from->images.nr, merge_image);
	merge_all(m, &m->legs, from->legs.nr, merge_leg);
	merge_all(m, &m->frames, from->frames.nr, merge_frame);
	merge_stacks(m);
	merge_all(m, &m->hops, from->hops.nr, merge_hop);
	merge_all(m, &m->chains, from->chains.nr, merge_chain);
	merge_all(m, &m->objects, from->objects.nr, merge_object);
}

void merged_rows_release(struct merged_rows *m)
{
	free(m->functions);
	free(m->sources);
	free(m->files);
	free(m->images);
	free(m->legs);
	free(m->frames);
	free(m->stacks);
	free(m->hops);
	free(m->chains);
	free(m->objects);
}

struct sample merged_sample(const struct merged_rows *m, const struct sample *sample)
{
	return (struct sample){
		.kind = sample->kind,
		.state = sample->state,
		.leg = m->legs[sample->leg],
		.user = m->stacks[sample->user],
		.kernel = m->stacks[sample->kernel],
		.chain = m->chains[sample->chain],
	};
}

struct block merged_block(const struct merged_rows *m, const struct block *block)
{
	struct block merged = *block;

	merged.leg = m->legs[block->leg];
	merged.user = m->stacks[block->user];
	merged.kernel = m->stacks[block->kernel];
	merged.chain = m->chains[block->chain];
	merged.before = m->legs[block->before];
	merged.object = m->objects[block->object];
	merged.begin = shifted(m, block->begin);
	merged.woken = shifted(m, block->woken);
	merged.end = shifted(m, block->end);
	return merged;
}
