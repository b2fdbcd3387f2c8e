/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_fixture.h: a run that is recorded in slices, and a profile as text, to compare two. */
#ifndef WICK_RECORDING_FIXTURE_H
#define WICK_RECORDING_FIXTURE_H

#include <sys/mman.h>

#include "recording.h"
#include "view_fixture.h"

static inline void count(struct fixture *f, enum wick_kind kind, u32 state, u32 leg, u32 chain,
			 u64 a, u64 b, u64 c)
{
	const struct sample sample = {.kind = kind,
				      .state = state,
				      .leg = leg,
				      .user = f->user,
				      .kernel = f->kernel,
				      .chain = chain,
				      .column = {a, b, c}};

	profile_count(&f->p, &sample);
}

static inline u32 chain_by(struct fixture *f, u32 leg)
{
	u32 hops[] = {
		profile_hop(&f->p, &(struct hop){.leg = leg, .user = f->user, .kernel = f->kernel}),
		profile_hop(&f->p, &(struct hop){.cause = WICK_BY_INTERRUPT, .kernel = f->kernel})};

	return profile_chain(&f->p, hops, 2, WICK_CHAIN_INTERRUPT);
}

/* What is known at once. */
static inline void begin_run(struct fixture *f)
{
	fixture_init(f);
	f->p.slice.wanted = true;
	f->p.needs = NEED_CPU | NEED_SCHED | NEED_BRK;
	f->p.host = strings_adds(&f->p.names, "a host");
	f->p.wall_start_ns = 1700000000ull * NSEC_PER_SEC;
	f->p.frequency = 99;
	f->p.nr_cpus = 2;
}

static inline void first_slice(struct fixture *f)
{
	count(f, WICK_CPU, 0, f->sleeper, 0, 5, 0, 0);
	count(f, WICK_SCHED, 'S', f->waker, chain_by(f, f->sleeper), 2, 700, 500);
	f->p.memory[MEMORY_BRK].mapped = 4096;
}

static inline void second_slice(struct fixture *f)
{
	u32 late = profile_reserve_stack(&f->p), file = profile_file(&f->p, "/usr/lib/libx.so.1");

	profile_fill_stack(&f->p, late, (u32[]){profile_frame(&f->p, SPACE_FILE, file, 0x1234)}, 1,
			   WICK_TRUNCATED);
	f->user = late;
	count(f, WICK_CPU, 0, f->other, 0, 1, 0, 0);
	count(f, WICK_CPU, 0, f->sleeper, 0, 3, 0, 0);
	f->user = 1;
	count(f, WICK_SCHED, 'S', f->waker, 1, 1, 100, 100);
	count(f, WICK_BRK, 0, f->other, 0, 1, 4096, 0);
	f->p.memory[MEMORY_BRK].mapped += 4096;
}

static inline void end_of_run(struct fixture *f)
{
	struct profile *p = &f->p;

	p->samples.at[p->samples.nr - 1].column[HELD_COLUMN] = 4096;
	p->memory[MEMORY_BRK].held = 4096;
	profile_thread(p, &(struct thread_time){.leg = f->sleeper,
						.begin = p->begin,
						.end = p->end,
						.running = 6000,
						.ran = 6000});
	profile_cpu(p, 1)->running = 6000;
	profile_cpu(p, 1)->idle = 70;
	profile_loss(p, "samples whose key found no room", "[lost keys]", WICK_CPU, 0, 2);
	profile_loss(p, "switches that were not seen", NULL, WICK_SCHED, 0, 1);
	profile_block(p, &(struct block){
				 .leg = f->waker,
				 .object = profile_object(
					 p, &(struct object){.kind = WICK_OBJECT_SOCKET,
							     .name = strings_adds(&p->names, "a:1"),
							     .id = 5,
							     .of = 6,
							     .here = 7,
							     .there = 8}),
				 .object_kind = WICK_OBJECT_CONNECTED,
				 .holder = 9,
				 .user = f->user,
				 .state = 'S',
				 .begin = p->begin + 5,
				 .woken = p->end - 9,
				 .end = p->end,
				 .ran = 3,
				 .counted_block = 1,
				 .counted_wait = 20});
	p->expected = 9;
	p->cost.bodies = 12;
	p->cost.blocks.thresholds[3] = (struct walk_threshold){.above_ns = 8000, .ruled_ns = 5};
	snprintf(vec_add(&p->cost.programs)->name, sizeof(p->cost.programs.at[0].name), "wick_cpu");
}

/* As symbolize() would. */
static inline void name_frames(struct fixture *f)
{
	struct profile *p = &f->p;
	u32 function = profile_function(p, "named late", 10, "libx.so.1", FRAME_USER, true);

	struct source_line own = {
		.function = function, .path = strings_adds(&p->names, "x.c"), .line = 30};
	struct source_line inlined = {
		.function = profile_function(p, "inlined", 7, "libx.so.1", FRAME_INLINED, true),
		.path = own.path,
		.line = 7,
		.outer = profile_source(p, &own)};

	vec_for_each (&p->frames, frame) {
		if (frame->space != SPACE_FILE)
			continue;
		frame->function = function;
		frame->source = profile_source(p, &inlined);
	}
	p->files.at[1].build_id = strings_adds(&p->names, "abcd");
	p->files.at[1].state = FILES_OK;
	p->naming = (struct naming_result){.resolved = 1, .kernel = "bpf"};
}

/* The whole run, and its recording. */
static inline void record_run(struct fixture *f, struct strbuf *bytes)
{
	struct recording_writer *w = recording_writer_new();

	begin_run(f);
	recording_put_header(bytes);
	first_slice(f);
	recording_put_slice(w, &f->p, f->p.begin + NSEC_PER_SEC, bytes);
	second_slice(f);
	recording_put_slice(w, &f->p, f->p.begin + 2 * NSEC_PER_SEC, bytes);
	end_of_run(f);
	recording_put_slice(w, &f->p, f->p.end, bytes);
	name_frames(f);
	recording_put_names(w, &f->p, bytes);
	recording_put_end(w, &f->p, bytes);
	recording_writer_free(w);
}

static inline int read_range(const void *bytes, size_t size, const struct recording_range *range,
			     struct profile *p, struct recording *r, struct error *error)
{
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);

	assert(fd >= 0 && !write_whole(fd, bytes, size));
	profile_init(p);
	return recording_read(fd, range, p, r, error);
}

static inline int read_bytes(const void *bytes, size_t size, struct profile *p, struct recording *r,
			     struct error *error)
{
	return read_range(bytes, size, NULL, p, r, error);
}

static inline void release_read(struct profile *p, struct recording *r)
{
	profile_release(p);
	recording_release(r);
}

/* ---- a profile as text */

static inline void dump_stack(struct strbuf *to, const struct profile *p, u32 ref)
{
	const struct stack *stack = &p->stacks.at[ref];

	for (u32 i = 0; i < stack->nr; i++) {
		const struct frame *frame = &p->frames.at[p->stack_frames.at[stack->first + i]];
		const struct tree_frame *shown = &p->functions.at[frame->function].shown;

		strbuf_addf(to, " %s/%s.%u(%u:%u:%llx)", strings_get(&p->names, shown->name).s,
			    strings_get(&p->names, shown->module).s, shown->kind, frame->space,
			    frame->origin, (unsigned long long)frame->address);
		for (u32 at = frame->source; at; at = p->sources.at[at].outer) {
			const struct source_line *line = &p->sources.at[at];
			u32 name = p->functions.at[line->function].shown.name;

			strbuf_addf(to, " at %s %s:%u", strings_get(&p->names, name).s,
				    strings_get(&p->names, line->path).s, line->line);
		}
	}
	strbuf_addf(to, " end %u", stack->end);
}

static inline void dump_leg(struct strbuf *to, const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];

	strbuf_addf(to, " %s %u/%u@%llu image %u", strings_get(&p->names, leg->comm).s, leg->pid,
		    leg->tid, (unsigned long long)leg->start_ns, p->images.at[leg->image].pid);
}

static inline void dump_numbers(struct strbuf *to, const u64 *at, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(to, " %llu", (unsigned long long)at[i]);
	strbuf_addc(to, '\n');
}

static inline void dump_sample(struct strbuf *to, const struct profile *p, const struct sample *s)
{
	const struct chain *chain = &p->chains.at[s->chain];

	strbuf_addf(to, "sample %u %u", s->kind, s->state);
	dump_leg(to, p, s->leg);
	dump_stack(to, p, s->user);
	dump_stack(to, p, s->kernel);
	for (u32 i = 0; i < chain->nr; i++) {
		const struct hop *hop = &p->hops.at[p->chain_hops.at[chain->first + i]];

		strbuf_addf(to, " hop %u", hop->cause);
		dump_leg(to, p, hop->leg);
		dump_stack(to, p, hop->kernel);
	}
	strbuf_addf(to, " chain end %u", chain->end);
	dump_numbers(to, s->column, MAX_COLUMNS);
}

static inline void dump_run(struct strbuf *to, const struct profile *p)
{
	strbuf_addf(to, "run %s needs %x end %d", strings_get(&p->names, p->host).s, p->needs,
		    p->naming.kernel_error);
	dump_numbers(to,
		     (u64[]){p->wall_start_ns, p->begin, p->end, p->frequency, p->expected,
			     p->nr_cpus, p->cost.bodies, p->cost.programs.nr,
			     p->cost.blocks.thresholds[3].above_ns, p->naming.resolved},
		     10);
	dump_numbers(to, &p->memory[0].mapped, sizeof(p->memory) / (sizeof(u64)));
}

static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(((const struct strbuf *)a)->s, ((const struct strbuf *)b)->s);
}

/* A file has samples in an order of its own. */
static inline void dump_samples(struct strbuf *to, const struct profile *p)
{
	VEC(struct strbuf) texts = {};

	vec_for_each (&p->samples, sample)
		dump_sample(vec_add(&texts), p, sample);
	vec_sort(&texts, compare_texts);
	vec_for_each (&texts, text) {
		strbuf_adds(to, text->s);
		strbuf_release(text);
	}
	vec_release(&texts);
}

static inline char *dump(const struct profile *p)
{
	struct strbuf to = {};

	dump_run(&to, p);
	dump_samples(&to, p);
	vec_for_each (&p->files, file)
		strbuf_addf(&to, "file %s %s %u\n", strings_get(&p->names, file->path).s,
			    strings_get(&p->names, file->build_id).s, file->state);
	vec_for_each (&p->losses, loss)
		strbuf_addf(&to, "loss %s %s %u %llu\n", loss->cause, loss->note ? loss->note : "-",
			    loss->kind, (unsigned long long)loss->value);
	vec_for_each (&p->threads, thread)
		dump_numbers(&to, &thread->begin, 8);
	vec_for_each (&p->cpus, cpu)
		dump_numbers(&to, &cpu->running, 2);
	vec_for_each (&p->blocks, block) {
		const struct object *object = &p->objects.at[block->object];

		dump_numbers(&to, &block->begin, 6);
		dump_numbers(&to, (u64[]){block->more, block->between, block->ran_between}, 3);
		strbuf_addf(&to, "for %u %u %u %s ", block->object_kind, block->holder,
			    object->kind, strings_get(&p->names, object->name).s);
		dump_numbers(&to, &object->id, 4);
	}
	return strbuf_detach(&to);
}

#endif
