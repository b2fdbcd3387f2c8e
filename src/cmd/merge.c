/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.c: `wick merge`: recordings of several hosts, or of several runs of one, become one. */
#include "merge.h"

#include <argp.h>

#include "base/numbers.h"
#include "cmd.h"
#include "common_options.h"
#include "output.h"
#include "replay.h"

struct merge_command {
	VEC(const char *) inputs;
	const char *output;
	bool quiet;
};

/* ---- what was done */

static u32 all_needs(const struct merge *m)
{
	u32 needs = 0;

	for (size_t i = 0; i < merge_nr_runs(m); i++)
		needs |= merge_run_at(m, i).p->needs;
	return needs;
}

/* An instrument that only others have: of their graphs this one is not a part. */
static void say_what_it_lacks(const struct merge_run *run, u32 needs)
{
	_cleanup_strbuf_ struct strbuf line = {};
	u32 lacks = needs & ~run->p->needs;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (lacks & 1u << kind)
			strbuf_addf(&line, "%s%s", line.size ? ", " : "", instruments[kind].name);
	if (lacks & NEED_WAKERS)
		strbuf_addf(&line, "%swakers", line.size ? ", " : "");
	if (lacks & NEED_CHAINS)
		strbuf_addf(&line, "%schains of wakers", line.size ? ", " : "");
	if (line.size)
		fprintf(stderr, "%s has no %s: graphs of these have only the other runs\n",
			run->name, line.s);
}

static void say_run(const struct merge_run *run)
{
	_cleanup_strbuf_ struct strbuf line = {};
	struct string host = strings_get(&run->p->names, run->p->host);

	strbuf_addf(&line, "%s: ", run->name);
	strbuf_add_safe_utf8(&line, host.s, host.size);
	strbuf_adds(&line, ", ");
	strbuf_add_time(&line, run->p->end - run->p->begin);
	if (run->begin >= NSEC_PER_MSEC) {
		strbuf_adds(&line, ", begins ");
		strbuf_add_time(&line, run->begin);
		strbuf_adds(&line, " after the first");
	}
	fprintf(stderr, "%s\n", line.s);
}

static void say_all(const struct merge *m, const char *path, size_t size)
{
	_cleanup_strbuf_ struct strbuf line = {};
	u64 end = 0;

	for (size_t i = 0; i < merge_nr_runs(m); i++) {
		const struct merge_run run = merge_run_at(m, i);

		say_run(&run);
		end = max(end, run.begin + (run.p->end - run.p->begin));
	}
	for (size_t i = 0; i < merge_nr_runs(m); i++) {
		const struct merge_run run = merge_run_at(m, i);

		say_what_it_lacks(&run, all_needs(m));
	}
	strbuf_addf(&line, "%s: %zu runs, ", path, merge_nr_runs(m));
	strbuf_add_time(&line, end);
	strbuf_adds(&line, " from the first begin to the last end, ");
	strbuf_add_bytes(&line, size);
	fprintf(stderr, "%s\n", line.s);
}

/* ---- the command */

static int read_all(const struct merge_command *c, struct merge *m, struct error *error)
{
	for (size_t i = 0; i < c->inputs.nr; i++) {
		const char *path = c->inputs.at[i];
		_cleanup_close_ int fd = replay_open(path, error);
		struct recording r = {};
		struct error why;
		int err = fd < 0 ? fd : merge_add(m, fd, path, &r, &why);

		if (fd >= 0 && !err)
			replay_say_lacks(path, &r, merge_run_at(m, merge_nr_runs(m) - 1).p);
		recording_release(&r);
		if (err)
			return fd < 0 ? err
				      : fail(error, err, "cannot merge %s: %s", path, why.text);
	}
	return 0;
}

static int write_merged(const char *path, const struct strbuf *bytes, struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	int err = output_open(&out, path, OUTPUT_REPLACE, error);

	if (err)
		return err;
	fwrite(bytes->s, 1, bytes->size, out.stream);
	return output_commit(&out, error);
}

static int merge_files(const struct merge_command *c, struct merge *m, struct error *error)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	int err = output_check(c->output, error);

	if (!err)
		err = read_all(c, m, error);
	if (!err)
		err = merge_write(m, &bytes, error);
	if (!err)
		err = write_merged(c->output, &bytes, error);
	if (!err && !c->quiet)
		say_all(m, c->output, bytes.size);
	return err;
}

static const struct argp_option rows[] = {
	{.name = "output",
	 .key = 'o',
	 .arg = "FILE" RECORDING_SUFFIX,
	 .doc = "where the merged recording goes"},
	{.name = "quiet", .key = 'q', .doc = "do not say what was merged"},
	HELP_ROW,
	{},
};

void merge_options(const char *name, struct argp_option *to)
{
	(void)name;
	memcpy(to, rows, sizeof(rows));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_command *c = state->input;

	switch (key) {
	case 'o':
		c->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		*vec_add(&c->inputs) = arg;
		return 0;
	case ARGP_KEY_END:
		if (c->inputs.nr < 2)
			argp_error(state, "which recordings? Name two or more");
		if (!c->output)
			argp_error(state, "where to? Say -o FILE" RECORDING_SUFFIX);
		return 0;
	}
	return common_parse(key, &c->quiet, state);
}

int cmd_merge(int argc, char **argv)
{
	struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "FILE" RECORDING_SUFFIX "...",
		.doc = "Makes one recording of several: of hosts, which stay apart, or of "
		       "runs of one host."};
	struct merge_command c = {};
	struct merge *m = merge_new();
	struct error error;
	int err;

	parse_options(&argp, argc, argv, &c);
	err = merge_files(&c, m, &error);
	if (err)
		print_error(&error);
	merge_free(m);
	vec_release(&c.inputs);
	return err != 0;
}
