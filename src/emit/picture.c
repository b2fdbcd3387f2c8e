/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.c: one walk over the tree, in preorder, decides what is drawn. Callees begin where their
 * caller begins and stand side by side, sorted by name; what is left of the caller is its own time.
 * A node that is too thin has only thinner ones below it, so the walk goes on after them.
 */
#include "picture.h"
#include "base/numbers.h"
#include "label.h"

u64 picture_edge(const struct picture *p, u64 offset)
{
	u64 width = (u64)(p->width - 2 * PAD) * 1000;

	return picture_all(p) ? (u64)((unsigned __int128)offset * width / picture_all(p)) : 0;
}

static bool wide_enough(const struct picture *p, u64 total)
{
	double width = p->width - 2 * PAD;

	return total && (double)total * (width / (double)picture_all(p)) >= p->caption->min_width;
}

static void place_children(struct picture *p, u32 node)
{
	u64 start = p->start[node];

	for (u32 c = p->tree->at[node].first_child; c; c = p->tree->at[c].next_sibling) {
		p->start[c] = start;
		add_to_sum(&start, p->tree->at[c].total);
	}
}

static u32 count_nodes(const struct picture *p, u32 node, u32 end)
{
	u32 nr = 0;

	for (; node != end; node = call_tree_next(p->tree, node))
		nr++;
	return nr;
}

/* A thin node: it joins the run that ends at it, if that one is of siblings. */
static void add_thin(struct picture *p, u32 node)
{
	const struct tree_node *n = &p->tree->at[node];
	struct run *run = p->runs.nr ? &p->runs.at[p->runs.nr - 1] : NULL;
	u32 end = call_tree_skip(p->tree, node), nr = count_nodes(p, node, end);

	if (!run || run->end != node || run->depth != n->depth) {
		run = vec_add(&p->runs);
		run->depth = n->depth;
		run->start = p->start[node];
	}
	add_to_sum(&run->total, n->total);
	run->nr += nr;
	run->end = end;
	p->nr_thin += nr;
	add_to_sum(&p->thin, n->total);
}

bool picture_has_run(const struct picture *p, const struct run *run)
{
	return wide_enough(p, run->total);
}

static void place_boxes(struct picture *p)
{
	u32 deepest = 0, node = 0;

	do {
		const struct tree_node *n = &p->tree->at[node];

		if (node && !wide_enough(p, n->total)) {
			add_thin(p, node);
			node = call_tree_skip(p->tree, node);
			continue;
		}
		p->drawn[node] = true;
		deepest = max(deepest, n->depth);
		place_children(p, node);
		node = call_tree_next(p->tree, node);
	} while (node);
	vec_for_each (&p->runs, run)
		if (picture_has_run(p, run))
			deepest = max(deepest, run->depth);
	p->rows = deepest + 1;
}

size_t picture_columns(const struct picture *p)
{
	return (size_t)(p->width - 2 * PAD) * 1000 / CHAR;
}

bool picture_has_legend(const struct picture *p)
{
	return !p->caption->colors;
}

static void place_rows(struct picture *p)
{
	const char *at = p->caption->subtitle;
	struct string line;

	p->top = PAD + (p->caption->title ? TITLE : 0);
	while (at && label_wrap(&at, picture_columns(p), &line))
		p->top += LINE;
	p->top += (picture_has_legend(p) ? LINE : 0) + PAD;
	p->height = p->top + p->rows * ROW + BAR + 4;
}

unsigned int picture_row(const struct picture *p, u32 depth)
{
	return p->top + (p->caption->inverted ? depth : p->rows - 1 - depth) * ROW;
}

static u32 safe_name(struct picture *p, u32 ref)
{
	struct string name = tree_name(p->tree, ref);
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, name.s, name.size);
	return strings_add(&p->safe, safe.s ? safe.s : "", safe.size);
}

static u32 add_shown(struct picture *p, const struct tree_frame *frame)
{
	struct shown *s = vec_add(&p->shown);

	s->frame = *frame;
	s->name = safe_name(p, frame->name);
	s->module = safe_name(p, frame->module);
	s->color = palette_color(p->palette, strings_get(&p->safe, s->name), frame->kind);
	return (u32)(p->shown.nr - 1);
}

static u32 shown_frame(struct picture *p, const struct tree_frame *frame)
{
	u64 hash = hash_u64((u64)frame->module << 32 | frame->name) + hash_u64(frame->kind);
	struct table_probe probe = table_probe(&p->shown_table, hash);
	u32 ref;

	while (table_next(&probe)) {
		const struct tree_frame *other = &p->shown.at[probe.ref].frame;

		if (other->name == frame->name && other->module == frame->module &&
		    other->kind == frame->kind)
			return probe.ref;
	}
	ref = add_shown(p, frame);
	table_insert(&p->shown_table, hash, ref);
	return ref;
}

/* The root has no frame; it is shown as one that no other node can have. */
static void name_nodes(struct picture *p)
{
	struct shown *root = vec_add(&p->shown);

	root->name = strings_adds(&p->safe, "all");
	root->color = 0xd8dee4;
	root->frame.kind = FRAME_NOTE;
	for (u32 node = call_tree_next(p->tree, 0); node; node = call_tree_next(p->tree, node))
		p->shown_of[node] = shown_frame(p, &p->tree->at[node].frame);
}

u64 picture_left(const struct picture *p, u32 node)
{
	return picture_edge(p, p->start[node]);
}

/* Where what begins at `start` and is `total` ends. */
static u64 end_of(const struct picture *p, u64 start, u64 total)
{
	add_to_sum(&start, total);
	return picture_edge(p, start);
}

u64 picture_run_end(const struct picture *p, const struct run *run)
{
	return end_of(p, run->start, run->total);
}

/* The root's box has the full width, also when all there is adds up to 0. */
u64 picture_right(const struct picture *p, u32 node)
{
	if (!node)
		return (u64)(p->width - 2 * PAD) * 1000;
	return end_of(p, p->start[node], p->tree->at[node].total);
}

bool picture_init(struct picture *p, const struct call_tree *tree, const struct caption *caption)
{
	const struct palette *palette = palette_find(caption->colors);

	if (!palette)
		return false;
	*p = (struct picture){.tree = tree, .caption = caption, .palette = palette};
	strings_init(&p->safe);
	p->shown_of = xcalloc(tree->nr, sizeof(*p->shown_of));
	p->start = xcalloc(tree->nr, sizeof(*p->start));
	p->drawn = xcalloc(tree->nr, sizeof(*p->drawn));
	p->width = caption->width ? max(caption->width, (unsigned int)MIN_WIDTH) : WIDTH;
	name_nodes(p);
	place_boxes(p);
	place_rows(p);
	return true;
}

void picture_release(struct picture *p)
{
	strings_release(&p->safe);
	vec_release(&p->shown);
	table_release(&p->shown_table);
	vec_release(&p->runs);
	free(p->shown_of);
	free(p->start);
	free(p->drawn);
}
