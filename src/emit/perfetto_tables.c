/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_tables.c: the packets of Perfetto's format, and what events refer to: tracks, strings,
 * functions and stacks.
 */
#include "perfetto.h"

#include "profile.h"
#include "base/strbuf.h"

static const char *const categories[] = {
	[BLOCKED] = "blocked", [RUNQUEUE] = "runqueue", [WAKEUP] = "wakeup"};
static const char *const arguments[] = {
	[ARGUMENT_STATE] = "state", [ARGUMENT_WAKER] = "ended by", [ARGUMENT_WOKEN] = "of"};
static const char *const names[] = {[NAME_RUNQUEUE] = "runqueue",
				    [NAME_PREEMPTED] = "preempted",
				    [NAME_WAKES] = "wakes",
				    [NAME_BLOCKED] = "blocked"};

void perfetto_flush(struct perfetto *p, size_t at_least)
{
	if (p->b.size && p->b.size >= at_least)
		fwrite(p->b.s, 1, p->b.size, p->out);
	if (p->b.size >= at_least)
		strbuf_clear(&p->b);
}

void perfetto_end_packet(struct perfetto *p)
{
	pb_uint(&p->packet, SEQUENCE_ID, SEQUENCE);
	pb_message(&p->b, PACKET, &p->packet);
	perfetto_flush(p, PERFETTO_FLUSH_SIZE);
}

/* Strings are UTF-8 there. */
void perfetto_text(struct strbuf *to, unsigned int field, struct string s, const char *suffix)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s.s, s.size);
	strbuf_adds(&safe, suffix);
	pb_bytes(to, field, safe.s, safe.size);
}

static void add_text(struct strbuf *to, unsigned int field, const char *text)
{
	perfetto_text(to, field, (struct string){text, strlen(text)}, "");
}

/* ---- tracks */

/* Of processes and of threads are different ones. */
static u64 process_track(u32 pid)
{
	return 1ull << 40 | pid;
}

static void end_track(struct perfetto *p)
{
	pb_message(&p->packet, TRACK_DESCRIPTOR, &p->inner);
	perfetto_end_packet(p);
}

static void add_process(struct perfetto *p, const struct leg *leg)
{
	const struct profile *profile = p->stacks->profile;
	u64 hash = hash_u64(leg->pid);
	struct table_probe probe = table_probe(&p->processes, hash);

	while (table_next(&probe))
		if (probe.ref == leg->pid)
			return;
	table_insert(&p->processes, hash, leg->pid);
	pb_uint(&p->inner, 1, process_track(leg->pid));
	pb_uint(&p->line, 1, leg->pid);
	perfetto_text(&p->line, 6,
		      strings_get(&profile->names, profile->images.at[leg->image].comm), "");
	pb_message(&p->inner, 3, &p->line);
	end_track(p);
}

void perfetto_add_thread(struct perfetto *p, size_t thread)
{
	const struct leg *leg = threads_leg(&p->threads, p->threads.legs.at[thread]);

	add_process(p, leg);
	pb_uint(&p->inner, 1, thread_track(thread));
	pb_uint(&p->inner, 5, process_track(leg->pid));
	pb_uint(&p->line, 1, leg->pid);
	pb_uint(&p->line, 2, leg->tid);
	perfetto_text(&p->line, 5, strings_get(&p->stacks->profile->names, leg->comm), "");
	pb_message(&p->inner, 4, &p->line);
	end_track(p);
}

/* ---- what is interned; ids are indexes + 1 */

static void end_interned(struct perfetto *p)
{
	pb_message(&p->packet, INTERNED_DATA, &p->inner);
	perfetto_end_packet(p);
}

static void end_row(struct perfetto *p, enum interned_field table)
{
	pb_message(&p->inner, table, &p->line);
	if (p->inner.size >= PERFETTO_FLUSH_SIZE)
		end_interned(p);
}

static void add_constants(struct perfetto *p, enum interned_field table, const char *const *texts,
			  size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		pb_uint(&p->line, 1, i);
		add_text(&p->line, 2, texts[i]);
		end_row(p, table);
	}
}

static void add_module(struct perfetto *p, u32 module, bool *is_known)
{
	if (is_known[module])
		return;
	is_known[module] = true;
	pb_uint(&p->line, 1, module + 1ull);
	perfetto_text(&p->line, 2, strings_get(p->stacks->names, module), "");
	end_row(p, MAPPING_PATHS);
	pb_uint(&p->line, 1, module + 1ull);
	pb_uint(&p->line, 7, module + 1ull);
	end_row(p, MAPPINGS);
}

static void add_function(struct perfetto *p, size_t i)
{
	const struct shown_function *function = &p->functions.at[i];
	const char *suffix = p->caption->annotate ? frame_suffixes[function->kind] : "";
	struct string name = strings_get(p->stacks->names, function->name);

	pb_uint(&p->line, 1, i + 1);
	perfetto_text(&p->line, 2, name, suffix);
	end_row(p, FUNCTION_NAMES);
	pb_uint(&p->line, 1, NR_NAMES + i);
	perfetto_text(&p->line, 2, name, "");
	end_row(p, EVENT_NAMES);
	pb_uint(&p->line, 1, i + 1);
	pb_uint(&p->line, 2, i + 1);
	pb_uint(&p->line, 3, function->module + 1ull);
	end_row(p, FRAMES);
}

/* Root first. */
static void add_frames(struct perfetto *p, u32 node)
{
	p->path.nr = 0;
	for (; node; node = p->stacks->nodes.at[node].parent)
		*vec_add(&p->path) = (u32)function_at(p, node);
	for (size_t i = p->path.nr; i-- > 0;)
		pb_uint(&p->line, 2, p->path.at[i] + 1ull);
}

static void add_callstacks(struct perfetto *p)
{
	_cleanup_free_ bool *is_known = xcalloc(p->stacks->nodes.nr, sizeof(*is_known));

	vec_for_each (&p->stacks->blocks, block) {
		if (!block->node || is_known[block->node])
			continue;
		is_known[block->node] = true;
		pb_uint(&p->line, 1, block->node);
		add_frames(p, block->node);
		end_row(p, CALLSTACKS);
	}
}

void perfetto_add_interned(struct perfetto *p)
{
	_cleanup_free_ bool *is_known = xcalloc(p->stacks->names->nr, sizeof(*is_known));

	add_constants(p, CATEGORIES, categories, ARRAY_SIZE(categories));
	add_constants(p, EVENT_NAMES, names, ARRAY_SIZE(names));
	add_constants(p, ARGUMENT_NAMES, arguments, ARRAY_SIZE(arguments));
	for (size_t i = 0; i < p->functions.nr; i++)
		add_module(p, p->functions.at[i].module, is_known);
	for (size_t i = 0; i < p->functions.nr; i++)
		add_function(p, i);
	add_callstacks(p);
	end_interned(p);
}
