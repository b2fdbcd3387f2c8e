/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof.c: the format of github.com/google/pprof (proto/profile.proto there), which `go tool
 * pprof`, Pyroscope, Parca, Grafana, Polar Signals and Speedscope read: one gzipped message.
 *
 *	sample		a weighted row: locations leaf first, a value for each unit, labels that
 *			tell whose it is
 *	location	a distinct frame: address, mapping, functions with their lines, those that
 *			are inlined first; a note or a thread's name has only a function
 *	mapping		a file, the kernel, the vdso
 *
 * A place in a file is known by its offset, whatever address processes had it at. So each file is
 * given a range of addresses here, one after the other, from its first byte on: file_offset is 0,
 * and address - memory_start is the offset in the file.
 */
#include "pprof.h"

enum { FLUSH_SIZE = 1 << 15 };

static void pprof_release(struct pprof *p)
{
	strings_release(&p->strings);
	vec_release(&p->mappings);
	table_release(&p->mapping_table);
	vec_release(&p->functions);
	table_release(&p->function_table);
	vec_release(&p->locations);
	table_release(&p->location_table);
	free(p->location);
	strbuf_release(&p->b);
	strbuf_release(&p->inner);
	strbuf_release(&p->line);
}

u32 pprof_text(struct pprof *p, struct string s, const char *suffix)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s.s, s.size);
	strbuf_adds(&safe, suffix);
	return strings_add(&p->strings, safe.s, safe.size);
}

static u32 text(struct pprof *p, const char *s)
{
	return pprof_text(p, (struct string){.s = s, .size = strlen(s)}, "");
}

void pprof_field(struct pprof *p, unsigned int field, struct strbuf *message)
{
	pb_message(&p->b, field, message);
	gzip_add_buffer(p->out, &p->b, FLUSH_SIZE);
}

/* ---- types of values */

static void add_value_type(struct pprof *p, unsigned int field, const char *type, const char *unit)
{
	pb_uint(&p->inner, 1, text(p, type));
	pb_uint(&p->inner, 2, text(p, unit));
	pprof_field(p, field, &p->inner);
}

static const char *type_name(const struct unit *unit)
{
	return unit->time ? "time" : unit->name;
}

static void add_value_types(struct pprof *p)
{
	for (size_t i = 0; i < p->stacks->nr_units; i++) {
		const struct unit *unit = &p->stacks->units[i];

		add_value_type(p, SAMPLE_TYPE, type_name(unit),
			       unit->time    ? "nanoseconds"
			       : unit->bytes ? "bytes"
					     : "count");
	}
	if (p->period_ns) {
		add_value_type(p, SAMPLE_TYPE, "cpu", "nanoseconds");
		add_value_type(p, PERIOD_TYPE, "cpu", "nanoseconds");
		pb_uint(&p->b, PERIOD, p->period_ns);
	}
	pb_uint(&p->b, DEFAULT_SAMPLE_TYPE, text(p, type_name(&p->stacks->units[0])));
}

/* ---- samples */

static void add_label(struct pprof *p, const char *key, struct string value)
{
	if (!value.size)
		return;
	pb_uint(&p->line, 1, text(p, key));
	pb_uint(&p->line, 2, pprof_text(p, value, ""));
	pb_message(&p->inner, 3, &p->line);
}

static void add_number(struct pprof *p, const char *key, u64 value)
{
	pb_uint(&p->line, 1, text(p, key));
	pb_uint(&p->line, 3, value);
	pb_message(&p->inner, 3, &p->line);
}

static void add_leg(struct pprof *p, u32 ref)
{
	static const char *const kinds[WICK_NR_THREAD_KINDS] = {
		[WICK_USER_THREAD] = "user",
		[WICK_KERNEL_THREAD] = "kernel",
		[WICK_IO_WORKER] = "io worker",
		[WICK_IDLE] = "idle",
	};
	const struct profile *profile = p->stacks->profile;
	const struct leg *leg = &profile->legs.at[ref];
	const char *kind = kinds[leg->kind];

	if (!ref)
		return;
	add_label(p, "comm", strings_get(&profile->names, leg->comm));
	add_label(p, "process", strings_get(&profile->names, profile->images.at[leg->image].comm));
	add_number(p, "pid", leg->pid);
	add_number(p, "tid", leg->tid);
	add_label(p, "thread_kind", (struct string){kind, strlen(kind)});
	add_label(p, "cgroup", strings_get(&profile->names, leg->cgroup_path));
}

static void add_locations(struct pprof *p, u32 leaf)
{
	for (u32 node = leaf; node; node = p->stacks->nodes.at[pprof_last_of(p, node)].parent)
		pb_varint(&p->line, p->location[node]);
	pb_message(&p->inner, 1, &p->line);
}

static void add_values(struct pprof *p, const struct weighted_row *row)
{
	for (size_t i = 0; i < p->stacks->nr_units; i++)
		pb_varint(&p->line, row->value[i]);
	if (p->period_ns)
		pb_varint(&p->line, row->value[0] * p->period_ns);
	pb_message(&p->inner, 2, &p->line);
}

static bool has_value(const struct pprof *p, const struct weighted_row *row)
{
	for (size_t i = 0; i < p->stacks->nr_units; i++)
		if (row->value[i])
			return true;
	return false;
}

static void add_sample(struct pprof *p, const struct weighted_row *row)
{
	char state[] = {row->state, 0};

	add_locations(p, row->node);
	add_values(p, row);
	if (row->leg)
		add_leg(p, row->leg);
	add_label(p, "state", (struct string){state, strlen(state)});
	add_label(p, "waker", strings_get(p->stacks->names, row->waker));
	pprof_field(p, SAMPLE, &p->inner);
}

/* ---- the run */

static void add_comment(struct pprof *p, const char *comment)
{
	if (comment && *comment) {
		u32 line = text(p, comment);

		pb_tag(&p->b, COMMENT, PB_VARINT);
		pb_varint(&p->b, line);
	}
}

static void add_run(struct pprof *p)
{
	const struct profile *profile = p->stacks->profile;

	add_comment(p, p->caption->title);
	add_comment(p, p->caption->subtitle);
	if (!profile)
		return;
	pb_uint(&p->b, TIME_NANOS, profile->wall_start_ns);
	pb_uint(&p->b, DURATION_NANOS, profile->end - profile->begin);
}

static void add_strings(struct pprof *p)
{
	vec_for_each (&p->strings, s) {
		pb_bytes(&p->b, STRING_TABLE, s->s, s->size);
		gzip_add_buffer(p->out, &p->b, FLUSH_SIZE);
	}
}

static void write_all(struct pprof *p)
{
	add_value_types(p);
	add_run(p);
	pprof_add_places(p);
	vec_for_each (&p->stacks->rows, row)
		if (has_value(p, row))
			add_sample(p, row);
	add_strings(p);
	gzip_add_buffer(p->out, &p->b, 0);
}

/* Values are int64 there. */
static int check_sums(const struct weighted_stacks *stacks, struct error *error)
{
	if (stacks->units[0].decimals)
		return fail(error, -EINVAL,
			    "pprof has whole numbers only, and there are fractions of '%s': write "
			    "folded text",
			    stacks->units[0].name);
	for (size_t i = 0; i < stacks->nr_units; i++)
		if (stacks->sum[i] > INT64_MAX)
			return fail(error, -EOVERFLOW,
				    "pprof has no room for a sum above 2^63 - 1, and that of "
				    "'%s' is: write folded text",
				    stacks->units[i].name);
	return 0;
}

/* Not where the time of all samples would have no room. */
static u64 period_of(const struct weighted_stacks *stacks)
{
	u64 period_ns = stacks->frequency ? NSEC_PER_SEC / stacks->frequency : 0;

	return period_ns && stacks->sum[0] <= INT64_MAX / period_ns ? period_ns : 0;
}

static int write_pprof(const struct weighted_stacks *stacks, const struct caption *caption,
		       FILE *out, struct error *error)
{
	_cleanup_(pprof_release) struct pprof p = {.stacks = stacks, .caption = caption};
	int err = check_sums(stacks, error);

	if (err)
		return err;
	strings_init(&p.strings);
	p.out = gzip_new(out);
	p.period_ns = period_of(stacks);
	write_all(&p);
	gzip_finish(p.out);
	return 0;
}

const struct format pprof_format = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.summary = "for go tool pprof and what reads its profiles",
	.write_stacks = write_pprof,
};
