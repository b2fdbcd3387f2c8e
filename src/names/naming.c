/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "naming.h"

u32 demangled_function(struct profile *p, const char *name, size_t size, const char *module,
		       enum frame_kind kind)
{
	_cleanup_strbuf_ struct strbuf plain = {};

	demangle(&plain, name, size);
	return profile_function(p, plain.s, plain.size, module, kind, true);
}

/* ---- the kernel */

struct kernel_answers {
	struct profile *p;
	const u32 *frames;
	size_t nr;
};

static void take_kernel_name(void *ctx, size_t i, const char *name, const char *module)
{
	static const char bpf[] = "bpf_prog_";
	struct kernel_answers *a = ctx;

	if (!module)
		module = strncmp(name, bpf, strlen(bpf)) ? "kernel" : "bpf";
	if (bug(i >= a->nr))
		return;
	a->p->frames.at[a->frames[i]].function =
		demangled_function(a->p, name, strlen(name), module, FRAME_KERNEL);
}

int name_kernel_frames(struct profile *p, const u32 *frames, const u64 *addresses, size_t nr,
		       const struct kernel_namer *namers, size_t nr_namers)
{
	struct kernel_answers answers = {.p = p, .frames = frames, .nr = nr};
	int err = -ENOENT;

	for (size_t i = 0; i < nr_namers && err; i++) {
		err = namers[i].names(namers[i].self, addresses, nr, take_kernel_name, &answers);
		if (!err)
			p->naming.kernel = namers[i].name;
	}
	return err;
}

/* ---- lines of source */

/* Names of one answer become functions and paths once each. */
struct line_names {
	struct profile *p;
	const struct files_lines *lines;
	const char *module;
	u32 *functions, *paths; /* by name: 1 + the row; 0: not made yet */
};

static struct string line_name(const struct files_lines *lines, u32 name)
{
	const struct files_line_name *row = &lines->names[name];

	return (struct string){.s = lines->text + row->at, .size = row->size};
}

static u32 line_function(struct line_names *n, u32 name, enum frame_kind kind)
{
	struct string s = line_name(n->lines, name);

	if (!n->functions[name])
		n->functions[name] = 1 + demangled_function(n->p, s.s, s.size, n->module, kind);
	return n->functions[name] - 1;
}

static u32 line_path(struct line_names *n, u32 name)
{
	struct string s = line_name(n->lines, name);

	if (!n->paths[name])
		n->paths[name] = 1 + strings_add(&n->p->names, s.s, s.size);
	return n->paths[name] - 1;
}

static u32 row_of_line(struct line_names *n, const struct files_line *line, u32 function, u32 outer)
{
	const struct source_line row = {
		.function = function,
		.path = line->path ? line_path(n, line->path) : 0,
		.line = line->line,
		.outer = outer,
	};

	return profile_source(n->p, &row);
}

/* The outermost line is the frame's own function's: symbols know its name, or these lines do. */
static void take_span(struct line_names *n, u32 ref, const struct files_line_span *span)
{
	struct profile *p = n->p;
	struct frame *frame = &p->frames.at[ref];
	const struct files_line *lines = n->lines->lines + span->first, *own;
	u32 row;

	if (!span->nr)
		return;
	own = &lines[span->nr - 1];
	if (own->function && !p->functions.at[frame->function].named) {
		frame->function = line_function(n, own->function, FRAME_USER);
		p->naming.unresolved -= min(p->naming.unresolved, (u64)1);
		p->naming.resolved++;
	}
	row = row_of_line(n, own, frame->function, 0);
	for (u32 i = span->nr - 1; i-- > 0;)
		if (lines[i].function)
			row = row_of_line(n, &lines[i],
					  line_function(n, lines[i].function, FRAME_INLINED), row);
	frame->source = row;
}

void take_source_lines(struct profile *p, const u32 *frames, const struct files_lines *lines,
		       const char *module)
{
	_cleanup_free_ u32 *functions = xcalloc(lines->nr_names, sizeof(*functions));
	_cleanup_free_ u32 *paths = xcalloc(lines->nr_names, sizeof(*paths));
	struct line_names names = {
		.p = p,
		.lines = lines,
		.module = module,
		.functions = functions,
		.paths = paths,
	};

	for (size_t i = 0; i < lines->nr; i++)
		take_span(&names, frames[i], &lines->spans[i]);
}
