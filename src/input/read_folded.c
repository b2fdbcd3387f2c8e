/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_folded.c: folded text becomes a call tree.
 *
 *	java;start_thread;func_a;[unknown];do_syscall_64_[k] 12
 *	^         ^                ^             ^           ^
 *	group   frames, root     a note    kernel, by its    value: after the last blank,
 *	frame      first                      suffix         so that a frame may have blanks
 *
 * The text may come from anywhere. A line that cannot be read is left out and counted: a picture of
 * half the lines looks like a picture of all of them, so the command says how many there were.
 */
#include "folded_nodes.h"
#include "operations.h"
#include "view.h"

enum {
	MAX_FRACTION = 6,   /* digits */
	BYTES_PER_NODE = 16 /* at least, in most files */
};

struct reader {
	struct input *in;
	unsigned int columns;
	struct folded_nodes nodes;
	struct frames frames; /* of the stack, where there are operations */
};

/* A line's stack and counts, as text. */
struct parts {
	struct string stack;
	struct string
		counts[2]; /* the last one is the value; the one before it, if there are two */
	unsigned int nr;
};

static void reader_release(struct reader *r)
{
	folded_nodes_release(&r->nodes);
	vec_release(&r->frames);
}

#define fail_line(r, fmt, ...)                                                                     \
	fail((r)->in->error, -EINVAL, "%s:%llu: " fmt, (r)->in->lines->name,                       \
	     (unsigned long long)(r)->in->lines->number, ##__VA_ARGS__)

/* Leaves the line out. */
static int bad_line(struct reader *r, const char *why)
{
	input_leave_out(r->in, "line", r->in->lines->number, why);
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 12, 1.5, 2. */
static bool is_count(struct string s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.size; i++) {
		if (!is_digit(s.s[i]) && (s.s[i] != '.' || dots++))
			return false;
	}
	return s.size && is_digit(s.s[0]);
}

/* Cuts a count and the blanks before it off the end of `s`. */
static bool take_count(struct string *s, struct string *count)
{
	size_t begin = s->size, rest;

	while (begin && !is_blank(s->s[begin - 1]))
		begin--;
	*count = (struct string){s->s + begin, s->size - begin};
	if (!begin || !is_count(*count))
		return false;
	for (rest = begin; rest && is_blank(s->s[rest - 1]);)
		rest--;
	s->size = rest;
	return true;
}

/* At most `columns` counts. */
static struct parts parse_line(struct string line, unsigned int columns)
{
	struct parts parts = {.stack = line};

	while (parts.nr < columns && take_count(&parts.stack, &parts.counts[parts.nr]))
		parts.nr++;
	return parts;
}

static bool is_comment(struct string line)
{
	return !line.size || (line.s[0] == '#' && (line.size == 1 || is_blank(line.s[1])));
}

/* ---- counts */

/* Tenths, hundredths, ...: all values become multiples of smaller units. */
static int refine(struct reader *r, u64 digits)
{
	struct unit *unit = &r->in->files->unit;

	folded_nodes_finish(&r->nodes);
	while (!unit->time && !unit->bytes && unit->divisor % digits) {
		if (call_tree_scale(r->in->tree, 10))
			return fail_line(r,
					 "the sum of the counts, with fractions, is 2^64 or more");
		unit->divisor *= 10;
		unit->decimals++;
		r->in->files->gone *= 10;
		if (r->in->options->operations)
			operations_scale(r->in->options->operations, 10);
	}
	return 0;
}

/* What is behind the dot, in the tree's unit. */
static int parse_fraction(struct reader *r, struct string s, u64 *value)
{
	u64 fraction = 0, scale = 1;

	while (s.size && s.s[s.size - 1] == '0')
		s.size--;
	for (size_t i = 0; i < min(s.size, (size_t)MAX_FRACTION); i++) {
		fraction = fraction * 10 + (u64)(s.s[i] - '0');
		scale *= 10;
	}
	if (fraction && refine(r, scale))
		return -EINVAL;
	*value = (fraction * r->in->files->unit.divisor + scale / 2) / scale;
	return 0;
}

static int parse_count(struct reader *r, struct string s, u64 *count)
{
	const char *dot = memchr(s.s, '.', s.size);
	size_t whole = dot ? (size_t)(dot - s.s) : s.size;
	u64 value = 0, fraction = 0, sum;
	bool large = false;

	if (dot && parse_fraction(r, (struct string){dot + 1, s.size - whole - 1}, &fraction))
		return -EINVAL;
	for (size_t i = 0; i < whole; i++) {
		large |= __builtin_mul_overflow(value, 10, &value);
		large |= __builtin_add_overflow(value, (u64)(s.s[i] - '0'), &value);
	}
	large |= __builtin_mul_overflow(value, r->in->files->unit.divisor, &value);
	large |= __builtin_add_overflow(value, fraction, &value);
	if (large ||
	    __builtin_add_overflow(r->in->tree->sum + folded_nodes_sum(&r->nodes), value, &sum))
		return fail_line(r, "the sum of the counts is 2^64 or more");
	*count = value;
	return 0;
}

/* ---- with operations, which take whole stacks */

static void parse_frames(struct reader *r, struct string stack)
{
	size_t at = 0;

	r->frames.nr = 0;
	while (stack.size && at <= stack.size) {
		const char *next = memchr(stack.s + at, ';', stack.size - at);
		size_t end = next ? (size_t)(next - stack.s) : stack.size;

		*vec_add(&r->frames) =
			input_frame(r->in, stack.s + at, end - at, folded_kind_at(&r->nodes, at));
		at = end + 1;
	}
}

/* ---- */

static bool is_deep(struct string stack)
{
	size_t nr = 1;

	for (size_t i = 0; stack.size >= STACK_FILE_MAX_FRAMES && i < stack.size; i++)
		nr += stack.s[i] == ';';
	return nr > STACK_FILE_MAX_FRAMES;
}

/* What a stack was, and is no longer, has no width. */
static int add_gone(struct reader *r, u64 before)
{
	r->in->files->nr_gone++;
	if (__builtin_add_overflow(r->in->files->gone, before, &r->in->files->gone))
		return fail_line(r, "the sum of the counts is 2^64 or more");
	return 0;
}

/* False: the operations remove it. */
static bool operate(struct reader *r, struct string stack, u64 value)
{
	struct operations *operations = r->in->options->operations;

	if (!operations)
		return true;
	parse_frames(r, stack);
	return operations_apply(operations, r->in->names, r->frames.at, &r->frames.nr, value);
}

/* What the operations left of the stack. */
static void add_stack_frames(struct reader *r, u64 value, u64 before)
{
	input_add_counts(r->in, input_node(r->in, r->frames.at, r->frames.nr), value, before);
}

static int add_stack(struct reader *r, const struct parts *parts)
{
	u64 value, before = 0;

	if (parse_count(r, parts->counts[0], &value) ||
	    (parts->nr == 2 && parse_count(r, parts->counts[1], &before)))
		return -EINVAL;
	r->in->files->nr_stacks++;
	if (!operate(r, parts->stack, value))
		return 0;
	if (parts->nr == 2 && before && !value && add_gone(r, before))
		return -EINVAL;
	if (r->in->options->operations)
		add_stack_frames(r, value, before);
	else
		folded_nodes_add(&r->nodes, parts->stack, value, before);
	return 0;
}

static int read_line(struct reader *r, struct string line)
{
	struct parts parts;

	if (is_comment(line))
		return 0;
	parts = parse_line(line, r->columns);
	if (!parts.nr)
		return bad_line(r, "no count at the end; a line is 'frame;frame;frame 123'");
	if (parts.nr < r->columns)
		return bad_line(r, "one count, where --columns 2 asks for two");
	if (is_deep(parts.stack))
		return bad_line(r, "the stack has more than 65536 frames");
	return add_stack(r, &parts);
}

/* ---- what the file says of itself */

/* The value of "KEY=" in "# wick KEY=VALUE KEY=VALUE". */
static char *value_of(struct string line, const char *key)
{
	_cleanup_free_ char *text = format("%.*s ", (int)min(line.size, (size_t)1000), line.s);
	_cleanup_free_ char *wanted = format(" %s=", key);
	const char *found = strstr(text, wanted);

	if (!found)
		return xstrdup("");
	found += strlen(wanted);
	return format("%.*s", (int)strcspn(found, " "), found);
}

struct header {
	const struct view *view;
	struct unit unit;
	bool groups;
};

/* A view or unit that is not known, of a later wick, is none. */
static struct header parse_header(struct string line)
{
	struct header header = {.unit = STACK_FILES_NONE.unit};
	_cleanup_free_ char *view = NULL, *unit = NULL, *root = NULL;
	const struct metric *metric;

	if (!string_begins(line, "# wick "))
		return header;
	view = value_of(line, "view");
	unit = value_of(line, "unit");
	root = value_of(line, "root");
	header.groups = !strcmp(root, "group");
	header.view = view_of_command(view);
	metric = header.view && *unit ? metric_by_name(header.view, unit) : NULL;
	if (metric)
		header.unit = metric->unit;
	return header;
}

static int check_encoding(const struct reader *r, struct string line)
{
	if (string_begins(line, "\xff\xfe") || string_begins(line, "\xfe\xff"))
		return fail(r->in->error, -EINVAL,
			    "%s is UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
			    r->in->lines->name);
	return 0;
}

/* Of the view that is wanted, and in its metric. */
static int check_view(const struct reader *r, const struct header *header)
{
	const struct stack_file_options *o = r->in->options;

	if (!o->view)
		return 0;
	if (o->view != header->view)
		return fail(r->in->error, -EINVAL,
			    "cannot draw %s: %s %s%s. `wick flame` draws any stacks.",
			    o->view->name, r->in->lines->name,
			    header->view ? "is of " : "does not say what its stacks are of",
			    header->view ? header->view->name : "");
	if (strcmp(o->metric, header->unit.name))
		return fail(r->in->error, -EINVAL, "%s has no %s; it has %s", r->in->lines->name,
			    o->metric, header->unit.name);
	return 0;
}

/* The file's first line. */
static int read_header(struct reader *r)
{
	struct header header = parse_header((struct string){});
	struct string line;

	if (lines_next(r->in->lines, &line)) {
		if (check_encoding(r, line))
			return -EINVAL;
		header = parse_header(line);
	}
	lines_rewind(r->in->lines);
	if (check_view(r, &header))
		return -EINVAL;
	folded_nodes_begin(&r->nodes, r->in, header.groups && !r->in->options->reverse,
			   lines_size(r->in->lines));
	return input_begin(r->in, header.view, header.unit);
}

/* Two counts, if every stack has them; one line without says that there is one. */
static unsigned int count_columns(struct reader *r)
{
	unsigned int columns = 1;
	struct string line;

	while (lines_next(r->in->lines, &line)) {
		struct parts parts = parse_line(line, 2);

		if (is_comment(line) || !parts.nr)
			continue;
		columns = parts.nr;
		if (columns == 1)
			break;
	}
	return columns;
}

static int choose_columns(struct reader *r)
{
	r->columns = r->in->options->columns ? r->in->options->columns : count_columns(r);
	/* A line too long is not kept twice. */
	lines_rewind(r->in->lines);
	lines_forget(r->in->lines);
	return input_take_columns(r->in, r->columns);
}

static int read_all(struct reader *r)
{
	struct string line;
	int err = read_header(r);

	if (!err)
		err = choose_columns(r);
	if (err)
		return err;
	call_tree_reserve(r->in->tree, lines_size(r->in->lines) / BYTES_PER_NODE);
	while (lines_next(r->in->lines, &line)) {
		if (r->in->lines->number == 1 && string_begins(line, "\xef\xbb\xbf"))
			line = (struct string){line.s + 3, line.size - 3};
		err = read_line(r, line);
		if (err)
			return err;
	}
	folded_nodes_finish(&r->nodes);
	return lines_end(r->in->lines, r->in->error);
}

int read_folded(struct input *in)
{
	_cleanup_(reader_release) struct reader r = {.in = in};

	if ((in->options->metric && !in->options->view) || in->options->event || in->options->group)
		return input_refuse(in,
				    "--metric, --event and --group are for profiles of pprof and "
				    "perf script's text, and this is folded text");
	return read_all(&r);
}
