/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof.c: the format of github.com/google/pprof (proto/profile.proto there), which `go tool
 * pprof`, Pyroscope, Parca, Grafana, Polar Signals and Speedscope read: one gzipped message.
 *
 *	sample		a weighted row: locations leaf first, a value for each unit, labels that
 *			tell whose it is
 *	location	a distinct frame: address, mapping, function; a note or a thread's name has
 *			only the function
 *	mapping		a file, the kernel, the vdso
 *
 * A place in a file is known by its offset, whatever address processes had it at. So each file is
 * given a range of addresses here, one after the other, from its first byte on: file_offset is 0,
 * and address - memory_start is the offset in the file.
 */
#include "emit.h"
#include "gzip.h"
#include "profile.h"
#include "protobuf.h"

enum { PAGE = 4096, FLUSH_SIZE = 1 << 15 };

/* Below what pprof takes for a kernel's. */
static const u64 FIRST_ADDRESS = 1ull << 32;

enum profile_field {
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	TIME_NANOS = 9,
	DURATION_NANOS,
	PERIOD_TYPE,
	PERIOD,
	COMMENT,
	DEFAULT_SAMPLE_TYPE,
};

/* What the frames of one origin are in. */
struct mapping {
	enum frame_space space;
	u32 origin;
	u64 low, high; /* as places count: offsets in a file */
	u64 moved;     /* by so much their addresses here are higher */
};

struct pprof {
	const struct weighted_stacks *stacks;
	const struct caption *caption;
	struct gzip *out;
	struct strings strings; /* as they are written; a reference is the index in the table */
	VEC(struct mapping) mappings; /* ids are indexes + 1 */
	struct table mapping_table;
	VEC(u32) functions; /* references of their names; ids are indexes + 1 */
	struct table function_table;
	u64 period_ns;		      /* of a sample of a CPU; 0: they are none */
	struct strbuf b, inner, line; /* a message, one inside of it, and of that */
};

static void pprof_release(struct pprof *p)
{
	strings_release(&p->strings);
	vec_release(&p->mappings);
	table_release(&p->mapping_table);
	vec_release(&p->functions);
	table_release(&p->function_table);
	strbuf_release(&p->b);
	strbuf_release(&p->inner);
	strbuf_release(&p->line);
}

/* The one way into the table of strings, which are UTF-8. */
static u32 escape(struct pprof *p, struct string s, const char *suffix)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s.s, s.size);
	strbuf_adds(&safe, suffix);
	return strings_add(&p->strings, safe.s, safe.size);
}

static u32 text(struct pprof *p, const char *s)
{
	return escape(p, (struct string){.s = s, .size = strlen(s)}, "");
}

static void end_field(struct pprof *p, unsigned int field, struct strbuf *message)
{
	pb_message(&p->b, field, message);
	gzip_add_buffer(p->out, &p->b, FLUSH_SIZE);
}

/* ---- types of values */

static void add_value_type(struct pprof *p, unsigned int field, const char *type, const char *unit)
{
	pb_uint(&p->inner, 1, text(p, type));
	pb_uint(&p->inner, 2, text(p, unit));
	end_field(p, field, &p->inner);
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

/* ---- mappings, locations, functions */

/* The place of a frame; NULL: it has none that is an address. */
static const struct frame *place_of(const struct pprof *p, const struct tree_frame *frame)
{
	const struct frame *place;

	if (!frame->place)
		return NULL;
	place = &p->stacks->profile->frames.at[frame->place - 1];
	return place->space == SPACE_NOTE ? NULL : place;
}

/* The id of the mapping that it is in, made if need be. */
static u32 mapping_of(struct pprof *p, const struct frame *place)
{
	u64 hash = hash_u64((u64)place->space << 32 | place->origin);
	struct table_probe probe = table_probe(&p->mapping_table, hash);

	while (table_next(&probe)) {
		const struct mapping *m = &p->mappings.at[probe.ref];

		if (m->space == place->space && m->origin == place->origin)
			return probe.ref + 1;
	}
	table_insert(&p->mapping_table, hash, (u32)p->mappings.nr);
	*vec_add(&p->mappings) = (struct mapping){
		.space = place->space,
		.origin = place->origin,
		.low = place->address,
	};
	return (u32)p->mappings.nr;
}

/* What an image has without a file is in no mapping. */
static bool is_mapped(const struct frame *place)
{
	return place && place->space != SPACE_IMAGE;
}

static void find_mappings(struct pprof *p)
{
	vec_for_each (&p->stacks->frames, frame) {
		const struct frame *place = place_of(p, frame);
		struct mapping *m;
		u32 id;

		if (!is_mapped(place))
			continue;
		id = mapping_of(p, place);
		m = &p->mappings.at[id - 1];
		m->low = min(m->low, place->address);
		m->high = max(m->high, place->address);
	}
}

static u64 page_of(u64 address)
{
	return address & ~(u64)(PAGE - 1);
}

/* One after the other; the kernel is where it is. */
static void lay_out(struct pprof *p)
{
	u64 next = FIRST_ADDRESS;

	vec_for_each (&p->mappings, m) {
		if (m->space == SPACE_KERNEL)
			continue;
		m->low = 0;
		m->moved = next;
		next += page_of(m->high) + PAGE;
	}
}

static struct string mapping_name(const struct pprof *p, const struct mapping *m)
{
	const struct profile *profile = p->stacks->profile;

	if (m->space == SPACE_FILE)
		return strings_get(&profile->names, profile->files.at[m->origin].path);
	return m->space == SPACE_KERNEL ? (struct string){"[kernel.kallsyms]", 17}
					: (struct string){"[vdso]", 6};
}

static struct string build_id_of(const struct pprof *p, const struct mapping *m)
{
	const struct profile *profile = p->stacks->profile;

	return strings_get(&profile->names,
			   m->space == SPACE_FILE ? profile->files.at[m->origin].build_id : 0);
}

static void add_mappings(struct pprof *p)
{
	find_mappings(p);
	lay_out(p);
	vec_for_each (&p->mappings, m) {
		pb_uint(&p->inner, 1, (u64)(m - p->mappings.at) + 1);
		pb_uint(&p->inner, 2, page_of(m->low) + m->moved);
		pb_uint(&p->inner, 3, page_of(m->high) + PAGE + m->moved);
		pb_uint(&p->inner, 5, escape(p, mapping_name(p, m), ""));
		pb_uint(&p->inner, 6, escape(p, build_id_of(p, m), ""));
		/* Else pprof names places by what it finds at that path: maybe another file. */
		pb_uint(&p->inner, 7, true);
		end_field(p, MAPPING, &p->inner);
	}
}

/* The id of the function of that name, written if it is new. */
static u32 function_of(struct pprof *p, u32 name)
{
	u64 hash = hash_u64(name);
	struct table_probe probe = table_probe(&p->function_table, hash);
	u32 id;

	while (table_next(&probe))
		if (p->functions.at[probe.ref] == name)
			return probe.ref + 1;
	table_insert(&p->function_table, hash, (u32)p->functions.nr);
	*vec_add(&p->functions) = name;
	id = (u32)p->functions.nr;
	pb_uint(&p->inner, 1, id);
	pb_uint(&p->inner, 2, name);
	pb_uint(&p->inner, 3, name);
	end_field(p, FUNCTION, &p->inner);
	return id;
}

/* A location's id is the index of its frame; frame 0 shows nothing. */
static void add_location(struct pprof *p, u32 id)
{
	const struct tree_frame *frame = &p->stacks->frames.at[id];
	const struct frame *place = place_of(p, frame);
	const char *suffix = p->caption->annotate ? frame_suffixes[frame->kind] : "";
	struct string name = strings_get(p->stacks->names, frame->name);
	u32 mapping = is_mapped(place) ? mapping_of(p, place) : 0;

	pb_uint(&p->line, 1, function_of(p, escape(p, name, suffix)));
	pb_uint(&p->inner, 1, id);
	pb_uint(&p->inner, 2, mapping);
	if (place)
		pb_uint(&p->inner, 3,
			place->address + (mapping ? p->mappings.at[mapping - 1].moved : 0));
	pb_message(&p->inner, 4, &p->line);
	end_field(p, LOCATION, &p->inner);
}

/* ---- samples */

static void add_label(struct pprof *p, const char *key, struct string value)
{
	if (!value.size)
		return;
	pb_uint(&p->line, 1, text(p, key));
	pb_uint(&p->line, 2, escape(p, value, ""));
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
	for (u32 node = leaf; node; node = p->stacks->nodes.at[node].parent)
		pb_varint(&p->line, p->stacks->nodes.at[node].frame);
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
	end_field(p, SAMPLE, &p->inner);
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
	add_mappings(p);
	for (u32 id = 1; id < p->stacks->frames.nr; id++)
		add_location(p, id);
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
