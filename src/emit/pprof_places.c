/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof_places.c: mappings, locations and functions of pprof's format. */
#include "pprof.h"

enum { PAGE = 4096 };

/* Below what pprof takes for a kernel's. */
static const u64 FIRST_ADDRESS = 1ull << 32;

/* The place of a frame; NULL: it has none that is an address. */
static const struct frame *place_of(const struct pprof *p, const struct tree_frame *frame)
{
	const struct frame *place;

	if (!frame->place)
		return NULL;
	place = &p->stacks->profile->frames.at[frame->place - 1];
	return place->space == SPACE_NOTE ? NULL : place;
}

/* The id of the mapping that it is in, made if need be. */
static u32 mapping_of(struct pprof *p, const struct frame *place)
{
	u64 hash = hash_u64((u64)place->space << 32 | place->origin);
	struct table_probe probe = table_probe(&p->mapping_table, hash);

	while (table_next(&probe)) {
		const struct mapping *m = &p->mappings.at[probe.ref];

		if (m->space == place->space && m->origin == place->origin)
			return probe.ref + 1;
	}
	table_insert(&p->mapping_table, hash, (u32)p->mappings.nr);
	*vec_add(&p->mappings) = (struct mapping){
		.space = place->space,
		.origin = place->origin,
		.low = place->address,
	};
	return (u32)p->mappings.nr;
}

/* What an image has without a file is in no mapping. */
static bool is_mapped(const struct frame *place)
{
	return place && place->space != SPACE_IMAGE;
}

static void find_mappings(struct pprof *p)
{
	vec_for_each (&p->stacks->frames, frame) {
		const struct frame *place = place_of(p, frame);
		struct mapping *m;
		u32 id;

		if (!is_mapped(place))
			continue;
		id = mapping_of(p, place);
		m = &p->mappings.at[id - 1];
		m->low = min(m->low, place->address);
		m->high = max(m->high, place->address);
	}
}

static u64 page_of(u64 address)
{
	return address & ~(u64)(PAGE - 1);
}

/* One after the other; the kernel is where it is. */
static void lay_out(struct pprof *p)
{
	u64 next = FIRST_ADDRESS;

	vec_for_each (&p->mappings, m) {
		if (m->space == SPACE_KERNEL)
			continue;
		m->low = 0;
		m->moved = next;
		next += page_of(m->high) + PAGE;
	}
}

static struct string mapping_name(const struct pprof *p, const struct mapping *m)
{
	const struct profile *profile = p->stacks->profile;

	if (m->space == SPACE_FILE)
		return strings_get(&profile->names, profile->files.at[m->origin].path);
	return m->space == SPACE_KERNEL ? (struct string){"[kernel.kallsyms]", 17}
					: (struct string){"[vdso]", 6};
}

static struct string build_id_of(const struct pprof *p, const struct mapping *m)
{
	const struct profile *profile = p->stacks->profile;

	return strings_get(&profile->names,
			   m->space == SPACE_FILE ? profile->files.at[m->origin].build_id : 0);
}

static void add_mappings(struct pprof *p)
{
	find_mappings(p);
	lay_out(p);
	vec_for_each (&p->mappings, m) {
		pb_uint(&p->inner, 1, (u64)(m - p->mappings.at) + 1);
		pb_uint(&p->inner, 2, page_of(m->low) + m->moved);
		pb_uint(&p->inner, 3, page_of(m->high) + PAGE + m->moved);
		pb_uint(&p->inner, 5, pprof_text(p, mapping_name(p, m), ""));
		pb_uint(&p->inner, 6, pprof_text(p, build_id_of(p, m), ""));
		/* Else pprof names places by what it finds at that path: maybe another file. */
		pb_uint(&p->inner, 7, true);
		pprof_field(p, MAPPING, &p->inner);
	}
}

/* The id of the function of that name and file, written if it is new. */
static u32 function_of(struct pprof *p, u32 name, u32 path)
{
	u64 hash = hash_u64((u64)path << 32 | name);
	struct table_probe probe = table_probe(&p->function_table, hash);
	struct strbuf function = {};
	u32 id;

	while (table_next(&probe))
		if (p->functions.at[probe.ref].name == name &&
		    p->functions.at[probe.ref].path == path)
			return probe.ref + 1;
	table_insert(&p->function_table, hash, (u32)p->functions.nr);
	*vec_add(&p->functions) = (struct written_function){.name = name, .path = path};
	id = (u32)p->functions.nr;
	pb_uint(&function, 1, id);
	pb_uint(&function, 2, name);
	pb_uint(&function, 3, name);
	pb_uint(&function, 4, path);
	pprof_field(p, FUNCTION, &function);
	strbuf_release(&function);
	return id;
}

static const struct tree_frame *frame_at(const struct pprof *p, u32 node)
{
	return &p->stacks->frames.at[p->stacks->nodes.at[node].frame];
}

/* Is the node's function inlined into its parent's, at one address? */
static bool is_inlined(const struct pprof *p, u32 node)
{
	const struct tree_frame *frame = frame_at(p, node);
	u32 parent = p->stacks->nodes.at[node].parent;

	return frame->kind == FRAME_INLINED && frame->place && parent &&
	       frame->place == frame_at(p, parent)->place;
}

/* The node of the function that has the code of the address which begins at a node. */
u32 pprof_last_of(const struct pprof *p, u32 node)
{
	while (is_inlined(p, node))
		node = p->stacks->nodes.at[node].parent;
	return node;
}

static void find_location(struct pprof *p, u32 node)
{
	u32 first = p->stacks->nodes.at[node].frame;
	u32 last = p->stacks->nodes.at[pprof_last_of(p, node)].frame;
	u64 hash = hash_u64((u64)first << 32 | last);
	struct table_probe probe = table_probe(&p->location_table, hash);

	while (!p->location[node] && table_next(&probe))
		if (p->locations.at[probe.ref].first == first &&
		    p->locations.at[probe.ref].last == last)
			p->location[node] = probe.ref + 1;
	if (p->location[node])
		return;
	table_insert(&p->location_table, hash, (u32)p->locations.nr);
	*vec_add(&p->locations) = (struct location){.first = first, .last = last, .node = node};
	p->location[node] = (u32)p->locations.nr;
}

/* One begins where a stack ends, and where its caller's own function does not have the code. */
static void find_locations(struct pprof *p)
{
	const struct weighted_stacks *stacks = p->stacks;
	_cleanup_free_ bool *begins = xcalloc(stacks->nodes.nr, sizeof(*begins));

	p->location = xcalloc(stacks->nodes.nr, sizeof(*p->location));
	vec_for_each (&stacks->rows, row)
		begins[row->node] = true;
	for (u32 node = 1; node < stacks->nodes.nr; node++)
		begins[stacks->nodes.at[node].parent] |= !is_inlined(p, node);
	for (u32 node = 1; node < stacks->nodes.nr; node++)
		if (begins[node])
			find_location(p, node);
}

static void add_line(struct pprof *p, const struct tree_frame *frame)
{
	const char *suffix = p->caption->annotate ? frame_suffixes[frame->kind] : "";
	struct string name = strings_get(p->stacks->names, frame->name);
	u32 path = pprof_text(p, strings_get(p->stacks->names, frame->path), "");

	pb_uint(&p->line, 1, function_of(p, pprof_text(p, name, suffix), path));
	pb_uint(&p->line, 2, frame->line);
	pb_message(&p->inner, 4, &p->line);
}

static void add_location(struct pprof *p, const struct location *location)
{
	const struct frame *place = place_of(p, frame_at(p, location->node));
	u32 mapping = is_mapped(place) ? mapping_of(p, place) : 0;
	u32 last = pprof_last_of(p, location->node);

	pb_uint(&p->inner, 1, (u64)(location - p->locations.at) + 1);
	pb_uint(&p->inner, 2, mapping);
	if (place)
		pb_uint(&p->inner, 3,
			place->address + (mapping ? p->mappings.at[mapping - 1].moved : 0));
	for (u32 node = location->node;; node = p->stacks->nodes.at[node].parent) {
		add_line(p, frame_at(p, node));
		if (node == last)
			break;
	}
	pprof_field(p, LOCATION, &p->inner);
}

void pprof_add_places(struct pprof *p)
{
	add_mappings(p);
	find_locations(p);
	vec_for_each (&p->locations, location)
		add_location(p, location);
}
