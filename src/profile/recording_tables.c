/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_tables.h"

#include "recording_bytes.h"
#include "recording_nodes.h"
#include "recording_order.h"

/* ---- values */

#define VALUES(name, otherwise_, ...)                                                              \
	static const u8 name##_numbers[] = {__VA_ARGS__};                                          \
	static const struct recorded_values name = {                                               \
		.values = name##_numbers,                                                          \
		.nr = ARRAY_SIZE(name##_numbers),                                                  \
		.otherwise = otherwise_,                                                           \
	}

VALUES(kind_values, WICK_NR_KINDS, WICK_CPU, WICK_SCHED, WICK_FAULT, WICK_BRK, WICK_MMAP);
VALUES(thread_values, WICK_USER_THREAD, WICK_USER_THREAD, WICK_KERNEL_THREAD, WICK_IO_WORKER,
       WICK_IDLE);
VALUES(end_values, WICK_BAD_FRAME, WICK_COMPLETE, WICK_TRUNCATED, WICK_NO_UNWIND_INFO,
       WICK_BAD_FRAME, WICK_UNREADABLE, WICK_LOST, WICK_NO_STACK);
VALUES(cause_values, WICK_BY_TASK, WICK_BY_TASK, WICK_BY_INTERRUPT, WICK_BY_SOFTIRQ, WICK_BY_FORK);
VALUES(chain_end_values, WICK_CHAIN_DEPTH, WICK_CHAIN_RUNNING, WICK_CHAIN_INTERRUPT,
       WICK_CHAIN_FORK, WICK_CHAIN_BEFORE, WICK_CHAIN_DEPTH, WICK_CHAIN_CYCLE, WICK_CHAIN_STRANGER);
VALUES(space_values, SPACE_FILE, SPACE_FILE, SPACE_IMAGE, SPACE_KERNEL, SPACE_VDSO, SPACE_NOTE);
VALUES(frame_values, FRAME_NOTE, FRAME_USER, FRAME_KERNEL, FRAME_INLINED, FRAME_JIT, FRAME_WAKER,
       FRAME_GROUP, FRAME_NOTE, FRAME_GONE);
VALUES(file_values, FILES_PENDING, FILES_PENDING, FILES_OK, FILES_GONE, FILES_REFUSED, FILES_BAD,
       FILES_NO_SYMBOLS, FILES_NO_MAP, FILES_TIMED_OUT, FILES_CRASHED, FILES_TOO_LONG,
       FILES_VM_SILENT);

VALUES(object_values, WICK_OBJECT_UNKNOWN, WICK_OBJECT_UNKNOWN, WICK_OBJECT_FUTEX, WICK_OBJECT_LOCK,
       WICK_OBJECT_SOCKET, WICK_OBJECT_ACCEPTED, WICK_OBJECT_CONNECTED, WICK_OBJECT_FILE,
       WICK_OBJECT_PIPE, WICK_OBJECT_TERMINAL, WICK_OBJECT_EVENT, WICK_OBJECT_CHILD,
       WICK_OBJECT_TIMER);

/* A value that is added here is appended above, and to docs/recording.md. */
_Static_assert(ARRAY_SIZE(kind_values_numbers) == WICK_NR_KINDS, "kinds");
_Static_assert(ARRAY_SIZE(thread_values_numbers) == WICK_NR_THREAD_KINDS, "kinds of threads");
_Static_assert(ARRAY_SIZE(end_values_numbers) == WICK_NR_ENDS, "ends");
_Static_assert(ARRAY_SIZE(cause_values_numbers) == WICK_NR_CAUSES, "causes");
_Static_assert(ARRAY_SIZE(chain_end_values_numbers) == WICK_NR_CHAIN_ENDS, "ends of chains");
_Static_assert(ARRAY_SIZE(frame_values_numbers) == NR_FRAME_KINDS, "kinds of frames");
_Static_assert(ARRAY_SIZE(file_values_numbers) == NR_FILES_STATES, "states of files");
_Static_assert(ARRAY_SIZE(object_values_numbers) == WICK_NR_OBJECTS, "objects");
/* These are flags, with the format's numbers. */
_Static_assert(WICK_STATE_LETTER == 0xff && WICK_STATE_IO == 0x100 && WICK_STATE_STILL == 0x200 &&
		       WICK_STATE_NEVER_RAN == 0x400 && WICK_STATE_SHORT == 0x800 &&
		       WICK_STATE_NOT_WALKED == 0x1000 && WICK_STATE_ON_CPU == 0x2000 &&
		       WICK_STATE_THROTTLED == 0x4000 && WICK_STATE_IO_LIMIT == 0x8000,
	       "states of sched");
_Static_assert(WICK_MEMORY_MAJOR == 1 && WICK_MEMORY_IN_KERNEL == 2 && WICK_MEMORY_BY_CALL == 4 &&
		       WICK_MEMORY_FILE == 8 && WICK_MEMORY_RESERVED == 16,
	       "states of memory");
_Static_assert(NEED_CPU == 1 && NEED_SCHED == 2 && NEED_FAULT == 4 && NEED_BRK == 8 &&
		       NEED_MMAP == 16 && NEED_WAKERS == 1 << 16 && NEED_CHAINS == 1 << 17 &&
		       NEED_THREADS == 1 << 18,
	       "what is observed");

u64 to_recorded(const struct recorded_values *values, u64 value)
{
	for (u32 i = 0; i < values->nr; i++)
		if (values->values[i] == value)
			return i + 1;
	return 0;
}

u64 from_recorded(const struct recorded_values *values, u64 number)
{
	return number && number <= values->nr ? values->values[number - 1] : values->otherwise;
}

/* ---- tables */

#define MEMBER(type, member)                                                                       \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define PLAIN(type, member)                                                                        \
	{                                                                                          \
		MEMBER(type, member)                                                               \
	}
#define DELTA(type, member)                                                                        \
	{                                                                                          \
		MEMBER(type, member), .coding = CODED_DELTA                                        \
	}
#define REF(type, member, table)                                                                   \
	{                                                                                          \
		MEMBER(type, member), .refers = table                                              \
	}
#define NEAR(type, member, table)                                                                  \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_DELTA                       \
	}
#define BEHIND(type, member, table)                                                                \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_BEHIND                      \
	}
#define EXPECTED(type, member, expected_)                                                          \
	{                                                                                          \
		MEMBER(type, member), .coding = CODED_EXPECTED, .expected = expected_              \
	}
#define PARENT(type, member, table)                                                                \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_PARENT                      \
	}
#define SIBLING(type, member, table)                                                               \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_SIBLING                     \
	}
#define EXPECTED_VALUE(type, member, expected_, values_)                                           \
	{                                                                                          \
		MEMBER(type, member), .values = &(values_), .coding = CODED_EXPECTED,              \
				      .expected = expected_                                        \
	}
#define OLD_REF(type, member, table)                                                               \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .old = true                                 \
	}
#define OLD_NEAR(type, member, table)                                                              \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_DELTA, .old = true          \
	}
#define OLD_BEHIND(type, member, table)                                                            \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_BEHIND, .old = true         \
	}
#define OLD_PLAIN(type, member)                                                                    \
	{                                                                                          \
		MEMBER(type, member), .old = true                                                  \
	}
#define OLD_EXPECTED(type, member, expected_)                                                      \
	{                                                                                          \
		MEMBER(type, member), .coding = CODED_EXPECTED, .expected = expected_, .old = true \
	}
#define COUNTED(type, member, expected_)                                                           \
	{                                                                                          \
		MEMBER(type, member), .coding = CODED_COUNTED, .expected = expected_               \
	}
#define OLD_VALUE(type, member, values_)                                                           \
	{                                                                                          \
		MEMBER(type, member), .values = &(values_), .old = true                            \
	}
#define VALUE(type, member, values_)                                                               \
	{                                                                                          \
		MEMBER(type, member), .values = &(values_)                                         \
	}
#define LATE_PLAIN(type, member)                                                                   \
	{                                                                                          \
		MEMBER(type, member), .late = true                                                 \
	}
#define LATE_NEAR(type, member, table)                                                             \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .coding = CODED_DELTA, .late = true         \
	}
#define LATE_REF(type, member, table)                                                              \
	{                                                                                          \
		MEMBER(type, member), .refers = table, .late = true                                \
	}
#define LATE_VALUE(type, member, values_)                                                          \
	{                                                                                          \
		MEMBER(type, member), .values = &(values_), .late = true                           \
	}

#define OF_PROFILE(member, type)                                                                   \
	.in_profile = true, .vec = offsetof(struct profile, member), .row_size = sizeof(type)
#define OF_RECORDED(member, type) .vec = offsetof(struct recorded, member), .row_size = sizeof(type)

const struct recorded_table recorded_tables[NR_TABLES] = {
	/* Bytes; it has columns of its own. */
	[TABLE_STRINGS] = {.name = "strings",
			   OF_PROFILE(names, struct string),
			   .fixed = 1,
			   .grows = true},
	[TABLE_FUNCTIONS] = {.name = "functions",
			     OF_PROFILE(functions, struct function),
			     .fixed = 1,
			     .grows = true,
			     .columns = {NEAR(struct function, shown.name, TABLE_STRINGS),
					 REF(struct function, shown.module, TABLE_STRINGS),
					 VALUE(struct function, shown.kind, frame_values),
					 PLAIN(struct function, named)}},
	[TABLE_FILES] = {.name = "files",
			 OF_PROFILE(files, struct profile_file),
			 .fixed = 1,
			 .grows = true,
			 .columns = {REF(struct profile_file, path, TABLE_STRINGS),
				     LATE_REF(struct profile_file, name, TABLE_STRINGS),
				     LATE_REF(struct profile_file, build_id, TABLE_STRINGS),
				     LATE_VALUE(struct profile_file, state, file_values)}},
	[TABLE_IMAGES] = {.name = "images",
			  OF_PROFILE(images, struct image),
			  .fixed = 1,
			  .grows = true,
			  .columns = {DELTA(struct image, pid), DELTA(struct image, inner_pid),
				      DELTA(struct image, start_ns), PLAIN(struct image, exec_id),
				      LATE_REF(struct image, comm, TABLE_STRINGS),
				      LATE_PLAIN(struct image, has_code),
				      LATE_VALUE(struct image, state, file_values),
				      REF(struct image, host, TABLE_HOSTS)}},
	[TABLE_LEGS] = {.name = "legs",
			OF_PROFILE(legs, struct leg),
			.fixed = 1,
			.grows = true,
			.columns = {DELTA(struct leg, pid), NEAR(struct leg, image, TABLE_IMAGES),
				    EXPECTED(struct leg, tid, expected_tid),
				    EXPECTED(struct leg, start_ns, expected_leg_start),
				    REF(struct leg, comm, TABLE_STRINGS), PLAIN(struct leg, cgroup),
				    REF(struct leg, cgroup_path, TABLE_STRINGS),
				    VALUE(struct leg, kind, thread_values),
				    REF(struct leg, host, TABLE_HOSTS),
				    PLAIN(struct leg, left_out)}},
	/* What `origin` is a row of depends on the space. */
	[TABLE_FRAMES] = {.name = "frames",
			  OF_PROFILE(frames, struct frame),
			  .grows = true,
			  .columns = {VALUE(struct frame, space, space_values),
				      PLAIN(struct frame, origin), DELTA(struct frame, address),
				      LATE_NEAR(struct frame, function, TABLE_FUNCTIONS),
				      LATE_NEAR(struct frame, source, TABLE_SOURCES)}},
	/* Their own rows come first: an outer line is a smaller row. */
	[TABLE_SOURCES] = {.name = "lines of source",
			   OF_PROFILE(sources, struct source_line),
			   .fixed = 1,
			   .grows = true,
			   .columns = {REF(struct source_line, function, TABLE_FUNCTIONS),
				       REF(struct source_line, path, TABLE_STRINGS),
				       PLAIN(struct source_line, line),
				       BEHIND(struct source_line, outer, TABLE_SOURCES)}},
	[TABLE_STACK_NODES] = {.name = "stack nodes",
			       OF_RECORDED(stack_nodes, struct recorded_node),
			       .fixed = 1,
			       .grows = true,
			       .columns = {OLD_BEHIND(struct recorded_node, parent,
						      TABLE_STACK_NODES),
					   OLD_NEAR(struct recorded_node, last, TABLE_FRAMES),
					   PARENT(struct recorded_node, parent, TABLE_STACK_NODES),
					   SIBLING(struct recorded_node, last, TABLE_FRAMES)}},
	[TABLE_STACKS] = {.name = "stacks",
			  OF_RECORDED(stacks, struct recorded_leaf),
			  .fixed = 1,
			  .grows = true,
			  .columns = {NEAR(struct recorded_leaf, node, TABLE_STACK_NODES),
				      VALUE(struct recorded_leaf, end, end_values)}},
	[TABLE_HOPS] = {.name = "hops",
			OF_PROFILE(hops, struct hop),
			.fixed = 1,
			.grows = true,
			.columns = {VALUE(struct hop, cause, cause_values),
				    REF(struct hop, leg, TABLE_LEGS),
				    REF(struct hop, user, TABLE_STACKS),
				    REF(struct hop, kernel, TABLE_STACKS)}},
	[TABLE_CHAIN_NODES] = {.name = "chain nodes",
			       OF_RECORDED(chain_nodes, struct recorded_node),
			       .fixed = 1,
			       .grows = true,
			       .columns = {OLD_BEHIND(struct recorded_node, parent,
						      TABLE_CHAIN_NODES),
					   OLD_NEAR(struct recorded_node, last, TABLE_HOPS),
					   PARENT(struct recorded_node, parent, TABLE_CHAIN_NODES),
					   SIBLING(struct recorded_node, last, TABLE_HOPS)}},
	[TABLE_CHAINS] = {.name = "chains",
			  OF_RECORDED(chains, struct recorded_leaf),
			  .fixed = 1,
			  .grows = true,
			  .columns = {NEAR(struct recorded_leaf, node, TABLE_CHAIN_NODES),
				      VALUE(struct recorded_leaf, end, chain_end_values)}},
	[TABLE_SAMPLES] = {.name = "samples",
			   OF_PROFILE(samples, struct sample),
			   .grows = true,
			   .columns = {VALUE(struct sample, kind, kind_values),
				       PLAIN(struct sample, state),
				       OLD_REF(struct sample, leg, TABLE_LEGS),
				       OLD_REF(struct sample, user, TABLE_STACKS),
				       REF(struct sample, kernel, TABLE_STACKS),
				       REF(struct sample, chain, TABLE_CHAINS),
				       NEAR(struct sample, leg, TABLE_LEGS),
				       NEAR(struct sample, user, TABLE_STACKS)}},
	[TABLE_LOSSES] = {.name = "losses",
			  OF_RECORDED(losses, struct recorded_loss),
			  .grows = true,
			  .columns = {REF(struct recorded_loss, cause, TABLE_STRINGS),
				      REF(struct recorded_loss, note, TABLE_STRINGS),
				      VALUE(struct recorded_loss, kind, kind_values),
				      PLAIN(struct recorded_loss, column)}},
	[TABLE_THREADS] = {.name = "threads",
			   OF_PROFILE(threads, struct thread_time),
			   .grows = true,
			   .columns = {OLD_REF(struct thread_time, leg, TABLE_LEGS),
				       DELTA(struct thread_time, end),
				       PLAIN(struct thread_time, running),
				       OLD_PLAIN(struct thread_time, queued),
				       OLD_PLAIN(struct thread_time, preempted),
				       OLD_PLAIN(struct thread_time, blocked),
				       PLAIN(struct thread_time, unaccounted),
				       OLD_EXPECTED(struct thread_time, begin,
						    expected_thread_begin),
				       EXPECTED(struct thread_time, ran, expected_thread_ran),
				       NEAR(struct thread_time, leg, TABLE_LEGS),
				       EXPECTED(struct thread_time, queued, expected_queued),
				       EXPECTED(struct thread_time, preempted, expected_preempted),
				       EXPECTED(struct thread_time, blocked, expected_blocked),
				       EXPECTED(struct thread_time, begin, expected_thread_begin)}},
	[TABLE_FIELDS] = {.name = "fields",
			  OF_RECORDED(fields, struct recorded_field),
			  .columns = {DELTA(struct recorded_field, number),
				      PLAIN(struct recorded_field, value)}},
	[TABLE_COUNTS] = {.name = "counts",
			  OF_RECORDED(counts, struct slice_sample),
			  .columns = {NEAR(struct slice_sample, sample, TABLE_SAMPLES),
				      PLAIN(struct slice_sample, column[0]),
				      OLD_EXPECTED(struct slice_sample, column[1], expected_count),
				      OLD_EXPECTED(struct slice_sample, column[2],
						   expected_longest),
				      COUNTED(struct slice_sample, column[1], expected_count),
				      EXPECTED(struct slice_sample, column[2], expected_longest)}},
	[TABLE_FILLED] = {.name = "filled stacks",
			  OF_RECORDED(filled, struct recorded_fill),
			  .columns = {NEAR(struct recorded_fill, stack, TABLE_STACKS),
				      NEAR(struct recorded_fill, node, TABLE_STACK_NODES),
				      VALUE(struct recorded_fill, end, end_values)}},
	[TABLE_HELD] = {.name = "held memory",
			OF_RECORDED(held, struct recorded_value),
			.columns = {NEAR(struct recorded_value, row, TABLE_SAMPLES),
				    PLAIN(struct recorded_value, value)}},
	[TABLE_LOST] = {.name = "lost",
			OF_RECORDED(lost, struct recorded_value),
			.columns = {REF(struct recorded_value, row, TABLE_LOSSES),
				    PLAIN(struct recorded_value, value)}},
	[TABLE_CPUS] = {.name = "CPUs",
			OF_RECORDED(cpus, struct recorded_cpu),
			.columns = {DELTA(struct recorded_cpu, cpu),
				    PLAIN(struct recorded_cpu, running),
				    PLAIN(struct recorded_cpu, idle)}},
	[TABLE_BLOCKS] = {.name = "blocks",
			  OF_RECORDED(blocks, struct recorded_block),
			  .columns = {NEAR(struct recorded_block, leg, TABLE_LEGS),
				      REF(struct recorded_block, user, TABLE_STACKS),
				      REF(struct recorded_block, kernel, TABLE_STACKS),
				      REF(struct recorded_block, chain, TABLE_CHAINS),
				      PLAIN(struct recorded_block, state),
				      PLAIN(struct recorded_block, begin),
				      PLAIN(struct recorded_block, blocked),
				      PLAIN(struct recorded_block, waited),
				      PLAIN(struct recorded_block, ran),
				      PLAIN(struct recorded_block, counted_block),
				      PLAIN(struct recorded_block, counted_wait),
				      {}, /* once an address or inode */
				      OLD_VALUE(struct recorded_block, object_kind, object_values),
				      REF(struct recorded_block, before, TABLE_LEGS),
				      PLAIN(struct recorded_block, unit),
				      PLAIN(struct recorded_block, more),
				      PLAIN(struct recorded_block, between),
				      PLAIN(struct recorded_block, ran_between),
				      REF(struct recorded_block, object, TABLE_OBJECTS),
				      PLAIN(struct recorded_block, holder),
				      EXPECTED_VALUE(struct recorded_block, object_kind,
						     expected_object_kind, object_values)}},
	[TABLE_OBJECTS] = {.name = "objects",
			   OF_PROFILE(objects, struct object),
			   .fixed = 1,
			   .grows = true,
			   .columns = {VALUE(struct object, kind, object_values),
				       REF(struct object, name, TABLE_STRINGS),
				       REF(struct object, device, TABLE_STRINGS),
				       PLAIN(struct object, peer_pid), PLAIN(struct object, id),
				       PLAIN(struct object, of), PLAIN(struct object, here),
				       PLAIN(struct object, there)}},
	[TABLE_SLICES] = {.name = "slices",
			  OF_RECORDED(slices, struct recorded_slice),
			  .columns = {DELTA(struct recorded_slice, offset),
				      PLAIN(struct recorded_slice, size),
				      DELTA(struct recorded_slice, begin),
				      DELTA(struct recorded_slice, end),
				      DELTA(struct recorded_slice, reach)}},
	[TABLE_WAITS] = {.name = "waits",
			 OF_RECORDED(waits, struct recorded_waits),
			 .columns = {NEAR(struct recorded_waits, leg, TABLE_LEGS),
				     PLAIN(struct recorded_waits, ns[WAIT_BLOCKED]),
				     PLAIN(struct recorded_waits, ns[WAIT_QUEUED]),
				     PLAIN(struct recorded_waits, ns[WAIT_PREEMPTED])}},
	[TABLE_SHORT] = {.name = "short sleeps",
			 OF_RECORDED(shorts, struct recorded_value),
			 .columns = {NEAR(struct recorded_value, row, TABLE_SAMPLES),
				     PLAIN(struct recorded_value, value)}},
	[TABLE_SIZES] = {.name = "sizes",
			 OF_RECORDED(sizes, struct recorded_value),
			 .columns = {DELTA(struct recorded_value, row),
				     PLAIN(struct recorded_value, value)}},
	[TABLE_HOSTS] = {.name = "hosts",
			 OF_PROFILE(hosts, struct profile_host),
			 .fixed = 1,
			 .grows = true,
			 .columns = {REF(struct profile_host, name, TABLE_STRINGS),
				     REF(struct profile_host, kernel_release, TABLE_STRINGS),
				     PLAIN(struct profile_host, begin),
				     PLAIN(struct profile_host, end),
				     PLAIN(struct profile_host, first_cpu),
				     PLAIN(struct profile_host, nr_cpus)}},
	[TABLE_PROGRAMS] = {.name = "programs",
			    OF_RECORDED(programs, struct recorded_program),
			    .columns = {REF(struct recorded_program, name, TABLE_STRINGS),
					PLAIN(struct recorded_program, runs),
					PLAIN(struct recorded_program, timed_runs),
					PLAIN(struct recorded_program, timed_ns),
					PLAIN(struct recorded_program, walks),
					PLAIN(struct recorded_program, walk_ns)}},
};

void recorded_release(struct recorded *r)
{
	for (size_t i = 0; i < NR_TABLES; i++) {
		const struct recorded_table *table = &recorded_tables[i];
		struct any_vec vec;

		if (!table->name || table->in_profile)
			continue;
		vec = recorded_vec(table, NULL, r);
		free(vec.at);
	}
	*r = (struct recorded){};
}

struct any_vec recorded_vec(const struct recorded_table *table, const struct profile *p,
			    const struct recorded *r)
{
	const char *base = table->in_profile ? (const char *)p : (const char *)r;
	struct any_vec vec;

	memcpy(&vec, base + table->vec, sizeof(vec));
	return vec;
}

void set_recorded_vec(const struct recorded_table *table, struct profile *p, struct recorded *r,
		      const struct any_vec *vec)
{
	memcpy((table->in_profile ? (char *)p : (char *)r) + table->vec, vec, sizeof(*vec));
}

static u64 expected_number(const struct recorded_column *column, const struct column_place *at)
{
	u64 value = column->expected(at);

	return column->values ? to_recorded(column->values, value) : value;
}

static u64 sibling_number(const struct recorded_column *column, const struct column_place *at)
{
	const struct recorded_node *sibling = elder_sibling(at);
	const struct recording_order *order = at->expecting->order;

	if (!sibling)
		return 0;
	return order ? number_of_row(order, column->refers, sibling->last) : sibling->last;
}

/* A difference in bytes: even are twice the pages; odd twice the bytes, and one. */
static u64 code_bytes(s64 difference)
{
	return difference % RECORDED_PAGE ? zigzag(difference) << 1 | 1
					  : zigzag(difference / RECORDED_PAGE) << 1;
}

static u64 decode_bytes(u64 coded)
{
	u64 difference = (u64)unzigzag(coded >> 1);

	return coded & 1 ? difference : difference * RECORDED_PAGE;
}

static u64 code_counted(const struct column_place *at, u64 difference)
{
	return counts_bytes(at) ? code_bytes((s64)difference) : zigzag((s64)difference);
}

static u64 decode_counted(const struct column_place *at, u64 coded)
{
	return counts_bytes(at) ? decode_bytes(coded) : (u64)unzigzag(coded);
}

u64 code_column(const struct recorded_column *column, const struct column_place *at, u64 value)
{
	switch (column->coding) {
	case CODED_DELTA:
		return zigzag((s64)(value - at->before));
	case CODED_BEHIND:
		return at->number - 1 - value;
	case CODED_PARENT:
		return code_parent(at, value);
	case CODED_SIBLING:
		return zigzag((s64)(value - sibling_number(column, at)));
	case CODED_EXPECTED:
		return zigzag((s64)(value - expected_number(column, at)));
	case CODED_COUNTED:
		return code_counted(at, value - expected_number(column, at));
	default:
		return value;
	}
}

u64 decode_column(const struct recorded_column *column, const struct column_place *at, u64 coded)
{
	switch (column->coding) {
	case CODED_DELTA:
		return at->before + (u64)unzigzag(coded);
	case CODED_BEHIND:
		return at->number - 1 - coded;
	case CODED_PARENT:
		return decode_parent(at, coded);
	case CODED_SIBLING:
		return sibling_number(column, at) + (u64)unzigzag(coded);
	case CODED_EXPECTED:
		return expected_number(column, at) + (u64)unzigzag(coded);
	case CODED_COUNTED:
		return expected_number(column, at) + decode_counted(at, coded);
	default:
		return coded;
	}
}

u64 load_column(const struct recorded_column *column, const char *row)
{
	u8 byte;
	u32 word;
	u64 value;

	switch (column->size) {
	case 1:
		memcpy(&byte, row + column->offset, sizeof(byte));
		return byte;
	case 4:
		memcpy(&word, row + column->offset, sizeof(word));
		return word;
	default:
		memcpy(&value, row + column->offset, sizeof(value));
		return value;
	}
}

void store_column(const struct recorded_column *column, char *row, u64 value)
{
	u8 byte = value != 0; /* the only ones are bools */
	u32 word = (u32)value;

	switch (column->size) {
	case 1:
		memcpy(row + column->offset, &byte, sizeof(byte));
		return;
	case 4:
		memcpy(row + column->offset, &word, sizeof(word));
		return;
	default:
		memcpy(row + column->offset, &value, sizeof(value));
	}
}

/* ---- fields */

#define FIELD(number_, kind_, member)                                                              \
	{                                                                                          \
		.number = number_, .kind = kind_, MEMBER(struct profile, member)                   \
	}
#define MEMORY(number, i)                                                                          \
	FIELD(number, FIELD_SUM, memory[i].mapped),                                                \
		FIELD((number) + 1, FIELD_SUM, memory[i].unmapped),                                \
		FIELD((number) + 2, FIELD_SUM, memory[i].gone),                                    \
		FIELD((number) + 3, FIELD_SUM, memory[i].held),                                    \
		FIELD((number) + 4, FIELD_SUM, memory[i].given_back)

static const struct recorded_field_row fields[] = {
	FIELD(10, FIELD_STRING, host),
	FIELD(11, FIELD_STRING, kernel_release),
	FIELD(12, FIELD_STATE, wall_start_ns),
	FIELD(13, FIELD_STATE, begin),
	FIELD(14, FIELD_STATE, frequency),
	FIELD(15, FIELD_STRING, event),
	FIELD(16, FIELD_STRING, filters),
	FIELD(17, FIELD_STATE, nr_cpus),
	FIELD(18, FIELD_STATE, needs),
	FIELD(19, FIELD_STATE, unfollowed),
	FIELD(20, FIELD_STATE, by_faults),
	FIELD(21, FIELD_STATE, huge_pages),
	FIELD(22, FIELD_SUM, expected),
	FIELD(23, FIELD_SUM, failed_faults),
	FIELD(24, FIELD_SUM, processes_32_bit),
	FIELD(25, FIELD_STATE, most_blocks),
	FIELD(26, FIELD_STATE, cost.unknown),
	FIELD(27, FIELD_STATE, depth),
	MEMORY(30, MEMORY_BRK),
	MEMORY(35, MEMORY_MMAP),
	MEMORY(40, MEMORY_RESERVED),
	FIELD(FIELD_RESOLVED, FIELD_STATE, naming.resolved),
	FIELD(FIELD_UNRESOLVED, FIELD_STATE, naming.unresolved),
	FIELD(FIELD_KERNEL_ERROR, FIELD_STATE, naming.kernel_error),
	FIELD(53, FIELD_STATE, naming.files_without_time),
	FIELD(54, FIELD_STRING, boot_id),
	FIELD(60, FIELD_STATE, cost.map_bytes),
	FIELD(61, FIELD_STATE, cost.body_bytes),
	FIELD(62, FIELD_STATE, cost.bodies),
	FIELD(63, FIELD_STATE, cost.sideband_records),
	FIELD(64, FIELD_STATE, cost.mappings_read),
	FIELD(65, FIELD_STATE, cost.copies_refused),
	FIELD(66, FIELD_STATE, cost.remembered_user),
	FIELD(67, FIELD_STATE, cost.remembered_kernel),
	FIELD(68, FIELD_STATE, cost.misremembered),
	FIELD(69, FIELD_STATE, cost.rows.kernel_files),
	FIELD(70, FIELD_STATE, cost.rows.kernel_bytes),
	FIELD(71, FIELD_STATE, cost.rows.kernel_max_bytes),
	FIELD(72, FIELD_STATE, cost.rows.user_bytes),
	FIELD(73, FIELD_STATE, cost.rows.user_max_bytes),
	FIELD(74, FIELD_STATE, cost.rows.evicted_files),
	FIELD(75, FIELD_STATE, cost.rows.evicted_regions),
	FIELD(76, FIELD_STATE, cost.rows.evicted_tables),
	FIELD(77, FIELD_STATE, cost.rows.pending),
	FIELD(78, FIELD_STATE, cost.rows.copies),
	FIELD(79, FIELD_STATE, cost.blocks.blocks),
	FIELD(80, FIELD_STATE, cost.blocks.walked),
	FIELD(81, FIELD_STATE, cost.window_cpu_ns),
	FIELD(82, FIELD_STATE, cost.own_over_ns),
	FIELD(83, FIELD_STATE, cost.own_level),
	FIELD(84, FIELD_STATE, cost.cpu_ns),
	FIELD(85, FIELD_STATE, cost.max_resident_bytes),
	FIELD(86, FIELD_STATE, cost.start_ns),
	FIELD(87, FIELD_STATE, cost.write_ns),
};

/* Thresholds: two fields each. */
enum { FIRST_THRESHOLD = 128 };

size_t nr_recorded_fields(void)
{
	return ARRAY_SIZE(fields) + (size_t)2 * MAX_THRESHOLDS;
}

struct recorded_field_row recorded_field_at(size_t i)
{
	static const struct recorded_field_row threshold[] = {
		FIELD(0, FIELD_STATE, cost.blocks.thresholds[0].above_ns),
		FIELD(0, FIELD_STATE, cost.blocks.thresholds[0].ruled_ns),
	};
	struct recorded_field_row row;
	u32 which;

	if (i < ARRAY_SIZE(fields))
		return fields[i];
	which = (u32)(i - ARRAY_SIZE(fields));
	row = threshold[which % 2];
	row.number = FIRST_THRESHOLD + which;
	row.offset += which / 2 * (u32)sizeof(struct walk_threshold);
	return row;
}
