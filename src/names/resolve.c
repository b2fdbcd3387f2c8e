/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolve.c: names, later, for the frames of one file that have none. */
#include "resolve.h"

struct nameless {
	VEC_FIELDS(u32); /* frames, by address */
};

static void nameless_release(struct nameless *list)
{
	vec_release(list);
}

static bool is_nameless(const struct profile *p, const struct frame *frame, u32 file)
{
	return frame->space == SPACE_FILE && frame->origin == file &&
	       !p->functions.at[frame->function].named;
}

size_t resolve_nameless(const struct profile *p, u32 file)
{
	size_t nr = 0;

	vec_for_each (&p->frames, frame)
		nr += is_nameless(p, frame, file);
	return nr;
}

static int compare_addresses(const void *a, const void *b, void *profile)
{
	const struct frame *frames = ((const struct profile *)profile)->frames.at;
	u64 x = frames[*(const u32 *)a].address, y = frames[*(const u32 *)b].address;

	return x < y ? -1 : x > y;
}

static void list_nameless(struct nameless *list, struct profile *p, u32 file)
{
	for (u32 i = 0; i < p->frames.nr; i++)
		if (is_nameless(p, &p->frames.at[i], file))
			*vec_add(list) = i;
	if (list->nr)
		qsort_r(list->at, list->nr, sizeof(*list->at), compare_addresses, p);
}

static bool is_build(const struct profile *p, u32 file, const struct files_symbols *reply)
{
	struct string wanted = strings_get(&p->names, p->files.at[file].build_id);
	_cleanup_strbuf_ struct strbuf id = {};

	for (size_t i = 0; i < reply->build_id_size; i++)
		strbuf_addf(&id, "%02x", reply->build_id[i]);
	return id.size && id.size == wanted.size && !memcmp(id.s, wanted.s, id.size);
}

static size_t take_names(struct profile *p, u32 file, const struct nameless *list,
			 const struct files_symbols *reply)
{
	_cleanup_free_ char *module = xstrdup(strings_get(&p->names, p->files.at[file].name).s);
	_cleanup_strbuf_ struct strbuf name = {};
	size_t nr = 0;

	for (size_t i = 0; i < reply->nr; i++) {
		const struct files_symbol *symbol = &reply->at[i];

		if (!symbol->name)
			continue;
		strbuf_clear(&name);
		demangle(&name, symbol->name, symbol->name_size);
		p->frames.at[list->at[i]].function =
			profile_function(p, name.s, name.size, module, FRAME_USER, true);
		nr++;
	}
	return nr;
}

enum resolved resolve_file(struct profile *p, struct files *files, u32 file, file_ref token,
			   unsigned int timeout_ms, size_t *nr)
{
	_cleanup_(nameless_release) struct nameless list = {};
	_cleanup_free_ u64 *addresses = NULL;
	enum resolved how = RESOLVED_NOTHING;
	struct files_symbols *reply;

	list_nameless(&list, p, file);
	addresses = xcalloc(list.nr + 1, sizeof(*addresses));
	for (size_t i = 0; i < list.nr; i++)
		addresses[i] = p->frames.at[list.at[i]].address;
	reply = files_symbols(files, token, addresses, list.nr, timeout_ms);
	*nr = 0;
	if (!is_build(p, file, reply))
		how = RESOLVED_ANOTHER;
	else
		*nr = take_names(p, file, &list, reply);
	if (*nr) {
		p->files.at[file].state = reply->state;
		how = RESOLVED_NAMES;
	}
	files_symbols_free(reply);
	return how;
}
