/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info.c: `wick info`: what a recording is of, how large, what it lacks. */
#include <argp.h>
#include <time.h>

#include "base/numbers.h"
#include "cmd.h"
#include "common_options.h"
#include "replay.h"

enum { MAX_SLICE_ROWS = 20 };

/* ---- lines */

/* Safe to print, whatever the file says. */
static void add_name(struct strbuf *b, const struct profile *p, u32 name)
{
	struct string s = strings_get(&p->names, name);

	strbuf_add_safe_utf8(b, s.s, s.size);
}

static void print_line(const char *title, struct strbuf *line)
{
	printf("%-9s %s\n", title, line->s ? line->s : "");
	strbuf_clear(line);
}

static void add_clock(struct strbuf *b, u64 wall_ns)
{
	time_t start = (time_t)(wall_ns / NSEC_PER_SEC);
	struct tm local;
	char when[64] = "";

	if (localtime_r(&start, &local))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &local);
	strbuf_adds(b, when);
}

static void print_run(const struct profile *p, const struct recording *r)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_name(&b, p, p->host);
	strbuf_adds(&b, ", Linux ");
	add_name(&b, p, p->kernel_release);
	strbuf_addf(&b, ", %u CPUs", p->nr_cpus);
	print_line("host", &b);
	add_clock(&b, p->wall_start_ns);
	strbuf_addf(&b, ", %.3f s, %zu slice%s", (double)(p->end - p->begin) / 1e9, r->slices.nr,
		    r->slices.nr == 1 ? "" : "s");
	if (r->nr_parts > 1)
		strbuf_addf(&b, " in %zu parts", r->nr_parts);
	strbuf_adds(&b, r->ended ? "" : "; the run was killed");
	print_line("window", &b);
	if (strings_get(&p->names, p->filters).size) {
		add_name(&b, p, p->filters);
		print_line("filters", &b);
	}
}

/* Of a merged recording: the runs that it has. */
static void print_hosts(const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf b = {};

	for (size_t i = 1; i < p->hosts.nr; i++) {
		const struct profile_host *host = &p->hosts.at[i];
		u64 after = host->begin - min(p->begin, host->begin);

		add_name(&b, p, host->name);
		strbuf_adds(&b, ", Linux ");
		add_name(&b, p, host->kernel_release);
		strbuf_addf(&b, ", %u CPUs, ", host->nr_cpus);
		add_clock(&b, p->wall_start_ns + after);
		strbuf_addf(&b, ", %.3f s",
			    (double)(host->end - min(host->begin, host->end)) / 1e9);
		print_line("run", &b);
	}
}

static void print_observed(const struct profile *p)
{
	static const struct {
		u32 needs;
		const char *name;
	} others[] = {{NEED_WAKERS, "wakers"},
		      {NEED_CHAINS, "chains of wakers"},
		      {NEED_THREADS, "threads as they were"}};
	_cleanup_strbuf_ struct strbuf b = {};

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (p->needs & 1u << kind)
			strbuf_addf(&b, "%s%s", b.size ? ", " : "", instruments[kind].name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (p->needs & others[i].needs)
			strbuf_addf(&b, "%s%s", b.size ? ", " : "", others[i].name);
	if (p->needs & NEED_CPU)
		strbuf_addf(&b, "; %u Hz", p->frequency);
	print_line("observed", &b);
}

static void print_names(const struct profile *p, const struct recording *r)
{
	_cleanup_strbuf_ struct strbuf b = {};

	if (!r->named) {
		strbuf_adds(&b, "none: frames are shown by their file");
	} else {
		strbuf_add_number(&b, p->naming.resolved);
		strbuf_adds(&b, " addresses have one, ");
		strbuf_add_number(&b, p->naming.unresolved);
		strbuf_adds(&b, " have none");
	}
	print_line("names", &b);
}

static void print_losses(const struct profile *p, const struct recording *r)
{
	_cleanup_strbuf_ struct strbuf b = {};

	vec_for_each (&p->losses, loss) {
		if (!loss->value)
			continue;
		strbuf_addf(&b, "%s: ", instruments[loss->kind].name);
		strbuf_add_safe_utf8(&b, loss->cause, strlen(loss->cause));
		strbuf_addc(&b, ' ');
		strbuf_add_number(&b, loss->value);
		print_line("lost", &b);
	}
	if (r->nr_damaged) {
		strbuf_add_number(&b, r->damaged_bytes);
		strbuf_addf(&b, " bytes of the file, the first at byte %llu: %s",
			    (unsigned long long)r->first_damaged, r->damage);
		print_line("damaged", &b);
	}
}

/* ---- tables */

static void print_tables(const struct recording *r)
{
	_cleanup_strbuf_ struct strbuf rows = {}, bytes = {};

	printf("\n%-14s %12s %14s\n", "table", "rows", "bytes");
	for (size_t i = 0; i < r->nr_tables; i++) {
		const struct recording_table *table = &r->tables[i];

		if (!table->rows)
			continue;
		strbuf_clear(&rows);
		strbuf_clear(&bytes);
		strbuf_add_number(&rows, table->rows);
		strbuf_add_number(&bytes, table->bytes);
		printf("%-14s %12s %14s\n", table->name, rows.s, bytes.s);
	}
	strbuf_clear(&rows);
	strbuf_clear(&bytes);
	strbuf_add_number(&rows, r->raw_bytes);
	strbuf_add_number(&bytes, r->size);
	printf("%s bytes in all, %s deflated, in the file\n", rows.s, bytes.s);
}

/* The main sums of kinds, as the table of slices has them: times in seconds. */
static const struct {
	const char *title;
	enum wick_kind kind;
	u32 column;
	double unit;
} sums[] = {
	{"samples", WICK_CPU, 0, 1},	 {"off-CPU s", WICK_SCHED, 1, 1e9},
	{"faults", WICK_FAULT, 0, 1},	 {"brk bytes", WICK_BRK, 1, 1},
	{"mmap bytes", WICK_MMAP, 1, 1},
};

static void add_slice(struct recording_slice *to, const struct recording_slice *slice)
{
	to->end = slice->end;
	to->size += slice->size;
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		add_to_sum(&to->sums[sums[i].kind][sums[i].column],
			   slice->sums[sums[i].kind][sums[i].column]);
}

static void print_slice(const struct recording_slice *slice, u32 needs)
{
	printf("%9.3f %9.3f %9llu", (double)slice->begin / 1e9, (double)slice->end / 1e9,
	       (unsigned long long)slice->size);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (needs & 1u << sums[i].kind)
			printf(" %14.*f", sums[i].unit == 1 ? 0 : 3,
			       (double)slice->sums[sums[i].kind][sums[i].column] / sums[i].unit);
	printf("\n");
}

/* Of many slices, several are a row. */
static void print_slices(const struct recording *r, u32 needs)
{
	size_t step = (r->slices.nr + MAX_SLICE_ROWS - 1) / MAX_SLICE_ROWS;

	printf("\n%9s %9s %9s", "from s", "to s", "bytes");
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (needs & 1u << sums[i].kind)
			printf(" %14s", sums[i].title);
	printf("\n");
	for (size_t i = 0; i < r->slices.nr; i += step) {
		struct recording_slice row = r->slices.at[i];

		for (size_t k = i + 1; k < min(i + step, r->slices.nr); k++)
			add_slice(&row, &r->slices.at[k]);
		print_slice(&row, needs);
	}
}

/* ---- the command */

static const struct argp_option rows[] = {
	HELP_ROW,
	{},
};

void info_options(const char *name, struct argp_option *to)
{
	(void)name;
	memcpy(to, rows, sizeof(rows));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;

	if (!one_recording_parse(key, arg, path, state))
		return 0;
	return common_parse(key, NULL, state);
}

int cmd_info(int argc, char **argv)
{
	struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "FILE" RECORDING_SUFFIX,
		.doc = "What a recording is of, how large its parts are, what it lacks."};
	const char *path = NULL;
	struct recording r = {};
	struct error error;
	struct profile p;
	int err;

	parse_options(&argp, argc, argv, &path);
	profile_init(&p);
	err = replay_read(path, NULL, &p, &r, &error);
	if (err) {
		print_error(&error);
	} else {
		print_run(&p, &r);
		print_hosts(&p);
		print_observed(&p);
		print_names(&p, &r);
		print_losses(&p, &r);
		print_tables(&r);
		print_slices(&r, p.needs);
	}
	recording_release(&r);
	profile_release(&p);
	return finish_standard_output(argv[0]) || err;
}
