/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

/* The events at an address that are next to the time at which it was seen; NULL: none. */
struct around {
	const struct program_event *before, *after;
	u64 time;
};

void programs_init(struct programs *programs)
{
	*programs = (struct programs){.full_from = UINT64_MAX};
	strings_init(&programs->names);
}

void programs_release(struct programs *programs)
{
	vec_release(&programs->events);
	strings_release(&programs->names);
}

void programs_add(struct programs *programs, u64 start, u64 size, const char *name, u64 time,
		  bool loads)
{
	if (!size || start + size < start)
		return;
	if (programs->events.nr == PROGRAMS_MAX) {
		programs->full_from = min(programs->full_from, time);
		return;
	}
	*vec_add(&programs->events) = (struct program_event){
		.start = start,
		.size = size,
		.time = time,
		.name = strings_adds(&programs->names, name),
		.loads = loads,
	};
}

/* The first of the sorted addresses that is not below `start`. */
static size_t first_from(const u64 *addresses, size_t nr, u64 start)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addresses[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare_sights(const void *a, const void *b)
{
	const struct kernel_sight *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void set_times(struct around *around, const u64 *addresses, size_t nr,
		      struct kernel_sight *sights, size_t nr_sights)
{
	size_t sight = 0;

	if (nr_sights)
		qsort(sights, nr_sights, sizeof(*sights), compare_sights);
	for (size_t i = 0; i < nr; i++) {
		while (sight < nr_sights && sights[sight].address < addresses[i])
			sight++;
		around[i].time = sight < nr_sights && sights[sight].address == addresses[i]
					 ? sights[sight].time
					 : UINT64_MAX;
	}
}

static void keep_nearest(struct around *around, const struct program_event *event)
{
	if (event->time <= around->time) {
		if (!around->before || event->time >= around->before->time)
			around->before = event;
	} else if (!around->after || event->time < around->after->time) {
		around->after = event;
	}
}

static void find_events(const struct programs *programs, const u64 *addresses, size_t nr,
			struct around *around)
{
	vec_for_each (&programs->events, event)
		for (size_t i = first_from(addresses, nr, event->start);
		     i < nr && addresses[i] - event->start < event->size; i++)
			keep_nearest(&around[i], event);
}

/*
 * What goes afterwards was there; else what came before. A program that has just gone may run to
 * its end on another CPU.
 */
static const struct program_event *owner(const struct around *around)
{
	return around->after && !around->after->loads ? around->after : around->before;
}

/* What `other` is asked is fewer addresses, with numbers of their own. */
struct rest {
	size_t *numbers;
	void (*answer)(void *ctx, size_t i, const char *name, const char *module);
	void *ctx;
};

static void answer_rest(void *ctx, size_t i, const char *name, const char *module)
{
	struct rest *rest = ctx;

	rest->answer(rest->ctx, rest->numbers[i], name, module);
}

int programs_names(const struct programs *programs, struct kernel_sight *sights, size_t nr_sights,
		   const struct kernel_namer *other, const u64 *addresses, size_t nr,
		   void (*answer)(void *ctx, size_t i, const char *name, const char *module),
		   void *ctx)
{
	_cleanup_free_ struct around *around = xcalloc(nr + 1, sizeof(*around));
	_cleanup_free_ u64 *asked = xcalloc(nr + 1, sizeof(*asked));
	_cleanup_free_ size_t *numbers = xcalloc(nr + 1, sizeof(*numbers));
	struct rest rest = {.numbers = numbers, .answer = answer, .ctx = ctx};
	size_t nr_asked = 0;

	set_times(around, addresses, nr, sights, nr_sights);
	find_events(programs, addresses, nr, around);
	for (size_t i = 0; i < nr; i++) {
		const struct program_event *event = owner(&around[i]);

		if ((!around[i].before && !around[i].after) ||
		    around[i].time > programs->full_from) {
			asked[nr_asked] = addresses[i];
			numbers[nr_asked++] = i;
		} else if (event) {
			answer(ctx, i, strings_get(&programs->names, event->name).s, "bpf");
		}
	}
	return other->names(other->self, asked, nr_asked, answer_rest, &rest);
}
