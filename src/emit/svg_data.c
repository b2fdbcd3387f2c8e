/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_data.c: the whole tree as text, for the script (viewer/tree.js reads it), so that also what
 * was too thin to draw is found and can be zoomed to.
 *
 *	frames	a line a distinct frame, in the order in which they come first: kind, colour,
 *		name, tab and module: "uf3a05cmain\tlibfoo.so"; where its line of source is
 *		known, tab and that, or the first and the last: "\tsrc/main.c:12-80". The
 *		letter of plumbing (plumbing.h) is upper case. The first one, "all", is the
 *		root's.
 *	nodes	the nodes in preorder, of which the root is the first: some numbers each
 *	attributes	only with --nameattr: an element a frame that has some
 *
 * A number is written in base 44, the least digit first, the last digit in letters of its own, so
 * that nothing needs to stand between two. Most nodes take three bytes. A node's numbers:
 *
 *	4 * FRAME + 2 * (is there UP?) + (is there SELF?)	FRAME is 0 for a new one
 *	UP	0 is a child of the node before, 1 its sibling, 2 its parent's sibling, ...
 *	SELF	the self value
 *	CLASSES	of waits, behind a SELF: 0 where no class of it is known, the class's number from 1
 *		on where all of it is of one class; else the number of classes and of its parts,
 *		and of each part the class and its value
 *	BEFORE	in a differential: what the self value was
 *	EVENTS	of sums in a differential: of how many events, if that is known
 *	LEAD	in a chart: the parent's self value to the left of it
 */
#include "attributes.h"
#include "plumbing.h"
#include "svg_kinds.h"
#include "svg_parts.h"
#include "why.h"
#include "xml.h"

#include <ctype.h>

enum {
	BASE = 44,
	NR_CLASSES = WHY_UNTOLD + 1,
	MAX_NUMBERS = 7 + 2 * NR_CLASSES,
	MAX_CODE = 12 /* digits of 2^64 */
};

/* Printable, and nothing that XML or JSON would escape. */
static const char last_digits[BASE + 1] = "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQ",
				     other_digits[BASE + 1] =
					     "RSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

static char *put_code(char *at, u64 value)
{
	for (; value >= BASE; value /= BASE)
		*at++ = other_digits[value % BASE];
	*at++ = last_digits[value];
	return at;
}

void svg_add_class_names(struct svg *svg)
{
	for (size_t class = 0; class < NR_WHY_CLASSES; class ++)
		strbuf_addf(&svg->b, "%s,", why_class_names[class]);
	strbuf_adds(&svg->b, "short waits");
}

static char *put_classes(char *at, const struct call_tree *tree, u32 node)
{
	const struct tree_part *first = tree_first_part(tree, node), *part;
	u32 nr = 0;

	if (!first)
		return put_code(at, 0);
	if (first->value == tree->at[node].self)
		return put_code(at, 1 + first->class);
	for (part = first; part; part = tree_next_part(tree, part))
		nr++;
	at = put_code(at, NR_CLASSES + nr);
	for (part = first; part; part = tree_next_part(tree, part)) {
		at = put_code(at, 1 + part->class);
		at = put_code(at, part->value);
	}
	return at;
}

void svg_nodes_release(struct svg_nodes *nodes)
{
	strbuf_release(&nodes->text);
}

/* 0 where it is the next new one. */
static u32 frame_code(struct svg_nodes *nodes, u32 shown)
{
	if (shown < nodes->nr_shown)
		return shown;
	nodes->nr_shown = shown + 1;
	return 0;
}

void svg_add_node(void *context, u32 node, u32 shown)
{
	struct svg_nodes *nodes = context;
	const struct tree_node *n = &nodes->tree->at[node];
	u32 up = node ? nodes->depth + 1 - n->depth : 0;
	char code[MAX_NUMBERS * MAX_CODE], *at = code;

	at = put_code(at, 4ull * frame_code(nodes, shown) + 2 * !!up + !!n->self);
	if (up)
		at = put_code(at, up);
	if (n->self)
		at = put_code(at, n->self);
	if (n->self && nodes->tree->classes.parts.nr)
		at = put_classes(at, nodes->tree, node);
	if (nodes->tree->before.nr)
		at = put_code(at, call_tree_self_before(nodes->tree, node));
	if (nodes->tree->events.nr)
		at = put_code(at, call_tree_self_events(nodes->tree, node));
	if (nodes->tree->lead.nr)
		at = put_code(at, tree_lead(nodes->tree, node));
	strbuf_add(&nodes->text, code, (size_t)(at - code));
	nodes->depth = n->depth;
	nodes->nr++;
}

static void write_lines(struct svg *svg, const struct tree_frame *frame)
{
	struct string path = tree_name(svg->p->tree, frame->path);

	if (!path.size)
		return;
	strbuf_addc(&svg->b, '\t');
	xml_add_bytes(&svg->b, path.s, path.size);
	strbuf_addf(&svg->b, ":%u", frame->line);
	if (frame->last_line > frame->line)
		strbuf_addf(&svg->b, "-%u", frame->last_line);
}

static char kind_letter(const struct svg *svg, const struct shown *s)
{
	char letter = svg_kinds[s->kind].letter;
	struct tree_frame frame = {.name = s->name, .module = s->module, .kind = s->kind};

	return frame_is_plumbing(svg->p->tree->names, &frame) ? (char)toupper(letter) : letter;
}

static void write_frame(struct svg *svg, const struct shown *s)
{
	struct string module = tree_name(svg->p->tree, s->module);

	strbuf_addc(&svg->b, kind_letter(svg, s));
	xml_add_color(&svg->b, s->color);
	xml_add(&svg->b, picture_name(svg->p, s));
	if (module.size || s->lined)
		strbuf_addc(&svg->b, '\t');
	xml_add_bytes(&svg->b, module.s, module.size);
	if (s->lined)
		write_lines(svg, &svg->p->lined.at[s->lined - 1]);
}

static void write_frames(struct svg *svg)
{
	const struct picture *p = svg->p;

	strbuf_adds(&svg->b, "<metadata id=\"frames\">");
	vec_for_each (&p->shown, s) {
		if (s != p->shown.at)
			strbuf_addc(&svg->b, '\n');
		write_frame(svg, s);
		svg_flush_some(svg);
	}
	strbuf_adds(&svg->b, "</metadata>\n");
}

static void write_nodes(struct svg *svg, const struct svg_nodes *nodes)
{
	strbuf_addf(&svg->b, "<metadata id=\"nodes\" data-nr=\"%u\">", nodes->nr);
	svg_flush(svg, 0);
	fwrite(nodes->text.s, 1, nodes->text.size, svg->out);
	strbuf_adds(&svg->b, "</metadata>\n");
}

/* As the boxes have them, which the script draws anew. */
static void write_attributes(struct svg *svg)
{
	const struct picture *p = svg->p;

	if (!svg->caption->attributes)
		return;
	strbuf_adds(&svg->b, "<metadata id=\"attributes\">\n");
	for (size_t i = 1; i < p->shown.nr; i++) {
		const struct name_attributes *of =
			attributes_of(svg->caption->attributes, picture_name(p, &p->shown.at[i]));

		if (!of)
			continue;
		strbuf_addf(&svg->b, "<%s data-frame=\"%zu\"", of->link ? "a" : "g", i);
		strbuf_add(&svg->b, of->xml.s, of->xml.size);
		strbuf_addc(&svg->b, '>');
		if (of->title) {
			strbuf_adds(&svg->b, "<title>");
			svg_add_text(svg, of->title);
			strbuf_adds(&svg->b, "</title>");
		}
		strbuf_addf(&svg->b, "</%s>\n", of->link ? "a" : "g");
		svg_flush_some(svg);
	}
	strbuf_adds(&svg->b, "</metadata>\n");
}

void svg_write_data(struct svg *svg, const struct svg_nodes *nodes)
{
	write_frames(svg);
	write_nodes(svg, nodes);
	write_attributes(svg);
}
