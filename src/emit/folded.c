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
 * so be written with 0: it was seen.
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

struct frames {
	VEC_FIELDS(struct tree_frame);
};

/* The preorder visits each node once; `path` has the frames down to it. */
static void rewrite(struct written *w, const struct call_tree *tree, bool annotate)
{
	struct frames path = {};

	vec_reserve(&path, (size_t)tree->max_depth + 1);
	if (tree->at[0].self)
		call_tree_add(&w->tree, NULL, 0, tree->at[0].self);
	for (u32 node = call_tree_next(tree, 0); node; node = call_tree_next(tree, node)) {
		const struct tree_node *n = &tree->at[node];

		path.at[n->depth - 1] = (struct tree_frame){
			.name = written_name(w, tree, &n->frame, annotate),
		};
		if (n->self)
			call_tree_add(&w->tree, path.at, n->depth, n->self);
	}
	vec_release(&path);
	call_tree_finish(&w->tree);
}

/* `path` holds the line of the node before; its common part is kept. */
static void print(const struct call_tree *tree, u64 divisor, FILE *out)
{
	_cleanup_strbuf_ struct strbuf path = {};
	_cleanup_free_ size_t *ends = xcalloc((size_t)tree->max_depth + 1, sizeof(*ends));
	u64 carry = 0;

	for (u32 node = 0;;) {
		const struct tree_node *n = &tree->at[node];
		struct string name = tree_name(tree, n->frame.name);

		if (n->depth) {
			path.size = ends[n->depth - 1];
			if (n->depth > 1)
				strbuf_addc(&path, ';');
			strbuf_add(&path, name.s, name.size);
		}
		ends[n->depth] = path.size;
		if (n->self) {
			u64 value = n->self / divisor;

			carry += n->self % divisor;
			value += carry / divisor;
			carry %= divisor;
			fwrite(path.s ? path.s : "", 1, path.size, out);
			fprintf(out, " %llu\n", (unsigned long long)value);
		}
		node = call_tree_next(tree, node);
		if (!node)
			return;
	}
}

static int write_folded(const struct call_tree *tree, const struct caption *caption, FILE *out,
			struct error *error)
{
	_cleanup_(written_release) struct written w = {};

	(void)error;
	strings_init(&w.names);
	call_tree_init(&w.tree, &w.names);
	rewrite(&w, tree, caption->annotate);
	print(&w.tree, caption->unit.divisor, out);
	return 0;
}

const struct format folded_format = {
	.name = "folded",
	.suffix = ".folded",
	.summary = "one line a stack, for other tools and for wick flame",
	.recorded = true,
	.write = write_folded,
};
