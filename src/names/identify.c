/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identify.h"

#include "build_id.h"

enum {
	TIMEOUT_MS = 20000,
	AT_ONCE = 32, /* requests under way: helpers have other work, too */
};

struct asked {
	u32 file;
	struct files_request *request;
};

struct identifier {
	struct files *files;
	size_t nr_frames;   /* that were looked at */
	VEC(bool) is_asked; /* by file */
	VEC(struct asked) asked;
};

struct identifier *identifier_new(struct files *files)
{
	struct identifier *i = xcalloc(1, sizeof(*i));

	i->files = files;
	return i;
}

void identifier_free(struct identifier *i)
{
	if (!i)
		return;
	vec_for_each (&i->asked, asked)
		files_abandon(i->files, asked->request);
	vec_release(&i->asked);
	vec_release(&i->is_asked);
	free(i);
}

static void take_answers(struct identifier *i, struct profile *p)
{
	size_t kept = 0;

	vec_for_each (&i->asked, asked) {
		struct files_symbols *reply;

		if (!files_is_answered(i->files, asked->request, 0)) {
			i->asked.at[kept++] = *asked;
			continue;
		}
		reply = files_answer(i->files, asked->request);
		p->files.at[asked->file].build_id = build_id_string(p, reply);
		files_symbols_free(reply);
	}
	i->asked.nr = kept;
}

static void ask(struct identifier *i, u32 file)
{
	static const u64 none[1];
	file_ref token;

	while (i->is_asked.nr <= file)
		vec_add(&i->is_asked);
	if (i->is_asked.at[file])
		return;
	i->is_asked.at[file] = true;
	token = files_bound(i->files, FILES_OF_FILES, file);
	if (token)
		*vec_add(&i->asked) = (struct asked){
			.file = file,
			.request = files_ask(i->files, token, none, 0, TIMEOUT_MS),
		};
}

void identifier_step(struct identifier *i, struct profile *p)
{
	take_answers(i, p);
	for (; i->nr_frames < p->frames.nr && i->asked.nr < AT_ONCE; i->nr_frames++)
		if (p->frames.at[i->nr_frames].space == SPACE_FILE)
			ask(i, p->frames.at[i->nr_frames].origin);
}
