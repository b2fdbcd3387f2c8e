/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.c: one line a distinct stack, `frame;frame;...;leaf VALUE`, sorted bytewise by frame.
 *
 * Names as they are written differ from names as they are: `;` would cut a frame in two, a space in
 * a thread's name confuses tools that split lines at spaces, control bytes would end a line. Frames
 * that differed may be equal afterwards, and sort elsewhere. So the tree is built once more, of the
 * written names, which sums equal lines and sorts them; then it is only printed.
 *
 * Converting the unit loses nothing: what a line's division leaves goes to the next line, and the
 * values of all lines add up to the total, rounded down once. A stack smaller than one unit may
 * so be written with 0: it was seen. What was read with decimals is written with them.
 *
 * The first line says which view of wick's the text is, and in which unit: include/stack_file.h.
 */
#include "emit.h"
#include "base/strbuf.h"

struct written {
	struct strings names;
	struct call_tree tree;
};

static void written_release(struct written *w)
{
	call_tree_release(&w->tree);
	strings_release(&w->names);
}

static void escape(struct strbuf *b, struct string name, enum frame_kind kind)
{
	size_t begin = b->size;

	strbuf_add_safe_utf8(b, name.s, name.size);
	for (char *c = b->s + begin; b->size > begin && *c; c++) {
		if (*c == ';')
			*c = ':';
		else if (*c == ' ' && kind == FRAME_GROUP)
			*c = '_';
	}
}

static u32 written_name(struct written *w, const struct call_tree *tree,
			const struct tree_frame *frame, bool annotate)
{
	_cleanup_strbuf_ struct strbuf name = {};

	escape(&name, tree_name(tree, frame->name), frame->kind);
	if (annotate)
		strbuf_adds(&name, frame_suffixes[frame->kind]);
	return strings_add(&w->names, name.s ? name.s : "", name.size);
}

/* `node` of one tree is `to` of the other. */
static void add_values(struct written *w, u32 to, const struct call_tree *tree, u32 node)
{
	if (tree->at[node].self)
		call_tree_add_self(&w->tree, to, tree->at[node].self);
	if (tree->before.nr)
		call_tree_add_before(&w->tree, to, call_tree_self_before(tree, node));
}

static u32 child_of(struct written *w, const struct call_tree *tree, u32 parent, u32 node,
		    bool annotate)
{
	struct tree_frame frame = {
		.name = written_name(w, tree, &tree->at[node].frame, annotate),
	};

	return tree->chart ? call_tree_append(&w->tree, parent, &frame)
			   : call_tree_child(&w->tree, parent, &frame);
}

/* The preorder visits each node once; `path` has the written nodes down to it. */
static void rewrite(struct written *w, const struct call_tree *tree, bool annotate)
{
	_cleanup_free_ u32 *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	u32 node = 0;

	do {
		u32 depth = tree->at[node].depth;

		if (node)
			path[depth] = child_of(w, tree, path[depth - 1], node, annotate);
		add_values(w, path[depth], tree, node);
		node = call_tree_next(tree, node);
	} while (node);
	call_tree_finish(&w->tree);
}

/* A column; what a division leaves goes to the next line. */
struct column {
	const struct unit *unit;
	u64 carry;
};

static void add_value(struct strbuf *line, struct column *column, u64 value)
{
	u64 divisor = column->unit->divisor, whole = value / divisor;

	strbuf_addc(line, ' ');
	if (column->unit->decimals) {
		strbuf_addf(line, "%llu.%0*llu", (unsigned long long)whole,
			    (int)column->unit->decimals, (unsigned long long)(value % divisor));
		return;
	}
	column->carry += value % divisor;
	whole += column->carry / divisor;
	column->carry %= divisor;
	strbuf_add_digits(line, whole);
}

static bool begins_with_groups(const struct call_tree *tree)
{
	bool groups = false;

	for (u32 c = tree->at[0].first_child; c; c = tree->at[c].next_sibling) {
		if (tree->at[c].frame.kind != FRAME_GROUP && tree->at[c].frame.kind != FRAME_NOTE)
			return false;
		groups |= tree->at[c].frame.kind == FRAME_GROUP;
	}
	return groups;
}

static void print_header(const struct call_tree *tree, const struct caption *caption, FILE *out)
{
	if (caption->view)
		fprintf(out, "# wick view=%s%s unit=%s\n", caption->view,
			begins_with_groups(tree) ? " root=group" : "", caption->unit.name);
}

/* `path` holds the line of the node before; its common part is kept. */
static void print(const struct call_tree *tree, const struct unit *unit, FILE *out)
{
	_cleanup_strbuf_ struct strbuf path = {};
	_cleanup_free_ size_t *ends = xcalloc((size_t)tree->max_depth + 1, sizeof(*ends));
	struct column before = {.unit = unit}, now = before;
	u32 node = 0;

	do {
		const struct tree_node *n = &tree->at[node];
		struct string name = tree_name(tree, n->frame.name);
		u64 was = call_tree_self_before(tree, node);

		if (n->depth) {
			path.size = ends[n->depth - 1];
			if (n->depth > 1)
				strbuf_addc(&path, ';');
			strbuf_add(&path, name.s, name.size);
		}
		ends[n->depth] = path.size;
		if (n->self || was) {
			if (tree->before.nr)
				add_value(&path, &before, was);
			add_value(&path, &now, n->self);
			strbuf_addc(&path, '\n');
			fwrite(path.s, 1, path.size, out);
		}
		node = call_tree_next(tree, node);
	} while (node);
}

static int write_folded(const struct call_tree *tree, const struct caption *caption, FILE *out,
			struct error *error)
{
	_cleanup_(written_release) struct written w = {};

	(void)error;
	strings_init(&w.names);
	call_tree_init(&w.tree, &w.names);
	rewrite(&w, tree, caption->annotate);
	print_header(tree, caption, out);
	print(&w.tree, &caption->unit, out);
	return 0;
}

const struct format folded_format = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "one line a stack, for other tools and for wick flame",
	.recorded = true,
	.differentials = true,
	.write = write_folded,
};
