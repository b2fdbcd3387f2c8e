/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.c: one walk over the tree, in preorder, decides what is drawn. Callees begin where their
 * caller begins and stand side by side, sorted by name; what is left of the caller is its own time.
 * A node that is too thin has only thinner ones below it, so the walk goes on after them.
 */
#include "picture.h"
#include "base/numbers.h"
#include "color_map.h"
#include "label.h"

u64 picture_edge(const struct picture *p, u64 offset)
{
	u64 width = (u64)(p->width - 2 * PAD) * 1000;

	return p->span ? (u64)((unsigned __int128)offset * width / p->span) : 0;
}

static bool wide_enough(const struct picture *p, u64 total)
{
	double width = p->width - 2 * PAD, all = (double)p->span;

	return total && total >= p->least &&
	       (double)total * (width / all) >= p->caption->min_width &&
	       (double)total * 100 >= p->caption->min_percent * all;
}

bool picture_has_run(const struct picture *p, const struct run *run)
{
	return wide_enough(p, run->total);
}

/* The one walk over the tree. */
struct walk {
	struct picture *p;
	u64 *cursors;	/* by depth, on the path: where the next callee begins */
	bool thin;	/* was the node before this one too thin? */
	u32 thin_depth; /* of the outermost of those that are too thin, if so */
};

static u64 place(struct walk *w, u32 node)
{
	const struct tree_node *n = &w->p->tree->at[node];
	u64 start = n->depth ? w->cursors[n->depth - 1] + tree_lead(w->p->tree, node) : 0;

	if (n->depth)
		add_to_sum(&w->cursors[n->depth - 1], n->total);
	w->cursors[n->depth] = start;
	return start;
}

/* A run that stays too thin to be drawn itself, as most do in a large tree, makes room for it. */
static struct run *new_run(struct picture *p)
{
	struct run *last = p->runs.nr ? &p->runs.at[p->runs.nr - 1] : NULL;

	if (!last || picture_has_run(p, last))
		return vec_add(&p->runs);
	*last = (struct run){};
	return last;
}

/* It joins the run that ends at it, if that one is of siblings. */
static void add_thin(struct walk *w, const struct tree_node *n, u64 start)
{
	struct picture *p = w->p;
	struct run *run = w->thin ? &p->runs.at[p->runs.nr - 1] : NULL;

	if (!run || run->depth != n->depth || run->start + run->total != start) {
		run = new_run(p);
		run->depth = n->depth;
		run->start = start;
	}
	add_to_sum(&run->total, n->total);
	add_to_sum(&p->thin, n->total);
	w->thin = true;
	w->thin_depth = n->depth;
}

static void visit(struct walk *w, u32 node, u32 shown)
{
	struct picture *p = w->p;
	const struct tree_node *n = &p->tree->at[node];
	bool in_thin = w->thin && n->depth > w->thin_depth;
	u64 start = place(w, node);

	/* What is gone from a differential is not thin: it is not there. */
	if (node && !n->total)
		return;
	if (!in_thin && (!node || wide_enough(p, n->total))) {
		*vec_add(&p->boxes) = (struct box){.node = node, .shown = shown, .start = start};
		p->rows = max(p->rows, n->depth + 1);
		w->thin = false;
		return;
	}
	if (!in_thin)
		add_thin(w, n, start);
	p->runs.at[p->runs.nr - 1].nr++;
	p->nr_thin++;
}

size_t picture_columns(const struct picture *p)
{
	return (size_t)(p->width - 2 * PAD) * 1000 / p->char_width;
}

bool picture_has_legend(const struct picture *p)
{
	return palette_shows_kinds(p->palette) || picture_is_differential(p);
}

bool picture_is_differential(const struct picture *p)
{
	return p->tree->before.nr > 0;
}

static void find_gone(struct picture *p)
{
	u32 child = p->tree->at[0].first_child;

	for (; picture_is_differential(p) && child; child = p->tree->at[child].next_sibling)
		if (p->tree->at[child].frame.kind == FRAME_GONE)
			add_to_sum(&p->gone, p->tree->at[child].total);
}

static void find_largest_delta(struct picture *p)
{
	for (u32 node = 1; picture_is_differential(p) && node < p->tree->nr; node++) {
		u64 now = p->tree->at[node].total, before = tree_before(p->tree, node);

		if (p->tree->at[node].frame.kind == FRAME_GONE)
			continue;

		p->largest_delta =
			max(p->largest_delta, now > before ? now - before : before - now);
	}
}

/* `-` and `--` stand between stacks, and are grey in every picture. */
static bool is_separator(struct string name)
{
	return name.size && name.size <= 2 && !memcmp(name.s, "--", name.size);
}

struct string picture_name(const struct picture *p, const struct shown *s)
{
	return s->safe ? strings_get(&p->safe, s->safe) : tree_name(p->tree, s->name);
}

u32 picture_color(const struct picture *p, const struct box *box)
{
	const struct shown *s = picture_shown(p, box);
	u32 node = box->node;
	u64 now = p->tree->at[node].total, before = tree_before(p->tree, node);
	bool more = now > before;

	if (!node || !picture_is_differential(p) || is_separator(picture_name(p, s)) ||
	    s->kind == FRAME_GONE)
		return s->color;
	return palette_delta(more != p->caption->negate, more ? now - before : before - now,
			     p->largest_delta, p->caption->color_blind);
}

/* Values by size, four classes for each power of two. */
static unsigned int class_of(u64 value)
{
	unsigned int log = 63 - (unsigned int)__builtin_clzll(value | 4);

	return 4 * log + (unsigned int)(value >> (log - 2) & 3);
}

static u64 least_of_class(unsigned int class)
{
	return (4ull + class % 4) << (class / 4 - 2);
}

/* The largest classes that together have no more boxes than there is room for. */
static void limit_boxes(struct picture *p)
{
	enum { CLASSES = 4 * 64 };
	size_t nr[CLASSES] = {}, sum = 0;

	if (!p->caption->max_boxes || p->tree->nr <= p->caption->max_boxes)
		return;
	for (size_t node = 0; node < p->tree->nr; node++)
		nr[class_of(p->tree->at[node].total)]++;
	for (unsigned int class = CLASSES; class -- > 8;) {
		sum += nr[class];
		if (sum > p->caption->max_boxes) {
			p->least = class + 1 < CLASSES ? least_of_class(class + 1) : UINT64_MAX;
			return;
		}
	}
}

unsigned int picture_baseline(const struct picture *p)
{
	return (unsigned int)(((double)p->row - 1) / 2 + p->font_size * 0.36);
}

/* A line has room for its letters, however large. */
static void choose_sizes(struct picture *p)
{
	const struct caption *c = p->caption;
	double size = c->font_size > 0 ? c->font_size : FONT_SIZE;
	double width = c->char_width > 0 ? size * c->char_width : size * CHAR / 1000 / FONT_SIZE;

	p->row = c->row_height ? c->row_height : ROW;
	p->font_size = size;
	p->char_width = max((unsigned int)(width * 1000 + 0.5), 1u);
	p->line = max((unsigned int)LINE, (unsigned int)size + 4);
	p->title = max((unsigned int)TITLE, (unsigned int)size + 17);
	p->width = c->width ? max(c->width, (unsigned int)MIN_WIDTH) : WIDTH;
}

static void place_rows(struct picture *p)
{
	const char *at = p->caption->subtitle;
	struct string line;

	p->top = PAD + (p->caption->title ? p->title : 0);
	while (at && label_wrap(&at, picture_columns(p), &line))
		p->top += p->line;
	p->top += (picture_has_legend(p) ? p->line : 0) + PAD;
	p->height = p->top + p->rows * p->row + BAR + 4;
}

void picture_put_below(struct picture *p, const struct picture *above)
{
	p->top = above->top + above->rows * above->row + PAD;
	p->height = p->top + p->rows * p->row + BAR + 4;
}

unsigned int picture_row(const struct picture *p, u32 depth)
{
	return p->top + (p->caption->inverted ? depth : p->rows - 1 - depth) * p->row;
}

static bool is_plain(struct string name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.s[i] < ' ' || name.s[i] > '~')
			return false;
	return true;
}

/* Most names are safe: 0. */
static u32 safe_name(struct picture *p, u32 ref)
{
	struct string name = tree_name(p->tree, ref);
	_cleanup_strbuf_ struct strbuf safe = {};

	if (is_plain(name))
		return 0;
	strbuf_add_safe_utf8(&safe, name.s, name.size);
	return strings_add(&p->safe, safe.s ? safe.s : "", safe.size);
}

/* flamegraph.pl's map has names with what says their kind. */
static u32 kept_color(struct picture *p, const struct shown *s)
{
	struct string name = picture_name(p, s);
	_cleanup_free_ char *key = format("%s%s", name.s, frame_suffixes[s->kind]);

	return color_map_color(p->caption->color_map, (struct string){key, strlen(key)}, s->color);
}

static void add_shown(struct picture *p, const struct tree_frame *frame)
{
	struct shown *s = vec_add(&p->shown);

	s->name = frame->name;
	s->module = frame->module;
	s->kind = frame->kind;
	s->safe = safe_name(p, frame->name);
	s->color = palette_color(p->palette, picture_name(p, s), frame->kind, p->caption->shades);
	if (p->caption->color_map && frame->kind != FRAME_NOTE)
		s->color = kept_color(p, s);
	s->next_of_name = p->first_of_name[frame->name];
	p->first_of_name[frame->name] = (u32)(p->shown.nr - 1);
	p->kinds |= 1u << frame->kind;
}

static void add_lines(struct picture *p, u32 shown, const struct tree_frame *frame)
{
	struct shown *s = &p->shown.at[shown];

	if (s->lined) {
		tree_frame_widen(&p->lined.at[s->lined - 1], frame);
	} else if (frame->line) {
		*vec_add(&p->lined) = *frame;
		s->lined = (u32)p->lined.nr;
	}
}

static u32 find_shown(const struct picture *p, const struct tree_frame *frame)
{
	u32 ref = p->first_of_name[frame->name];

	while (ref &&
	       (p->shown.at[ref].module != frame->module || p->shown.at[ref].kind != frame->kind))
		ref = p->shown.at[ref].next_of_name;
	return ref;
}

static u32 shown_frame(struct picture *p, const struct tree_frame *frame)
{
	u32 shown = find_shown(p, frame);

	if (!shown) {
		add_shown(p, frame);
		shown = (u32)(p->shown.nr - 1);
	}
	add_lines(p, shown, frame);
	return shown;
}

/* The root has no frame; it is shown as one that no other node can have. */
static void add_root(struct picture *p)
{
	*vec_add(&p->shown) = (struct shown){
		.safe = strings_adds(&p->safe, "all"), .color = 0xd8dee4, .kind = FRAME_NOTE};
}

static void place_boxes(struct picture *p, picture_visitor visitor, void *context)
{
	_cleanup_free_ u64 *cursors = xcalloc((size_t)p->tree->max_depth + 1, sizeof(*cursors));
	struct walk w = {.p = p, .cursors = cursors};
	u32 node = 0;

	add_root(p);
	do {
		u32 shown = node ? shown_frame(p, &p->tree->at[node].frame) : 0;

		if (visitor)
			visitor(context, node, shown);
		visit(&w, node, shown);
		node = call_tree_next(p->tree, node);
	} while (node);
	vec_for_each (&p->runs, run)
		if (picture_has_run(p, run))
			p->rows = max(p->rows, run->depth + 1);
}

u64 picture_left(const struct picture *p, const struct box *box)
{
	return picture_edge(p, box->start);
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

/* The root's box has the full width if all there is adds up to 0. */
u64 picture_right(const struct picture *p, const struct box *box)
{
	if (!box->node && !picture_all(p))
		return (u64)(p->width - 2 * PAD) * 1000;
	return end_of(p, box->start, p->tree->at[box->node].total);
}

bool picture_init(struct picture *p, const struct call_tree *tree, const struct caption *caption,
		  u64 span, picture_visitor visitor, void *context)
{
	const struct palette *palette = palette_find(caption->colors);

	if (!palette)
		return false;
	*p = (struct picture){.tree = tree, .caption = caption, .palette = palette};
	p->span = max(span, picture_all(p));
	strings_init(&p->safe);
	vec_reserve(&p->shown, tree->names->nr);
	prefer_huge_pages(p->shown.at, p->shown.room * sizeof(*p->shown.at));
	p->first_of_name = xcalloc(tree->names->nr, sizeof(*p->first_of_name));
	choose_sizes(p);
	find_gone(p);
	find_largest_delta(p);
	limit_boxes(p);
	place_boxes(p, visitor, context);
	place_rows(p);
	return true;
}

void picture_release(struct picture *p)
{
	strings_release(&p->safe);
	vec_release(&p->shown);
	vec_release(&p->lined);
	vec_release(&p->boxes);
	vec_release(&p->runs);
	free(p->first_of_name);
}
