/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf_names.h"

#include "modules.h"
#include "base/strbuf.h"

static enum frame_kind kind_of(const struct perf_frame *frame, struct string base)
{
	return frame->inlined ? FRAME_INLINED : module_kind(base, frame->address);
}

static void add_named(struct perf_frames *frames, struct strings *names, struct string symbol,
		      struct tree_frame frame)
{
	frame.name = strings_add(names, symbol.s, symbol.size);
	*vec_add(frames) = frame;
}

/* "outer->inner", of which perf-map-agent says that the latter was inlined. */
static void add_jit(struct perf_frames *frames, struct strings *names, struct string symbol,
		    struct tree_frame frame)
{
	for (size_t at = symbol.size; at-- > 2;) {
		if (memcmp(symbol.s + at - 2, "->", 2))
			continue;
		add_named(frames, names, (struct string){symbol.s + at, symbol.size - at},
			  (struct tree_frame){.module = frame.module, .kind = FRAME_INLINED});
		symbol.size = at - 2;
		at--;
	}
	add_named(frames, names, symbol, frame);
}

void perf_add_frame(struct perf_frames *frames, struct strings *names,
		    const struct perf_frame *frame)
{
	struct string base = module_base(frame->module);
	struct tree_frame shown = {.kind = kind_of(frame, base)};

	if (!module_is_known(frame->symbol)) {
		*vec_add(frames) = module_note(base, names);
		return;
	}
	if (module_is_known(base))
		shown.module = strings_add(names, base.s, base.size);
	if (shown.kind == FRAME_JIT)
		add_jit(frames, names, frame->symbol, shown);
	else
		add_named(frames, names, frame->symbol, shown);
}

/* ---- events */

struct string perf_event_base(struct string event)
{
	const char *colon = memchr(event.s, ':', event.size);
	size_t size = colon ? (size_t)(colon - event.s) : event.size;

	for (size_t i = size + 1; i < event.size; i++)
		if (!strchr("ukhHGIpPSDWeb", event.s[i]))
			return event;
	return (struct string){.s = event.s, .size = size};
}

struct unit perf_period_unit(struct string event, struct strings *names)
{
	struct string base = perf_event_base(event);

	if (string_is(base, "cpu-clock") || string_is(base, "task-clock"))
		return (struct unit){.name = "us", .divisor = 1000, .time = true};
	if (!base.size)
		return (struct unit){.name = "periods", .divisor = 1};
	base = strings_get(names, strings_add(names, base.s, base.size));
	return (struct unit){.name = base.s, .divisor = 1};
}

/* ---- groups */

static void group_comm(struct strbuf *name, const struct perf_event *event)
{
	strbuf_add(name, event->comm.s, event->comm.size);
}

static void add_number(struct strbuf *name, char before, struct string number)
{
	strbuf_addc(name, before);
	strbuf_add(name, number.s, number.size);
}

static void group_pid(struct strbuf *name, const struct perf_event *event)
{
	group_comm(name, event);
	add_number(name, '-', event->pid.size ? event->pid : event->tid);
}

static void group_tid(struct strbuf *name, const struct perf_event *event)
{
	group_pid(name, event);
	if (event->pid.size)
		add_number(name, '/', event->tid);
}

static const struct {
	const char *name;
	void (*write)(struct strbuf *name, const struct perf_event *event);
} groups[] = {{"comm", group_comm}, {"pid", group_pid}, {"tid", group_tid}, {"none", NULL}};

bool perf_group_exists(const char *group)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (!group || !strcmp(groups[i].name, group))
			return true;
	return false;
}

u32 perf_group(const struct perf_event *event, const char *group, struct strings *names)
{
	_cleanup_strbuf_ struct strbuf name = {};

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (!strcmp(groups[i].name, group ? group : "comm") && groups[i].write)
			groups[i].write(&name, event);
	return name.size ? strings_add(names, name.s, name.size) : 0;
}
