/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox_shared.c: columns, and the tables of the Firefox Profiler's format that all threads
 * share. Indexes there begin with what is number 1 here: what has no frames is null.
 */
#include "firefox.h"
#include "json.h"

enum { FLUSH_SIZE = 1 << 15, LIBRARY = 1 };

void firefox_flush(struct firefox *f)
{
	gzip_add_buffer(f->out, &f->b, FLUSH_SIZE);
}

/* ---- columns */

void firefox_column(struct firefox *f, const char *name, size_t nr, firefox_item *add)
{
	strbuf_addf(&f->b, "\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			strbuf_addc(&f->b, ',');
		add(f, i);
		firefox_flush(f);
	}
	strbuf_adds(&f->b, "],");
}

void firefox_same(struct firefox *f, const char *const *names, const char *value, size_t nr)
{
	for (; *names; names++) {
		strbuf_addf(&f->b, "\"%s\":[", *names);
		for (size_t i = 0; i < nr; i++) {
			strbuf_addf(&f->b, "%s%s", i ? "," : "", value);
			firefox_flush(f);
		}
		strbuf_adds(&f->b, "],");
	}
}

void firefox_begin(struct firefox *f, const char *name)
{
	strbuf_addf(&f->b, "\"%s\":{", name);
}

void firefox_end(struct firefox *f, size_t nr, const char *end)
{
	strbuf_addf(&f->b, "\"length\":%zu}%s", nr, end);
}

void firefox_number(struct firefox *f, u64 value)
{
	strbuf_addf(&f->b, "%llu", (unsigned long long)value);
}

/* ---- functions and libraries */

static u32 index_of(struct named_things *things, u32 name)
{
	u64 hash = hash_u64(name);
	struct table_probe probe = table_probe(&things->table, hash);

	while (table_next(&probe))
		if (things->at[probe.ref] == name)
			return probe.ref;
	table_insert(&things->table, hash, (u32)things->nr);
	*vec_add(things) = name;
	return (u32)things->nr - 1;
}

void firefox_find_functions(struct firefox *f)
{
	functions_init(&f->functions, f->stacks);
	vec_for_each (&f->functions, function) {
		if (function->module)
			index_of(&f->modules, function->module);
		if (function->path)
			index_of(&f->paths, function->path);
	}
}

/* The table of strings: names of functions, modules, source files, then the markers'. */
static void add_string(struct firefox *f, size_t i)
{
	size_t nr = f->functions.nr, nr_modules = nr + f->modules.nr;

	if (i < nr)
		functions_add_name(&f->b, &f->functions, i, f->caption->annotate);
	else if (i < nr_modules)
		json_add_string(&f->b, strings_get(f->stacks->names, f->modules.at[i - nr]));
	else if (i < nr_modules + f->paths.nr)
		json_add_string(&f->b, strings_get(f->stacks->names, f->paths.at[i - nr_modules]));
	else
		json_add_text(&f->b, FIREFOX_WAIT);
}

static void add_index(struct firefox *f, size_t i)
{
	firefox_number(f, i);
}

static void add_resource(struct firefox *f, size_t i)
{
	if (f->functions.at[i].module)
		firefox_number(f, index_of(&f->modules, f->functions.at[i].module));
	else
		strbuf_adds(&f->b, "-1");
}

static void add_resource_name(struct firefox *f, size_t i)
{
	firefox_number(f, f->functions.nr + i);
}

static void add_library_type(struct firefox *f, size_t i)
{
	(void)i;
	firefox_number(f, LIBRARY);
}

static void add_source(struct firefox *f, size_t i)
{
	if (f->functions.at[i].path)
		firefox_number(f, index_of(&f->paths, f->functions.at[i].path));
	else
		strbuf_adds(&f->b, "null");
}

static void add_path(struct firefox *f, size_t i)
{
	firefox_number(f, f->functions.nr + f->modules.nr + i);
}

static void add_sources(struct firefox *f)
{
	static const char *const none[] = {"id", "sourceMapURL", "content", NULL};
	static const char *const first[] = {"startLine", "startColumn", NULL};

	firefox_begin(f, "sources");
	firefox_column(f, "filename", f->paths.nr, add_path);
	firefox_same(f, first, "1", f->paths.nr);
	firefox_same(f, none, "null", f->paths.nr);
	firefox_end(f, f->paths.nr, ",");
}

static void add_functions(struct firefox *f)
{
	static const char *const none[] = {"lineNumber", "columnNumber", "originalLocation", NULL};
	static const char *const no[] = {"isJS", "relevantForJS", NULL};
	static const char *const host[] = {"host", NULL};

	firefox_begin(f, "funcTable");
	firefox_column(f, "name", f->functions.nr, add_index);
	firefox_column(f, "resource", f->functions.nr, add_resource);
	firefox_column(f, "source", f->functions.nr, add_source);
	firefox_same(f, no, "false", f->functions.nr);
	firefox_same(f, none, "null", f->functions.nr);
	firefox_end(f, f->functions.nr, ",");
	firefox_begin(f, "resourceTable");
	firefox_column(f, "name", f->modules.nr, add_resource_name);
	firefox_column(f, "type", f->modules.nr, add_library_type);
	firefox_same(f, host, "null", f->modules.nr);
	firefox_end(f, f->modules.nr, ",");
}

/* ---- frames and stacks: theirs begin with what is number 1 here */

static void add_frame_function(struct firefox *f, size_t i)
{
	firefox_number(f, f->functions.of_frame[i + 1]);
}

static void add_category(struct firefox *f, size_t i)
{
	firefox_number(f, f->stacks->frames.at[i + 1].kind);
}

static void add_line(struct firefox *f, size_t i)
{
	const struct tree_frame *frame = &f->stacks->frames.at[i + 1];

	if (frame->line)
		firefox_number(f, frame->line);
	else
		strbuf_adds(&f->b, "null");
}

/* Addresses there are relative to a library as it is loaded; a place is an offset in its file. */
static void add_frames(struct firefox *f)
{
	static const char *const none[] = {"nativeSymbol", "innerWindowID", "column",
					   "originalLocation", NULL};
	static const char *const unknown[] = {"address", "lib", NULL};
	static const char *const zero[] = {"inlineDepth", "subcategory", NULL};
	size_t nr = f->stacks->frames.nr - 1;

	firefox_begin(f, "frameTable");
	firefox_column(f, "func", nr, add_frame_function);
	firefox_column(f, "category", nr, add_category);
	firefox_column(f, "line", nr, add_line);
	firefox_same(f, unknown, "-1", nr);
	firefox_same(f, zero, "0", nr);
	firefox_same(f, none, "null", nr);
	firefox_end(f, nr, ",");
}

static void add_stack_frame(struct firefox *f, size_t i)
{
	firefox_number(f, f->stacks->nodes.at[i + 1].frame - 1);
}

static void add_prefix_offset(struct firefox *f, size_t i)
{
	u32 parent = f->stacks->nodes.at[i + 1].parent;

	firefox_number(f, parent ? i + 1 - parent : 0);
}

static void add_stacks(struct firefox *f)
{
	size_t nr = f->stacks->nodes.nr - 1;

	firefox_begin(f, "stackTable");
	firefox_column(f, "frame", nr, add_stack_frame);
	firefox_column(f, "prefixOffset", nr, add_prefix_offset);
	firefox_end(f, nr, ",");
}

void firefox_add_shared(struct firefox *f)
{
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	static const char *const places[] = {"source", "line", "column", NULL};

	firefox_begin(f, "shared");
	add_functions(f);
	add_frames(f);
	add_stacks(f);
	firefox_column(f, "stringArray", firefox_wait_string(f) + 1, add_string);
	firefox_begin(f, "nativeSymbols");
	firefox_same(f, symbols, "", 0);
	firefox_end(f, 0, ",");
	add_sources(f);
	firefox_begin(f, "sourceLocationTable");
	firefox_same(f, places, "", 0);
	firefox_end(f, 0, "},");
}
