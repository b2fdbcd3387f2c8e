/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * called.c: the name that a program was started by, where its file has several:
 * /usr/bin/redis-server is a link to redis-check-rdb, and it is the second name that the kernel has
 * for what is mapped.
 *
 * A process is called by the name that it was started by, unless it has changed that. So the name
 * of all processes that run a file is its name, if the file is found by it in the same directory. A
 * file that is run by several names, as busybox, keeps its own.
 */
#include "called.h"

enum { SEVERAL = UINT32_MAX };

static u32 *names_of_files(const struct profile *p)
{
	u32 *names = xcalloc(p->files.nr, sizeof(*names));

	vec_for_each (&p->samples, sample) {
		const struct stack *stack = &p->stacks.at[sample->user];
		u32 comm = p->images.at[p->legs.at[sample->leg].image].comm;

		for (u32 i = 0; i < stack->nr; i++) {
			const struct frame *frame =
				&p->frames.at[p->stack_frames.at[stack->first + i]];
			u32 *name = &names[frame->origin];

			if (frame->space == SPACE_FILE)
				*name = !*name || *name == comm ? comm : SEVERAL;
		}
	}
	return names;
}

static bool may_be_called(const struct profile *p, const struct profile_file *file, u32 name)
{
	struct string own = strings_get(&p->names, file->name);
	struct string other = strings_get(&p->names, name);

	return name != file->name && other.size && !memchr(other.s, '/', other.size) &&
	       !strstr(own.s, ".so");
}

void call_programs(struct profile *p, struct files *files, unsigned int timeout_ms)
{
	_cleanup_free_ u32 *names = names_of_files(p);

	for (u32 i = 1; i < p->files.nr; i++) {
		struct profile_file *file = &p->files.at[i];
		file_ref token = files_bound(files, FILES_OF_FILES, i);

		if (names[i] && names[i] != SEVERAL && token && may_be_called(p, file, names[i]) &&
		    files_is_called(files, token, strings_get(&p->names, names[i]).s, timeout_ms))
			file->name = names[i];
	}
}
