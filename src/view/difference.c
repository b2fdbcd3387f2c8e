/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference.c: two call trees become one, whose nodes know both values.
 *
 *	before: a;b 6, a;c 2	now: a;b 3, a;d 5	all;a		8 -> 8
 *							all;a;b		6 -> 3
 *							all;a;c		2 -> 0
 *							all;a;d		0 -> 5
 *							all;[gone];a;c	2 wide
 *
 * A stack that is gone has no width now. It is drawn a second time, above a note, as wide as it
 * was; in its own place it still counts for what its callers were.
 */
#include "difference.h"

#include "base/numbers.h"

const char difference_gone[] = "[gone]";

enum { FINER = 1000 };

void difference_init(struct difference *d, const struct strings *names)
{
	*d = (struct difference){.factor = 1};
	call_tree_init(&d->tree, names);
	call_tree_add_before(&d->tree, 0, 0); /* it is a differential, also of nothing */
}

void difference_release(struct difference *d)
{
	call_tree_release(&d->tree);
}

/* Both have frames, and only one of them tells which of them are of any of these kinds. */
static bool only_one_tells(const struct difference *d, unsigned int kinds)
{
	return d->kinds[0] && d->kinds[1] && !(d->kinds[0] & kinds) != !(d->kinds[1] & kinds);
}

static bool is_by_name(const struct difference *d)
{
	const unsigned int code =
		1u << FRAME_KERNEL | 1u << FRAME_INLINED | 1u << FRAME_JIT | 1u << FRAME_WAKER;

	return only_one_tells(d, code) || only_one_tells(d, 1u << FRAME_GROUP);
}

static bool is_compiled(enum frame_kind kind)
{
	return kind == FRAME_USER || kind == FRAME_INLINED;
}

/*
 * A compiler inlines a function in one version of a program and calls it in the next. A frame that
 * is of the user for want of a kind may be of any.
 */
static bool may_be_one(enum frame_kind a, enum frame_kind b, bool by_name)
{
	return a == b || (is_compiled(a) && is_compiled(b)) ||
	       (by_name && (a == FRAME_USER || b == FRAME_USER));
}

/* One that is there already, of another kind. */
static u32 child_of_other_kind(const struct difference *d, u32 parent, struct tree_frame frame)
{
	enum frame_kind wanted = frame.kind;
	bool by_name = is_by_name(d);
	u32 child = 0;

	for (int kind = 0; !child && kind < NR_FRAME_KINDS; kind++) {
		frame.kind = (enum frame_kind)kind;
		if (may_be_one(wanted, frame.kind, by_name))
			child = call_tree_find(&d->tree, parent, &frame);
	}
	return child;
}

static u32 child_of(struct difference *d, u32 parent, const struct tree_frame *frame)
{
	u32 child = call_tree_find(&d->tree, parent, frame);

	if (!child)
		child = child_of_other_kind(d, parent, *frame);
	if (!child)
		return call_tree_child(&d->tree, parent, frame);
	tree_frame_widen(&d->tree.at[child].frame, frame);
	return child;
}

static unsigned int kinds_of(const struct call_tree *tree)
{
	unsigned int kinds = 0;

	for (size_t node = 1; node < tree->nr; node++)
		kinds |= 1u << tree->at[node].frame.kind;
	return kinds;
}

/* The values of the nodes themselves. */
static void add_tree(struct difference *d, const struct call_tree *tree,
		     void (*add)(struct call_tree *to, u32 node, u64 value))
{
	_cleanup_free_ u32 *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	u32 node = 0;

	do {
		const struct tree_node *n = &tree->at[node];

		if (node)
			path[n->depth] = child_of(d, path[n->depth - 1], &n->frame);
		add(&d->tree, path[n->depth], n->self);
		node = call_tree_next(tree, node);
	} while (node);
}

void difference_add(struct difference *d, const struct call_tree *tree, bool is_before)
{
	add_to_sum(is_before ? &d->before : &d->now, tree->sum);
	d->kinds[!is_before] |= kinds_of(tree);
	add_tree(d, tree, is_before ? call_tree_add_before : call_tree_add_self);
}

void difference_add_events(struct difference *d, const struct call_tree *counts)
{
	add_tree(d, counts, call_tree_add_events);
}

void difference_finish(struct difference *d, bool normalise)
{
	call_tree_finish(&d->tree);
	d->normalised = normalise && d->before && d->now;
	d->factor = d->normalised ? (double)d->now / (double)d->before : 1;
}

bool difference_is_significant(double before, double now, double factor)
{
	double nr = before + now, share = factor / (1 + factor);
	double distance = __builtin_fabs(now - nr * share) - 0.5;

	return distance > 0 && distance * distance > 1.96 * 1.96 * nr * share * (1 - share);
}

bool difference_of_sums_is_significant(const struct changed_value *value, double factor)
{
	double nr = (double)value->events;
	double mean = nr ? ((double)value->before + (double)value->now) / nr : 0;
	double change = (double)value->now - (double)value->before * factor;

	return nr && change * change > 1.96 * 1.96 * 2 * mean * mean * nr * factor;
}

double difference_change(const struct difference *d, const struct changed_value *value)
{
	return (double)value->now - (double)value->before * d->factor;
}

/* ---- functions */

struct function_sums {
	struct changed_functions *functions;
	bool by_name;
	struct table table;
	VEC(u32) active; /* by function: how often it is on the path */
};

static bool is_function(const struct function_sums *s, const struct tree_frame *a,
			const struct tree_frame *b)
{
	bool groups = (a->kind == FRAME_GROUP) == (b->kind == FRAME_GROUP);

	return a->name == b->name && (s->by_name ? groups : may_be_one(a->kind, b->kind, false));
}

static u32 function_of(struct function_sums *s, const struct tree_frame *frame)
{
	u64 hash = hash_u64(frame->name);
	struct table_probe p = table_probe(&s->table, hash);

	while (table_next(&p))
		if (is_function(s, &s->functions->at[p.ref].frame, frame))
			return p.ref;
	table_insert(&s->table, hash, (u32)s->functions->nr);
	vec_add(s->functions)->frame = *frame;
	vec_add(&s->active);
	return (u32)s->functions->nr - 1;
}

static void add_value(struct changed_value *to, u64 before, u64 now, u64 events)
{
	add_to_sum(&to->before, before);
	add_to_sum(&to->now, now);
	add_to_sum(&to->events, events);
}

static void count_node(struct function_sums *s, const struct call_tree *tree, u32 node,
		       u32 function)
{
	struct changed_function *f = &s->functions->at[function];

	add_value(&f->self, call_tree_self_before(tree, node), tree->at[node].self,
		  call_tree_self_events(tree, node));
	if (s->active.at[function]++)
		return;
	add_value(&f->total, tree_before(tree, node), tree->at[node].total,
		  tree_events(tree, node));
}

/* `path` has, by depth, the functions down to the node before. */
static void count_functions(struct function_sums *s, const struct call_tree *tree)
{
	_cleanup_free_ u32 *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	u32 depth = 0;

	for (u32 node = call_tree_next(tree, 0); node; node = call_tree_next(tree, node)) {
		const struct tree_node *n = &tree->at[node];

		for (; depth >= n->depth; depth--)
			s->active.at[path[depth]]--;
		depth = n->depth;
		path[depth] = function_of(s, &n->frame);
		count_node(s, tree, node, path[depth]);
	}
}

static int compare_changes(const void *a, const void *b, void *ctx)
{
	const struct changed_function *x = a, *y = b;
	double of_x = __builtin_fabs(difference_change(ctx, &x->self));
	double of_y = __builtin_fabs(difference_change(ctx, &y->self));

	if (of_x == of_y) {
		of_x = __builtin_fabs(difference_change(ctx, &x->total));
		of_y = __builtin_fabs(difference_change(ctx, &y->total));
	}
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return x->frame.name < y->frame.name ? -1 : x->frame.name > y->frame.name;
}

void difference_functions(const struct difference *d, struct changed_functions *functions)
{
	struct function_sums s = {.functions = functions, .by_name = is_by_name(d)};
	size_t kept = 0;

	count_functions(&s, &d->tree);
	vec_for_each (functions, f)
		if (f->frame.kind != FRAME_GROUP)
			functions->at[kept++] = *f;
	functions->nr = kept;
	if (kept)
		qsort_r(functions->at, kept, sizeof(*functions->at), compare_changes, (void *)d);
	table_release(&s.table);
	vec_release(&s.active);
}

/* ---- the tree to draw */

struct drawing {
	const struct difference *d;
	enum difference_part part;
	struct call_tree *to;
	struct tree_frame note;
	u64 finer;  /* values are multiplied with it */
	u64 passed; /* of what was before, in the nodes already drawn ... */
	u64 scaled; /* ... and what that was drawn as */
	u32 *path;  /* by depth: the frames' nodes in d->tree */
};

/*
 * Multiplied, of the next node in preorder. What all nodes up to it have together is rounded down,
 * so that each box, whose nodes follow one another, is right to one.
 */
static u64 scale_before(struct drawing *w, u64 before)
{
	unsigned __int128 all;
	u64 was = w->scaled;

	add_to_sum(&w->passed, before);
	all = w->d->normalised
		      ? (unsigned __int128)w->passed * (w->d->now * w->finer) / w->d->before
		      : (unsigned __int128)w->passed * w->finer;
	w->scaled = saturated(all);
	return w->scaled - was;
}

static bool is_gone(const struct call_tree *tree, u32 node)
{
	return !tree->at[node].total && tree_before(tree, node);
}

/* Above the note, if there is one. */
static u32 gone_node(struct drawing *w, u32 depth)
{
	u32 to = w->part == DIFFERENCE_ALL ? call_tree_child(w->to, 0, &w->note) : 0;

	for (u32 i = 1; i <= depth; i++) {
		struct tree_frame frame = w->d->tree.at[w->path[i]].frame;

		frame.kind = w->part == DIFFERENCE_ALL ? FRAME_GONE : frame.kind;
		to = call_tree_child(w->to, to, &frame);
	}
	return to;
}

static void draw_node(struct drawing *w, u32 node, u32 to)
{
	const struct call_tree *tree = &w->d->tree;
	u64 before = scale_before(w, call_tree_self_before(tree, node));

	if (w->part != DIFFERENCE_GONE) {
		call_tree_add_self(w->to, to, tree->at[node].self * w->finer);
		call_tree_add_before(w->to, to, before);
		if (tree->events.nr)
			call_tree_add_events(w->to, to, call_tree_self_events(tree, node));
	}
	if (w->part != DIFFERENCE_NOW && before && is_gone(tree, node))
		call_tree_add_self(w->to, gone_node(w, tree->at[node].depth), before);
}

void difference_draw(const struct difference *d, enum difference_part part, struct strings *names,
		     struct call_tree *drawing, struct unit *unit)
{
	const struct call_tree *tree = &d->tree;
	_cleanup_free_ u32 *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	_cleanup_free_ u32 *nodes = xcalloc((size_t)tree->max_depth + 1, sizeof(*nodes));
	bool finer =
		d->normalised && !unit->time && !unit->bytes && d->now < UINT64_MAX / FINER / 2;
	struct drawing w = {
		.d = d,
		.part = part,
		.to = drawing,
		.note = {.name = strings_adds(names, difference_gone), .kind = FRAME_GONE},
		.finer = finer ? FINER : 1,
		.path = path,
	};
	u32 node = 0;

	call_tree_init(drawing, names);
	do {
		u32 depth = tree->at[node].depth;

		path[depth] = node;
		if (node && part != DIFFERENCE_GONE)
			nodes[depth] =
				call_tree_child(drawing, nodes[depth - 1], &tree->at[node].frame);
		draw_node(&w, node, nodes[depth]);
		node = call_tree_next(tree, node);
	} while (node);
	call_tree_finish(drawing);
	unit->divisor *= w.finer;
	unit->decimals += finer ? 3 : 0;
}
