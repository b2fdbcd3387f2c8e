/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolve.c: names, later, for the frames of one origin that have none. */
#include "resolve.h"

#include "build_id.h"
#include "naming.h"

/* Frames of one origin, by address. */
struct chosen {
	VEC_FIELDS(u32);
	u64 *addresses;
};

static void chosen_release(struct chosen *list)
{
	vec_release(list);
	free(list->addresses);
}

typedef bool frame_choice(const struct profile *p, const struct frame *frame);

static bool is_nameless(const struct profile *p, const struct frame *frame)
{
	return !p->functions.at[frame->function].named;
}

static bool is_any(const struct profile *p, const struct frame *frame)
{
	(void)p, (void)frame;
	return true;
}

static bool is_of(const struct frame *frame, enum frame_space space, u32 origin)
{
	return frame->space == space && frame->origin == origin;
}

static int compare_addresses(const void *a, const void *b, void *profile)
{
	const struct frame *frames = ((const struct profile *)profile)->frames.at;
	u64 x = frames[*(const u32 *)a].address, y = frames[*(const u32 *)b].address;

	return x < y ? -1 : x > y;
}

static void choose(struct chosen *list, struct profile *p, enum frame_space space, u32 origin,
		   frame_choice *chooses)
{
	for (u32 i = 0; i < p->frames.nr; i++)
		if (is_of(&p->frames.at[i], space, origin) && chooses(p, &p->frames.at[i]))
			*vec_add(list) = i;
	if (list->nr)
		qsort_r(list->at, list->nr, sizeof(*list->at), compare_addresses, p);
	list->addresses = xcalloc(list->nr + 1, sizeof(*list->addresses));
	for (size_t i = 0; i < list->nr; i++)
		list->addresses[i] = p->frames.at[list->at[i]].address;
}

size_t resolve_nameless(const struct profile *p, enum frame_space space, u32 origin)
{
	size_t nr = 0;

	vec_for_each (&p->frames, frame)
		nr += is_of(frame, space, origin) && is_nameless(p, frame);
	return nr;
}

bool resolve_lineless(const struct profile *p, u32 file)
{
	bool any = false;

	vec_for_each (&p->frames, frame) {
		if (!is_of(frame, SPACE_FILE, file))
			continue;
		if (frame->source)
			return false;
		any = true;
	}
	return any;
}

static bool is_build(const struct profile *p, u32 file, const struct files_symbols *reply)
{
	struct string wanted = strings_get(&p->names, p->files.at[file].build_id);
	_cleanup_strbuf_ struct strbuf id = {};

	build_id_text(reply, &id);
	return id.size && id.size == wanted.size && !memcmp(id.s, wanted.s, id.size);
}

static size_t take_names(struct profile *p, const struct chosen *list,
			 const struct files_symbols *reply, const char *module,
			 enum frame_kind kind)
{
	size_t nr = 0;

	for (size_t i = 0; i < reply->nr; i++) {
		const struct files_symbol *symbol = &reply->at[i];

		if (!symbol->name)
			continue;
		p->frames.at[list->at[i]].function =
			demangled_function(p, symbol->name, symbol->name_size, module, kind);
		nr++;
	}
	return nr;
}

static void find_lines(struct profile *p, struct files *files, u32 file, file_ref token,
		       unsigned int timeout_ms)
{
	_cleanup_(chosen_release) struct chosen list = {};
	struct files_lines *lines;

	choose(&list, p, SPACE_FILE, file, is_any);
	lines = files_answer_lines(
		files, files_ask_lines(files, token, list.addresses, list.nr, timeout_ms));
	take_source_lines(p, list.at, lines, strings_get(&p->names, p->files.at[file].name).s);
	files_lines_free(lines);
}

enum resolved resolve_file(struct profile *p, struct files *files, u32 file, file_ref token,
			   unsigned int timeout_ms, size_t *nr)
{
	_cleanup_(chosen_release) struct chosen list = {};
	size_t nr_before = resolve_nameless(p, SPACE_FILE, file);
	bool lineless = resolve_lineless(p, file), is_it;
	struct files_symbols *reply;

	choose(&list, p, SPACE_FILE, file, is_nameless);
	reply = files_symbols(files, token, list.addresses, list.nr, timeout_ms);
	is_it = is_build(p, file, reply);
	if (is_it && take_names(p, &list, reply, strings_get(&p->names, p->files.at[file].name).s,
				FRAME_USER))
		p->files.at[file].state = reply->state;
	files_symbols_free(reply);
	*nr = 0;
	if (!is_it)
		return RESOLVED_ANOTHER;
	if (lineless)
		find_lines(p, files, file, token, timeout_ms);
	*nr = nr_before - resolve_nameless(p, SPACE_FILE, file);
	return *nr || (lineless && !resolve_lineless(p, file)) ? RESOLVED_NAMES : RESOLVED_NOTHING;
}

size_t resolve_code(struct profile *p, struct files *files, enum frame_space space, u32 origin,
		    file_ref token, unsigned int timeout_ms)
{
	_cleanup_(chosen_release) struct chosen list = {};
	struct files_symbols *reply;
	size_t nr;

	choose(&list, p, space, origin, is_nameless);
	if (!list.nr)
		return 0;
	reply = files_symbols(files, token, list.addresses, list.nr, timeout_ms);
	nr = take_names(p, &list, reply, space == SPACE_VDSO ? "[vdso]" : "",
			space == SPACE_VDSO ? FRAME_USER : FRAME_JIT);
	files_symbols_free(reply);
	return nr;
}

size_t resolve_kernel(struct profile *p, const struct kernel_namer *namers, size_t nr_namers)
{
	_cleanup_(chosen_release) struct chosen list = {};
	size_t nr = resolve_nameless(p, SPACE_KERNEL, 0);

	choose(&list, p, SPACE_KERNEL, 0, is_nameless);
	if (!list.nr)
		return 0;
	p->naming.kernel_error =
		name_kernel_frames(p, list.at, list.addresses, list.nr, namers, nr_namers);
	return nr - resolve_nameless(p, SPACE_KERNEL, 0);
}
