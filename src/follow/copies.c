/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "copies.h"

#include <time.h>

#include "blocked_pythons.h"
#include "java_rules.h"
#include "python.h"
#include "unwinder.h"

enum {
	RETRY_NS = 2 * 1000 * 1000,
	RETRY_ALWAYS_NS = 50 * 1000 * 1000, /* what was evicted comes back when it is asked for */
	/* Where there are many more tables than there is room for, some may never come. */
	PATIENCE_NS = 4ull * 1000 * 1000 * 1000,
	PYTHON_NS = 1000 * 1000 * 1000, /* that Python's frames may take after the tables */
};

/* What a walk waits for. */
enum patience { FOR_ALL, FOR_PYTHON, FOR_NOTHING };

struct waiting {
	struct wick_copy_body *copy; /* owned, followed by the stack */
	struct mappings *mappings;   /* a reference */
	u32 image, row;
	u32 python; /* its number in blocked_pythons.h, once it has been walked; 0: it has none */
	u64 since;
	struct unwind_walked *walked; /* owned: as far as it came; NULL, or no frames: not begun */
};

struct copies {
	VEC_FIELDS(struct waiting);
	u64 bytes, max_bytes; /* of those that wait */
	u64 nr_copies, nr_python;
	u64 nr_changes, retried_ns; /* in files, at the last retry; when that was */
	struct profile *profile;
	struct files *files;
	struct processes *processes;
	struct blocked_pythons *pythons;
	struct wanted_sink wanted;
	bool rows;
	struct unwind_walked walked; /* of the sample at hand */
};

struct copies *copies_new(struct profile *profile, struct files *files, struct processes *processes,
			  struct wanted_sink wanted, bool rows, u64 max_bytes)
{
	struct copies *w = xcalloc(1, sizeof(*w));

	w->profile = profile;
	w->files = files;
	w->processes = processes;
	w->pythons = blocked_pythons_new(files);
	w->wanted = wanted;
	w->rows = rows;
	w->max_bytes = max_bytes;
	return w;
}

static size_t size_of(const struct wick_copy_body *copy)
{
	return sizeof(*copy) + copy->body.nr;
}

static void waiting_release(struct waiting *s)
{
	free(s->copy);
	free(s->walked);
	mappings_put(s->mappings);
}

void copies_free(struct copies *w)
{
	if (!w)
		return;
	vec_for_each (w, sample)
		waiting_release(sample);
	vec_release(w);
	blocked_pythons_free(w->pythons);
	free(w);
}

/* What the unwinder asks of an address. */
struct finder {
	const struct copies *w;
	struct mappings *mappings;
	const struct unwind_stack *stack;
	u32 pid;
	bool pending;			  /* code that was asked for is not there yet */
	const struct wick_python *python; /* whose evaluator was met; NULL: none was */
	u64 base;			  /* where the interpreter lies */
};

/* 0: no file, nor the vdso. */
static file_ref token_of(const struct finder *f, const struct mapping *mapping)
{
	if (mapping->kind == MAPPING_FILE)
		return files_bound(f->w->files, FILES_OF_FILES, mapping->file);
	return mapping->kind == MAPPING_VDSO ? files_vdso(f->w->files) : 0;
}

static bool find_code(void *ctx, u64 address, struct unwind_code *code)
{
	struct finder *f = ctx;
	const struct mapping *mapping = mappings_find(f->mappings, address);
	bool pending = false;
	file_ref token;

	if (!mapping)
		return false;
	*code = (struct unwind_code){
		.executable = true,
		.of_file = f->w->rows && mapping->kind != MAPPING_CODE,
		.offset = address - mapping->start + mapping->offset,
	};
	token = token_of(f, mapping);
	if (token && f->w->rows)
		code->table = files_unwind_table(f->w->files, token, &pending);
	code->missing = pending;
	return true;
}

static bool find_rule(void *ctx, const struct wick_unwind_regs *regs, u32 *rule)
{
	struct finder *f = ctx;
	const struct mapping *mapping = mappings_find(f->mappings, wick_unwind_address(regs));

	*rule = WICK_JAVA_BY_FP;
	if (!f->w->rows || !mapping || mapping->kind != MAPPING_CODE)
		return true;
	return processes_java_rule(f->w->processes, f->pid, f->mappings, f->stack, regs, rule);
}

static bool read_code(void *ctx, u64 address, void *to, size_t size)
{
	struct finder *f = ctx;
	const struct mapping *mapping = mappings_find(f->mappings, address);
	file_ref token = mapping ? token_of(f, mapping) : 0;

	return token && files_read(f->w->files, token, address - mapping->start + mapping->offset,
				   to, size, &f->pending);
}

static struct wick_unwind_regs leaf_of(const struct wick_copy_body *copy)
{
	struct wick_unwind_regs regs = {
		.ip = copy->regs[WICK_REG_IP],
		.known = WICK_ALL_REGS,
		.exact = 1,
	};

	memcpy(regs.reg, copy->regs, sizeof(regs.reg));
	return regs;
}

/* Has the walk met Python's evaluator? It may have come by in an earlier part of the walk. */
static void find_python(struct finder *f, const struct unwind_walked *walked)
{
	for (u32 i = 0; i < walked->nr && !f->python; i++) {
		u64 address = walked->frames[i] - 1;
		const struct wick_python *python;
		struct unwind_code code;

		if (!find_code(f, address, &code) || !code.table)
			continue;
		python = unwind_table_python(code.table);
		if (!python || code.offset < python->eval_begin || code.offset >= python->eval_end)
			continue;
		f->python = python;
		f->base = address - code.offset;
	}
}

/* What the thread's stack is known again by: from its pointer to the first hole. */
static struct files_python_thread thread_of(const struct wick_copy_body *copy)
{
	u64 skipped = copy->regs[WICK_REG_SP] - copy->base, end = copy->body.nr;

	if (copy->holes)
		end = min(end, (u64)__builtin_ctzll(copy->holes) * WICK_COPY_PAGE);
	skipped = min((skipped + 7) & ~7ull, end);
	end -= skipped;
	return (struct files_python_thread){
		.self = copy->python,
		.stack = copy->base + skipped,
		.size = end,
		.hash = files_python_hash((const char *)(copy + 1) + skipped, end),
	};
}

/* Has the Python frames of a blocked thread be read; false: they are not to be had. */
static bool want_python(struct copies *w, struct waiting *s, const struct finder *finder)
{
	if (!finder->python || !s->copy->python)
		return false;
	s->python = blocked_pythons_add(
		w->pythons, &(struct blocked_python){
				    .code = processes_code(w->processes, s->copy->tgid, s->image),
				    .python = *finder->python,
				    .base = finder->base,
				    .thread = thread_of(s->copy),
			    });
	return s->python;
}

static void fill(struct copies *w, const struct waiting *s, const struct blocked_stack *python)
{
	const struct walked_stack stack = {
		.mappings = s->mappings,
		.pid = s->copy->tgid,
		.image = s->image,
		.in_exec = s->copy->in_exec,
		.walked = &w->walked,
		.python = python,
	};

	processes_walked_stack(w->processes, &stack, s->row);
}

/* False while the Python frames of a stack that has been walked are not there. */
static bool join_python(struct copies *w, const struct waiting *s, enum patience patience)
{
	struct blocked_stack python = {};

	w->walked = *s->walked;
	if (!blocked_pythons_find(w->pythons, s->python, processes_python_codes(w->processes),
				  &python) &&
	    patience < FOR_NOTHING)
		return false;
	w->nr_python += !python.nr;
	fill(w, s, &python);
	return true;
}

/*
 * False when a table or code is missing that is being made or read, and there is time to wait for
 * it. w->walked has how far it has come: where code is missing, that is where it began now.
 */
static bool walk(struct copies *w, struct waiting *s, enum patience patience)
{
	const struct wick_copy_body *copy = s->copy;
	struct finder finder = {.w = w, .mappings = s->mappings, .pid = copy->tgid};
	struct unwind_stack stack = {
		.bytes = copy + 1,
		.base = copy->base,
		.size = copy->body.nr,
		.holes = copy->holes,
		.page = WICK_COPY_PAGE,
		.find = find_code,
		.read_code = read_code,
		.find_rule = find_rule,
		.ctx = &finder,
	};
	struct wick_unwind_regs leaf = leaf_of(copy);

	if (s->python)
		return join_python(w, s, patience);
	finder.stack = &stack;
	if (s->walked && s->walked->nr) {
		w->walked = *s->walked;
		unwind_walk_on(&stack, &w->walked);
	} else {
		unwind_walk(&stack, &leaf, &w->walked);
	}
	if (patience > FOR_ALL || (!w->walked.missing && !finder.pending)) {
		find_python(&finder, &w->walked);
		if (patience < FOR_NOTHING && want_python(w, s, &finder))
			return false;
		w->nr_python += finder.python != NULL;
		fill(w, s, NULL);
		return true;
	}
	if (finder.pending && s->walked)
		w->walked = *s->walked;
	else if (finder.pending)
		w->walked.nr = 0;
	return false;
}

void copies_add(struct copies *w, const struct walk_copy *c)
{
	size_t size = size_of(c->copy);
	struct waiting now = {
		.copy = (struct wick_copy_body *)c->copy,
		.mappings = c->mappings,
		.image = c->image,
		.row = c->row,
	};

	w->nr_copies++;
	if (c->copy->stopped_at && w->wanted.want)
		w->wanted.want(w->wanted.ctx, c->copy,
			       mappings_find(c->mappings, c->copy->stopped_at));
	if (walk(w, &now, w->bytes + size > w->max_bytes ? FOR_NOTHING : FOR_ALL)) {
		mappings_put(c->mappings);
		return;
	}
	now.copy = xmemdup(c->copy, size);
	now.walked = xmemdup(&w->walked, sizeof(w->walked));
	now.since = monotonic_ns();
	*vec_add(w) = now;
	w->bytes += size + sizeof(*now.walked);
}

static void retry(struct copies *w, enum patience patience)
{
	u64 now = monotonic_ns();
	size_t nr = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct waiting *s = &w->at[i];
		bool is_late = patience == FOR_ALL && now - s->since > PATIENCE_NS;

		if (!walk(w, s, is_late ? FOR_PYTHON : patience)) {
			*s->walked = w->walked;
			w->at[nr++] = *s;
			continue;
		}
		w->bytes -= size_of(s->copy) + sizeof(*s->walked);
		waiting_release(s);
	}
	w->nr = nr;
}

void copies_retry(struct copies *w)
{
	u64 nr_changes = files_tables(w->files).nr_changes, now = monotonic_ns();

	blocked_pythons_ask(w->pythons);
	if (!w->nr || (nr_changes == w->nr_changes && now - w->retried_ns < RETRY_ALWAYS_NS))
		return;
	w->nr_changes = nr_changes;
	w->retried_ns = now;
	retry(w, FOR_ALL);
}

static void pause_a_little(void)
{
	const struct timespec pause = {.tv_nsec = RETRY_NS};

	nanosleep(&pause, NULL);
}

/* On a host without a free CPU, the tables may have taken all the time there was. */
static void wait_for_python(struct copies *w)
{
	u64 deadline_ns = monotonic_ns() + PYTHON_NS;

	for (retry(w, FOR_PYTHON); w->nr && monotonic_ns() < deadline_ns; retry(w, FOR_PYTHON)) {
		blocked_pythons_ask(w->pythons);
		pause_a_little();
	}
}

void copies_finish(struct copies *w, u64 deadline_ns)
{
	files_hurry(w->files);
	for (copies_retry(w); w->nr && monotonic_ns() < deadline_ns; copies_retry(w)) {
		files_trim_tables(w->files);
		pause_a_little();
	}
	wait_for_python(w);
	retry(w, FOR_NOTHING);
}

u64 copies_nr_python(const struct copies *w)
{
	return w->nr_python;
}

u64 copies_nr(const struct copies *w)
{
	return w->nr_copies;
}
