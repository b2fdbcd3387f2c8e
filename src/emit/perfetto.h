/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto.h: what the files that write Perfetto's format share: packets, and the ids of what is
 * interned.
 */
#ifndef EMIT_PERFETTO_H
#define EMIT_PERFETTO_H

#include "emit.h"
#include "functions.h"
#include "protobuf.h"
#include "threads.h"

enum { PERFETTO_FLUSH_SIZE = 1 << 15, SEQUENCE = 1, CLOCK_WALL = 1, CLOCK_MONO = 3 };

enum trace_packet_field {
	PACKET = 1, /* of the trace */
	CLOCK_SNAPSHOT = 6,
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	TRACK_EVENT,
	INTERNED_DATA,
	SEQUENCE_FLAGS,
	CLOCK_ID = 58,
	TRACK_DESCRIPTOR = 60,
};

enum interned_field {
	CATEGORIES = 1,
	EVENT_NAMES,
	ARGUMENT_NAMES,
	FUNCTION_NAMES = 5,
	FRAMES,
	CALLSTACKS,
	MAPPING_PATHS = 17,
	MAPPINGS = 19
};

enum track_event_field {
	CATEGORY_IID = 3,
	ARGUMENT,
	EVENT_TYPE = 9,
	NAME_IID,
	TRACK_UUID,
	FLOW_ID = 47,
	FLOW_END,
	CALLSTACK_IID = 56,
};

enum event_type { SLICE_BEGIN = 1, SLICE_END, INSTANT };

enum category { BLOCKED = 1, RUNQUEUE, WAKEUP };

enum argument { ARGUMENT_STATE = 1, ARGUMENT_WAKER, ARGUMENT_WOKEN };

/* The first names; those of functions come behind them. */
enum name { NAME_RUNQUEUE = 1, NAME_PREEMPTED, NAME_WAKES, NAME_BLOCKED, NR_NAMES };

struct perfetto {
	const struct weighted_stacks *stacks;
	const struct caption *caption;
	FILE *out;
	struct threads threads;
	struct table processes;	       /* pids whose tracks are written */
	struct by_thread waits, wakes; /* of each thread */
	struct functions functions;
	VEC(u32) path;
	struct strbuf b, packet, event, inner, line;
};

/* Ends the packet that is being built, and writes what has come together. */
void perfetto_end_packet(struct perfetto *p);
void perfetto_flush(struct perfetto *p, size_t at_least);
/* The one way in for names: strings are UTF-8 there. */
void perfetto_text(struct strbuf *to, unsigned int field, struct string s, const char *suffix);

/* The tracks of a thread, and of its process if it has none yet. */
void perfetto_add_thread(struct perfetto *p, size_t thread);
/* All strings, functions and stacks that events refer to. */
void perfetto_add_interned(struct perfetto *p);

static inline u64 thread_track(size_t thread)
{
	return (u64)thread + 1;
}

/* The index of a node's function. */
static inline size_t function_at(const struct perfetto *p, u32 node)
{
	return p->functions.of_frame[p->stacks->nodes.at[node].frame];
}

#endif
