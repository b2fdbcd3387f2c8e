/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope.c: the file format of speedscope.app (file-format-schema.json of its package): JSON
 * with a table of functions, and a profile for each metric of the view.
 *
 *	"profiles": [{"type": "sampled", "samples": [[0, 4, 7]], "weights": [12]}]
 *
 * A sample is a stack, root first, with what was counted as its weight. They have no times: the
 * order is that in which stacks were met. Speedscope's "left heavy" view is the flame graph.
 */
#include "emit.h"
#include "functions.h"
#include "json.h"

enum { FLUSH_SIZE = 1 << 15 };

struct speedscope {
	const struct weighted_stacks *stacks;
	const struct caption *caption;
	struct functions functions;
	FILE *out;
	struct strbuf b;
	VEC(u32) path; /* functions of a stack, leaf first */
};

static void speedscope_release(struct speedscope *s)
{
	functions_release(&s->functions);
	strbuf_release(&s->b);
	vec_release(&s->path);
}

static void flush(struct speedscope *s, size_t at_least)
{
	if (s->b.size < at_least || !s->b.size)
		return;
	fwrite(s->b.s, 1, s->b.size, s->out);
	strbuf_clear(&s->b);
}

static void add_function(struct speedscope *s, size_t i)
{
	u32 module = s->functions.at[i].module;

	strbuf_addf(&s->b, "%s{\"name\":", i ? ",\n" : "");
	functions_add_name(&s->b, &s->functions, i, s->caption->annotate);
	if (module) {
		strbuf_adds(&s->b, ",\"file\":");
		json_add_string(&s->b, strings_get(s->stacks->names, module));
	}
	strbuf_addc(&s->b, '}');
	flush(s, FLUSH_SIZE);
}

static void add_stack(struct speedscope *s, u32 leaf)
{
	const struct stack_node *nodes = s->stacks->nodes.at;

	s->path.nr = 0;
	for (u32 node = leaf; node; node = nodes[node].parent)
		*vec_add(&s->path) = s->functions.of_frame[nodes[node].frame];
	strbuf_addc(&s->b, '[');
	for (size_t i = s->path.nr; i-- > 0;)
		strbuf_addf(&s->b, "%u%s", s->path.at[i], i ? "," : "");
	strbuf_addc(&s->b, ']');
}

static void add_samples(struct speedscope *s, size_t unit)
{
	const char *comma = "";

	strbuf_adds(&s->b, "\"samples\":[");
	vec_for_each (&s->stacks->rows, row) {
		if (!row->value[unit])
			continue;
		strbuf_adds(&s->b, comma);
		add_stack(s, row->node);
		flush(s, FLUSH_SIZE);
		comma = ",\n";
	}
	strbuf_adds(&s->b, "],\n");
}

static void add_weights(struct speedscope *s, size_t unit)
{
	const char *comma = "";

	strbuf_adds(&s->b, "\"weights\":[");
	vec_for_each (&s->stacks->rows, row) {
		if (!row->value[unit])
			continue;
		strbuf_adds(&s->b, comma);
		json_add_count(&s->b, row->value[unit], &s->stacks->units[unit]);
		flush(s, FLUSH_SIZE);
		comma = ",";
	}
	strbuf_adds(&s->b, "]}");
}

/* Of one metric. */
static void add_profile(struct speedscope *s, size_t i)
{
	const struct unit *unit = &s->stacks->units[i];
	_cleanup_free_ char *name =
		format("%s: %s", s->caption->title, unit->time ? "time" : unit->name);

	strbuf_adds(&s->b,
		    i ? ",\n{\"type\":\"sampled\",\"name\":" : "{\"type\":\"sampled\",\"name\":");
	json_add_text(&s->b, name);
	strbuf_addf(&s->b, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		    unit->time	  ? "nanoseconds"
		    : unit->bytes ? "bytes"
				  : "none");
	json_add_count(&s->b, s->stacks->sum[i], unit);
	strbuf_adds(&s->b, ",\n");
	add_samples(s, i);
	add_weights(s, i);
}

static void write_all(struct speedscope *s)
{
	strbuf_adds(&s->b,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"wick@" WICK_VERSION "\",\"activeProfileIndex\":0,\"name\":");
	json_add_text(&s->b, s->caption->subtitle ? s->caption->subtitle : s->caption->title);
	strbuf_adds(&s->b, ",\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < s->functions.nr; i++)
		add_function(s, i);
	strbuf_adds(&s->b, "]},\n\"profiles\":[");
	for (size_t i = 0; i < s->stacks->nr_units; i++)
		add_profile(s, i);
	strbuf_adds(&s->b, "]}\n");
	flush(s, 0);
}

static int write_speedscope(const struct weighted_stacks *stacks, const struct caption *caption,
			    FILE *out, struct error *error)
{
	_cleanup_(speedscope_release) struct speedscope s = {
		.stacks = stacks, .caption = caption, .out = out};

	(void)error;
	functions_init(&s.functions, stacks);
	write_all(&s);
	return 0;
}

const struct format speedscope_format = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.summary = "for speedscope.app",
	.write_stacks = write_speedscope,
};
