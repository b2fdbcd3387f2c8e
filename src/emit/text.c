/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c: the call tree for a host without a browser.
 *
 *	   total    self       samples
 *	 100.00%   0.00%         9,000  all
 *	 100.00%  22.22%         9,000  main
 *	  44.44%  16.67%         4,000  - foo1
 *	  27.78%  27.78%         2,500    bar
 *	  33.33%   5.56%         3,000  - foo2
 *	                                  ...
 *
 * Stacks are deep and rarely branch. So a line is indented where its parent branches, and begins
 * with a dash there; an only callee stands right below its caller. Callees are ordered by their
 * totals. Branches below SMALLEST are not written out: one line for all of a parent's says how
 * many, how much.
 */
#include "emit.h"
#include "base/numbers.h"
#include "label.h"

enum {
	COLUMNS = 80,
	MAX_INDENT = 16,
	SMALLEST = 200, /* a branch below 1/200 of all, 0.5 %, is small */
};

/* A line to be written. Either a node, or `nr` small branches with the sum `total`. */
struct todo {
	u32 node;
	u32 nr;
	u64 total;
	u32 indent;
	bool dash;
};

struct text {
	const struct call_tree *tree;
	const struct unit *unit;
	FILE *out;
	size_t value_columns;
	VEC(struct todo) todo; /* the last one is next */
	struct strbuf line;
	u64 nr_small, small;
};

static void text_release(struct text *t)
{
	vec_release(&t->todo);
	strbuf_release(&t->line);
}

static void add_padded(struct strbuf *b, const struct strbuf *s, size_t columns)
{
	strbuf_addf(b, "%*s%s", (int)(columns > s->size ? columns - s->size : 0), "", s->s);
}

static void add_percent_column(struct text *t, u64 part)
{
	_cleanup_strbuf_ struct strbuf b = {};

	strbuf_add_percent(&b, part, t->tree->at[0].total, 2);
	strbuf_addc(&b, '%');
	add_padded(&t->line, &b, 8);
}

static void add_value_column(struct text *t, u64 value)
{
	_cleanup_strbuf_ struct strbuf b = {};

	strbuf_add_value(&b, value, t->unit);
	add_padded(&t->line, &b, t->value_columns + 2);
}

static void end_line(struct text *t)
{
	strbuf_addc(&t->line, '\n');
	fwrite(t->line.s, 1, t->line.size, t->out);
	strbuf_clear(&t->line);
}

static void begin_branch(struct text *t, const struct todo *todo)
{
	u32 indent = min(todo->indent, (u32)MAX_INDENT);

	strbuf_addf(&t->line, "  %*s%s", (int)(2 * (indent ? indent - 1 : 0)), "",
		    !indent	 ? ""
		    : todo->dash ? "- "
				 : "  ");
}

static void write_node(struct text *t, const struct todo *todo)
{
	const struct tree_node *n = &t->tree->at[todo->node];
	struct string name = tree_name(t->tree, n->frame.name);
	_cleanup_strbuf_ struct strbuf safe = {};
	size_t used;

	if (todo->node)
		strbuf_add_safe_utf8(&safe, name.s, name.size);
	else
		strbuf_adds(&safe, "all");
	add_percent_column(t, n->total);
	add_percent_column(t, n->self);
	add_value_column(t, n->total);
	begin_branch(t, todo);
	used = t->line.size;
	strbuf_add_label(&t->line, (struct string){safe.s ? safe.s : "", safe.size},
			 max((size_t)16, used < COLUMNS ? COLUMNS - used : 0));
	end_line(t);
}

static void write_small(struct text *t, const struct todo *todo)
{
	add_percent_column(t, todo->total);
	strbuf_addf(&t->line, "%8s", "");
	add_value_column(t, todo->total);
	begin_branch(t, todo);
	strbuf_addf(&t->line, "(%u smaller)", todo->nr);
	end_line(t);
}

static bool is_small(const struct text *t, u64 total)
{
	return !total || total < t->tree->at[0].total / SMALLEST;
}

/* Smallest first; of equals the one that sorts last by name, which has the higher position. */
static int compare_todo(const void *a, const void *b)
{
	const struct todo *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	return x->indent > y->indent ? -1 : 1;
}

/* Pushes what is below a node, the largest last. While they are sorted, `indent` is a position. */
static void push_children(struct text *t, const struct todo *parent)
{
	struct todo small = {};
	size_t first = t->todo.nr;
	u32 indent = parent->indent, position = 0, child = t->tree->at[parent->node].first_child;
	bool branches;

	for (; child; child = t->tree->at[child].next_sibling) {
		u64 total = t->tree->at[child].total;

		if (is_small(t, total)) {
			small.nr++;
			add_to_sum(&small.total, total);
		} else {
			*vec_add(&t->todo) = (struct todo){child, 0, total, position++, false};
		}
	}
	qsort(t->todo.at + first, t->todo.nr - first, sizeof(struct todo), compare_todo);
	if (small.nr && !is_small(t, small.total)) {
		*vec_add(&t->todo) = small;
		memmove(t->todo.at + first + 1, t->todo.at + first,
			(t->todo.nr - first - 1) * sizeof(struct todo));
		t->todo.at[first] = small;
	}
	t->nr_small += small.nr;
	add_to_sum(&t->small, small.total);
	branches = t->todo.nr - first > 1;
	for (size_t i = first; i < t->todo.nr; i++) {
		t->todo.at[i].indent = indent + branches;
		t->todo.at[i].dash = branches;
	}
}

static void write_wrapped(struct text *t, const char *s)
{
	struct string line;

	while (s && label_wrap(&s, COLUMNS, &line)) {
		strbuf_add_safe_utf8(&t->line, line.s, line.size);
		end_line(t);
	}
}

static void write_header(struct text *t, const struct caption *caption)
{
	_cleanup_strbuf_ struct strbuf largest = {}, unit = {};

	strbuf_add_safe_utf8(&unit, t->unit->name, strlen(t->unit->name));
	strbuf_add_value(&largest, t->tree->at[0].total, t->unit);
	t->value_columns = max(largest.size, unit.size);
	write_wrapped(t, caption->title);
	write_wrapped(t, caption->subtitle);
	if (caption->reverse)
		write_wrapped(t, "Leaf first: callers stand below what they call.");
	end_line(t);
	strbuf_addf(&t->line, "%8s%8s", "total", "self");
	add_padded(&t->line, &unit, t->value_columns + 2);
	end_line(t);
}

static void write_footer(struct text *t)
{
	if (!t->nr_small)
		return;
	end_line(t);
	strbuf_addf(&t->line, "%llu branches under %d.%d %% each are left out, in all ",
		    (unsigned long long)t->nr_small, 100 / SMALLEST, 1000 / SMALLEST % 10);
	strbuf_add_percent(&t->line, t->small, t->tree->at[0].total, 2);
	strbuf_adds(&t->line, " %.");
	end_line(t);
}

static int write_text(const struct call_tree *tree, const struct caption *caption, FILE *out,
		      struct error *error)
{
	_cleanup_(text_release) struct text t = {.tree = tree, .unit = &caption->unit, .out = out};

	(void)error;
	write_header(&t, caption);
	*vec_add(&t.todo) = (struct todo){.total = tree->at[0].total};
	while (t.todo.nr) {
		struct todo todo = t.todo.at[--t.todo.nr];

		if (todo.nr) {
			write_small(&t, &todo);
			continue;
		}
		write_node(&t, &todo);
		push_children(&t, &todo);
	}
	write_footer(&t);
	return 0;
}

const struct format text_format = {
	.name = "text",
	.suffix = ".txt",
	.summary = "call tree with percents, for a terminal",
	.write = write_text,
};
