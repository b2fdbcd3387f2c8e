/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script.c: the text of `perf script` becomes a call tree.
 *
 *	java 12/34 [001] 158665.570607:   250000 cycles:u:	an event, which begins in column 0
 *		ffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])	leaf
 *		...							root, then an empty line
 *
 * Without call chains, perf indents the event's line, which ends in its one frame.
 *
 * A line that is no event's ends the stack before it. It and the frames below it are left out. A
 * line among frames that is none is left out, and the rest of the stack counts.
 */
#include "input.h"
#include "perf_line.h"
#include "of_view.h"
#include "perf_names.h"
#include "view.h"
#include "base/strbuf.h"

enum { MAX_EVENTS_LISTED = 8 };

struct reader {
	struct input *in;
	bool begun;	 /* the first event was seen */
	bool periods;	 /* are the values */
	bool open;	 /* an event, whose frames may follow */
	bool is_drawn;	 /* that event */
	bool indented;	 /* its line is */
	bool orphans;	 /* frames, below a line that is none */
	u32 event;	 /* whose values add up */
	VEC(u32) others; /* some more, for words */
	u32 group;	 /* of the open event ... */
	u64 value;
	u64 number;		      /* its line's */
	struct perf_frames frames;    /* leaf first */
	VEC(struct tree_frame) stack; /* root first */
};

static void reader_release(struct reader *r)
{
	vec_release(&r->others);
	vec_release(&r->frames);
	vec_release(&r->stack);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void bad_line(struct reader *r, const char *why)
{
	input_leave_out(r->in, "line", r->in->lines->number, why);
}

/* ---- which events */

/* "cycles:u" is asked for as "cycles", too. */
static bool is_wanted(const struct reader *r, struct string event)
{
	const char *wanted = r->in->options->event;
	struct string base = perf_event_base(event);

	if (!wanted)
		return strings_find(r->in->names, event.s, event.size) == r->event;
	return string_is(event, wanted) || string_is(base, wanted);
}

static void note_other(struct reader *r, struct string event)
{
	u32 name = strings_add(r->in->names, event.s, event.size);

	r->in->files->nr_others++;
	vec_for_each (&r->others, other)
		if (*other == name)
			return;
	if (r->others.nr < MAX_EVENTS_LISTED)
		*vec_add(&r->others) = name;
}

/* May the events that are drawn be those? */
static bool may_begin(const struct reader *r, struct string event)
{
	if (r->in->options->event)
		return is_wanted(r, event);
	return !r->in->options->view || view_has_event(r->in->options->view, event);
}

/* What `metric` asks for; 0, or -EINVAL. */
static int choose_value(struct reader *r, const struct perf_event *event)
{
	const char *metric = r->in->options->metric;

	if (r->in->options->view)
		metric = view_wants_periods(r->in->options->view) && event->has_period ? "period"
										       : "samples";
	r->periods = metric ? !strcmp(metric, "period") : event->has_period;
	if (metric && !r->periods && strcmp(metric, "samples"))
		return input_refuse(r->in,
				    "--metric takes period or samples for perf script's text");
	if (r->periods && !event->has_period)
		return fail(r->in->error, -EINVAL,
			    "%s has no periods: say perf script -F +period, or --metric samples",
			    r->in->lines->name);
	return 0;
}

static int begin(struct reader *r, const struct perf_event *event)
{
	struct unit unit = STACK_FILES_NONE.unit;
	int err = choose_value(r, event);

	if (err)
		return err;
	r->begun = true;
	r->event = strings_add(r->in->names, event->event.s, event->event.size);
	if (r->in->options->view)
		unit.name = r->in->options->metric;
	else if (r->periods)
		unit = perf_period_unit(event->event, r->in->names);
	return input_begin(r->in, r->in->options->view, unit);
}

/* ---- stacks */

static int add_stack(struct reader *r)
{
	if (r->frames.nr > STACK_FILE_MAX_FRAMES) {
		input_leave_out(r->in, "line", r->number, "the stack has more than 65536 frames");
		return 0;
	}
	r->stack.nr = 0;
	if (r->group)
		*vec_add(&r->stack) = (struct tree_frame){.name = r->group, .kind = FRAME_GROUP};
	for (size_t i = r->frames.nr; i-- > 0;)
		*vec_add(&r->stack) = r->frames.at[i];
	return input_add(r->in, r->stack.at, r->stack.nr, r->value);
}

static int end_event(struct reader *r)
{
	bool drawn = r->open && r->is_drawn;

	r->open = false;
	return drawn ? add_stack(r) : 0;
}

static void add_frame(struct reader *r, const struct perf_frame *frame)
{
	if (r->is_drawn && r->frames.nr <= STACK_FILE_MAX_FRAMES)
		perf_add_frame(&r->frames, r->in->names, frame);
}

static int take_event(struct reader *r, const struct perf_event *event, bool indented)
{
	struct perf_frame frame;
	int err = 0;

	if (!r->begun && may_begin(r, event->event))
		err = begin(r, event);
	if (err)
		return err;
	r->open = true;
	r->orphans = false;
	r->indented = indented;
	r->number = r->in->lines->number;
	r->frames.nr = 0;
	r->is_drawn = r->begun && is_wanted(r, event->event);
	if (!r->is_drawn) {
		note_other(r, event->event);
		return 0;
	}
	if (r->periods && !event->has_period) {
		bad_line(r, "the event has no period, and the first one has");
		r->is_drawn = false;
	}
	r->value = r->periods ? event->period : 1;
	r->group = perf_group(event, r->in->options->group, r->in->names);
	if (indented && event->rest.size && perf_frame_parse(event->rest, &frame))
		add_frame(r, &frame);
	return 0;
}

/* ---- lines */

/* What perf prints below a frame with -F +srcline: "file.c:12", "libc.so.6[27b25]". */
static bool is_source(struct string line)
{
	static const char discriminator[] = " (discriminator ";
	char last = line.s[line.size - 1];
	const char *colon = memrchr(line.s, ':', line.size);

	if (last == ']' && memchr(line.s, '[', line.size))
		return true;
	if (last == ')' && memmem(line.s, line.size, discriminator, strlen(discriminator)))
		return true;
	return colon && last >= '0' && last <= '9' &&
	       strspn(colon + 1, "0123456789") >= (size_t)(line.s + line.size - colon - 1);
}

/* With --show-mmap-events, --show-lost-events, ...: no samples. */
static bool is_record(struct string line)
{
	return memmem(line.s, line.size, "PERF_RECORD_", 12);
}

static bool is_comment(struct string line)
{
	return line.s[0] == '#' && (line.size == 1 || is_blank(line.s[1]));
}

static void no_event(struct reader *r, bool indented)
{
	if (!indented || !r->orphans)
		bad_line(r, "neither an event nor a frame of perf script's");
	r->orphans = true;
}

static int read_line(struct reader *r, struct string line)
{
	bool indented = line.size && is_blank(line.s[0]);
	struct perf_event event;
	struct perf_frame frame;
	int err;

	/* An empty line behind the event's is no end yet. */
	if (!line.size)
		return r->frames.nr ? end_event(r) : 0;
	if (is_comment(line))
		return 0;
	if (r->open && indented && !r->indented) {
		if (perf_frame_parse(line, &frame))
			add_frame(r, &frame);
		else if (r->is_drawn && (!r->frames.nr || !is_source(line)))
			bad_line(r, "no frame: perf script's are ADDRESS SYMBOL (MODULE)");
		return 0;
	}
	if (is_record(line))
		return end_event(r);
	if (perf_event_parse(line, &event)) {
		err = end_event(r);
		return err ? err : take_event(r, &event, indented);
	}
	if (r->open && perf_frame_parse(line, &frame)) {
		add_frame(r, &frame);
		return 0;
	}
	no_event(r, indented);
	return end_event(r);
}

/* ---- what was seen */

static void list_others(const struct reader *r, struct strbuf *b)
{
	vec_for_each (&r->others, other) {
		strbuf_adds(b, b->size ? ", " : "");
		strbuf_adds(b, strings_get(r->in->names, *other).s);
	}
}

static int say_choice(struct reader *r)
{
	_cleanup_strbuf_ struct strbuf others = {};
	struct stack_files *files = r->in->files;

	if (!r->others.nr)
		return 0;
	list_others(r, &others);
	if (!r->begun && r->in->options->view)
		return fail(
			r->in->error, -EINVAL,
			"cannot draw %s: %s has no events of it; it has %s. `wick flame` draws these.",
			r->in->options->view->name, r->in->lines->name, others.s);
	if (!r->begun)
		return fail(r->in->error, -EINVAL, "%s has no event %s; it has %s",
			    r->in->lines->name, r->in->options->event, others.s);
	if (!files->choice[0])
		snprintf(files->choice, sizeof(files->choice),
			 "%s: drawn are the events %s, and not %s; %s--event NAME chooses",
			 r->in->lines->name, strings_get(r->in->names, r->event).s, others.s,
			 r->in->options->view ? "wick flame " : "");
	return 0;
}

static int read_all(struct reader *r)
{
	struct string line;
	int err = 0;

	lines_forget(r->in->lines);
	while (!err && lines_next(r->in->lines, &line))
		err = read_line(r, line);
	if (!err)
		err = end_event(r);
	if (!err)
		err = say_choice(r);
	return err ? err : lines_end(r->in->lines, r->in->error);
}

int perf_script_read(struct input *in)
{
	_cleanup_(reader_release) struct reader r = {.in = in};

	if (in->options->columns == 2)
		return input_refuse(in,
				    "--columns 2 is for folded text, and this is perf script's");
	if (!perf_group_exists(in->options->group))
		return input_refuse(in,
				    "--group takes comm, pid, tid or none for perf script's text");
	if (input_take_columns(in, 1))
		return -EINVAL;
	return read_all(&r);
}

/* ---- */

/* "a;b 12": nothing that perf script prints ends so, but what tracepoints say. */
static bool is_folded(struct string line)
{
	size_t at = line.size;

	while (at && line.s[at - 1] >= '0' && line.s[at - 1] <= '9')
		at--;
	return at && at < line.size && is_blank(line.s[at - 1]);
}

/* An event without a time could be any text, but for the frame below it. */
static bool is_event(struct string line, struct string below)
{
	struct perf_event event;
	struct perf_frame frame;

	if (!perf_event_parse(line, &event))
		return false;
	return event.has_time || (!event.rest.size && perf_frame_parse(below, &frame));
}

static struct string next_line(struct string *text)
{
	const char *end = memchr(text->s, '\n', text->size);
	struct string line = {.s = text->s, .size = end ? (size_t)(end - text->s) : text->size};
	size_t taken = line.size + !!end;

	*text = (struct string){.s = text->s + taken, .size = text->size - taken};
	while (line.size && (is_blank(line.s[line.size - 1]) || line.s[line.size - 1] == '\r'))
		line.size--;
	return line;
}

bool perf_script_is(struct string beginning)
{
	while (beginning.size) {
		struct string line = next_line(&beginning), rest = beginning;

		if (string_begins(line, "# ========"))
			return true;
		if (!line.size || is_comment(line))
			continue;
		if (is_event(line, next_line(&rest)))
			return true;
		if (is_folded(line))
			return false;
	}
	return false;
}
