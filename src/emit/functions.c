/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include "json.h"

static u32 function_of(struct functions *f, const struct tree_frame *frame)
{
	u64 hash = hash_u64((u64)frame->kind << 32 | frame->name);
	struct table_probe probe = table_probe(&f->table, hash);

	while (table_next(&probe))
		if (f->at[probe.ref].name == frame->name && f->at[probe.ref].kind == frame->kind) {
			if (!f->at[probe.ref].path)
				f->at[probe.ref].path = frame->path;
			return probe.ref;
		}
	table_insert(&f->table, hash, (u32)f->nr);
	*vec_add(f) = (struct shown_function){.name = frame->name,
					      .module = frame->module,
					      .path = frame->path,
					      .kind = frame->kind};
	return (u32)f->nr - 1;
}

void functions_init(struct functions *f, const struct weighted_stacks *stacks)
{
	*f = (struct functions){.stacks = stacks};
	f->of_frame = xcalloc(stacks->frames.nr, sizeof(*f->of_frame));
	for (size_t i = 1; i < stacks->frames.nr; i++)
		f->of_frame[i] = function_of(f, &stacks->frames.at[i]);
}

void functions_release(struct functions *f)
{
	free(f->of_frame);
	table_release(&f->table);
	vec_release(f);
}

void functions_add_name(struct strbuf *b, const struct functions *f, size_t i, bool annotate)
{
	struct string name = strings_get(f->stacks->names, f->at[i].name);
	_cleanup_strbuf_ struct strbuf annotated = {};

	strbuf_add(&annotated, name.s, name.size);
	if (annotate)
		strbuf_adds(&annotated, frame_suffixes[f->at[i].kind]);
	json_add_string(b, (struct string){annotated.s, annotated.size});
}
