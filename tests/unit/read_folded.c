/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>

#include "test.h"
#include "base/strbuf.h"
#include "folded_fixture.h"
#include "view.h"

struct fixture {
	struct strings names;
	struct call_tree tree;
	struct stack_files folded;
	struct error error;
	int err;
};

static void fixture_release(struct fixture *f)
{
	call_tree_release(&f->tree);
	strings_release(&f->names);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){.folded = STACK_FILES_NONE};
	strings_init(&f->names);
	call_tree_init(&f->tree, &f->names);
}

static void read_as(struct fixture *f, const char *text, const struct stack_file_options *options)
{
	f->err =
		read_bytes(&f->folded, &f->tree, &f->names, text, strlen(text), options, &f->error);
}

static void read_text(struct fixture *f, const char *text)
{
	fixture_init(f);
	read_as(f, text, &(struct stack_file_options){});
}

/* The stacks with a value, "kind name;kind name=value ", kinds as digits. */
static char *dump(struct fixture *f)
{
	struct strbuf b = {};

	call_tree_finish(&f->tree);
	for (u32 node = 0;;) {
		const struct tree_node *n = &f->tree.at[node];

		if (node)
			strbuf_addf(&b, "%*s%d%s", n->depth > 1, n->depth > 1 ? ";" : "",
				    n->frame.kind, tree_name(&f->tree, n->frame.name).s);
		if (n->self)
			strbuf_addf(&b, "=%llu ", (unsigned long long)n->self);
		node = call_tree_next(&f->tree, node);
		if (!node)
			return strbuf_detach(&b);
	}
}

static void good_text(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a 1\n", "0a=1 "},
		{"a;b 12\n", "0a;0b=12 "},
		{"a;b 12\r\na;b 1\r\n", "0a;0b=13 "},
		{"\n\na 1\n\n", "0a=1 "},
		{"std::map<int, int>::at(int const&) 3\n",
		 "0std::map<int, int>::at(int const&)=3 "},
		/* Not a differential: the value is behind the last space. */
		{"a;worker 12 5\na 1\n", "0a=1 ;0worker 12=5 "},
		/* What flamegraph.pl takes, too. */
		{"a 1\nmain;foo 10", "0a=1 0main;0foo=10 "},
		{"a;b\t12\n", "0a;0b=12 "},
		{"a;b 12 \t \r\n", "0a;0b=12 "},
		{"a;b   12\na;b    7\n", "0a;0b=19 "},
		{"# a comment 5\n#\n#a;b 1\n", "0#a;0b=1 "},
		{"\xef\xbb\xbf"
		 "a 1\n",
		 "0a=1 "},
		{"a 3.000\nb 4.\n", "0a=3 0b=4 "},
		{"a;f_[k] 1\n", "0a;1f=1 "},
		{"a;f_[i] 1\n", "0a;2f=1 "},
		{"a;f_[j] 1\n", "0a;3f=1 "},
		{"a;f_[w] 1\n", "0a;4f=1 "},
		{"a;_[k] 1\n", "0a;0_[k]=1 "},
		{"a;f_[x] 1\n", "0a;0f_[x]=1 "},
		{"[lost] 1\n", "6[lost]=1 "},
		{"a;-- 1\n", "0a;6--=1 "},
		{"a;- 1\n", "0a;6-=1 "},
		{"a;--- 1\n", "0a;0---=1 "},
		{"a;;b 1\n", "0a;0;0b=1 "},
		{" 4\n", "=4 "},
		{"a 18446744073709551615\n", "0a=18446744073709551615 "},
		{"a 007\n", "0a=7 "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *got = NULL;

		read_text(&f, cases[i].text);
		CHECK_EQ(f.err, 0);
		got = dump(&f);
		CHECK_STR(got, cases[i].want);
	}
}

/* Left out, and counted; the first is named. */
static void bad_lines(void)
{
	static const struct {
		const char *text, *first;
		u64 nr;
		unsigned int columns;
	} cases[] = {
		{"a 1\nb\n", "x.folded:2: no count at the end", 1, 0},
		{"a 1\n\nb;c \nd\n", "x.folded:3: no count at the end", 2, 0},
		{"b;c d\na 1\n", "x.folded:1: no count at the end", 1, 0},
		{"a -1\na 1\n", "x.folded:1: no count", 1, 0},
		{"a 1\na 1.5.2\na .5\na 1e3\n", "x.folded:2: no count", 3, 0},
		{"a 1\nb 1 2\n", "x.folded:1: one count, where --columns 2", 1, 2},
		/* inferno panics here */
		{"a 1\ncaf\xc3\xa9\n", "x.folded:2: no count", 1, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		read_as(&f, cases[i].text,
			&(struct stack_file_options){.columns = cases[i].columns});
		CHECK_EQ(f.err, 0);
		CHECK_EQ(f.folded.nr_stacks, 1);
		CHECK_EQ(f.folded.nr_bad, cases[i].nr);
		f.folded.first_bad.text[strlen(cases[i].first)] = '\0';
		CHECK_STR(f.folded.first_bad.text, cases[i].first);
	}
}

static void bad_files(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a 18446744073709551616\n", "x.folded:1: the sum of the counts is 2^64 or more"},
		{"a 18446744073709551615\nb 1\n", "x.folded:2: the sum of the counts is 2^64"},
		{"a 1844674407370955162\nb .5\nb 0.5\n", "x.folded:3: the sum of the counts, with"},
		{"\xff\xfe"
		 "a",
		 "x.folded is UTF-16: convert it with iconv"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		read_text(&f, cases[i].text);
		CHECK_EQ(f.err, -EINVAL);
		f.error.text[strlen(cases[i].want)] = '\0';
		CHECK_STR(f.error.text, cases[i].want);
	}
}

static void no_stacks_is_no_error(void)
{
	_cleanup_fixture_ struct fixture f;

	read_text(&f, "\n# wick\n\n");
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.folded.nr_stacks, 0);
	CHECK_EQ(f.folded.nr_bad, 0);
}

/* 31.23 + 6.1 + 2.567 + 3: in thousandths, whatever comes first. */
static void fractions_add_up(void)
{
	_cleanup_fixture_ struct fixture f;

	read_text(&f, "a;b 3\na 31.23\na;b 6.1\nc 2.567\nd 0.1000\n");
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.folded.unit.divisor, 1000);
	CHECK_EQ(f.tree.sum, 42997);
	call_tree_finish(&f.tree);
	CHECK_EQ(f.tree.at[1].total, 40330);
}

/* The seventh digit rounds the sixth. */
static void fractions_have_six_digits(void)
{
	_cleanup_fixture_ struct fixture f;

	read_text(&f, "a 0.1234567\n");
	CHECK_EQ(f.folded.unit.divisor, 1000000);
	CHECK_EQ(f.tree.sum, 123456);
}

static void two_counts_are_a_differential_if_all_lines_have_them(void)
{
	static const struct {
		const char *text;
		unsigned int columns;
		bool differential;
		const char *want;
	} cases[] = {
		{"a;b 10 20\na 5 1\n", 0, true, "0a=1 ;0b=20 "},
		{"a;b 10 20\na 5\n", 0, false, "0a=5 ;0b 10=20 "},
		{"a 5\na;b 10 20\n", 0, false, "0a=5 ;0b 10=20 "},
		{"a;b 10 20\n", 1, false, "0a;0b 10=20 "},
		{"a;b 10 20\nbad\n# 1\n\nc 1 2\n", 0, true, "0a;0b=20 0c=2 "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *got = NULL;

		fixture_init(&f);
		read_as(&f, cases[i].text,
			&(struct stack_file_options){.columns = cases[i].columns});
		CHECK_EQ(f.err, 0);
		CHECK_EQ(f.folded.differential, cases[i].differential);
		got = dump(&f);
		CHECK_STR(got, cases[i].want);
	}
}

static void a_differential_knows_what_is_gone(void)
{
	_cleanup_fixture_ struct fixture f;

	read_text(&f, "a;b 10 20\na;c 7 0\nd 5 0\ne 0 3\nf 0 0\n");
	CHECK_EQ(f.folded.nr_gone, 2);
	CHECK_EQ(f.folded.gone, 12);
	call_tree_finish(&f.tree);
	CHECK_EQ(tree_before(&f.tree, 0), 22);
	CHECK_EQ(tree_before(&f.tree, 1), 17);
}

/* A differential and another file have no sum. */
static void files_have_to_agree(void)
{
	static const struct {
		const char *first, *second, *want;
	} cases[] = {
		{"a 1 2\n", "a 1\n", "x.folded has one count on each line"},
		{"a 1\n", "a 1 2\n", "x.folded has two counts on each line"},
		{"# wick view=offcpu unit=us\na 1\n", "a 1\n", "x.folded is in samples, what was"},
		{"a 1\n", "# wick view=offcpu unit=us\na 1\n", "x.folded is in us, what was"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		read_text(&f, cases[i].first);
		CHECK_EQ(f.err, 0);
		read_as(&f, cases[i].second, &(struct stack_file_options){});
		CHECK_EQ(f.err, -EINVAL);
		f.error.text[strlen(cases[i].want)] = '\0';
		CHECK_STR(f.error.text, cases[i].want);
	}
}

static void the_header_says_what_it_is(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	read_text(&f, "# wick view=offcpu root=group unit=us\njava;java 1.5\n[lost] 1\n"
		      "swapper_[k] 1\n");
	CHECK_STR(f.folded.view->name, "offcpu");
	CHECK_STR(f.folded.unit.name, "us");
	CHECK(f.folded.unit.time);
	CHECK_EQ(f.folded.nr_bad, 0);
	got = dump(&f);
	CHECK_STR(got, "6[lost]=1000 5java;0java=1500 1swapper=1000 ");
}

/* A later wick's, and what only looks like one. */
static void other_headers_are_comments(void)
{
	static const char *const texts[] = {
		"# wick view=moon unit=us\na 1\n",
		"# wick view=offcpu unit=parsec\na 1\n",
		"# wickview=offcpu unit=us\na 1\n",
		"# wick\na 1\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_fixture_ struct fixture f;

		read_text(&f, texts[i]);
		CHECK_EQ(f.err, 0);
		CHECK_STR(f.folded.unit.name, "samples");
		CHECK_EQ(f.tree.sum, 1);
	}
}

static void stacks_from_their_leaves(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	fixture_init(&f);
	read_as(&f, "a;b;c 1\nb;c 2\nc;;_[k] 4\n 8\n",
		&(struct stack_file_options){.reverse = true});
	got = dump(&f);
	CHECK_STR(got, "=8 0_[k];0;0c=4 0c;0b=2 ;0a=1 ");
}

static void a_chart_keeps_the_order(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	fixture_init(&f);
	read_as(&f, "b;x 1\nb;x 2\nb;y 4\na 8\nb;x 16\n",
		&(struct stack_file_options){.chart = true});
	got = dump(&f);
	CHECK_STR(got, "0b;0x=3 ;0y=4 0a=8 0b;0x=16 ");
}

static void files_can_be_labels(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	fixture_init(&f);
	read_as(&f, "b 1\n", &(struct stack_file_options){.label = true});
	got = dump(&f);
	CHECK_STR(got, "5x;0b=1 ");
}

/* Common beginnings that are no common frames. */
static void lines_share_whole_frames_only(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	read_text(&f,
		  "abc;def 1\nab 2\nabc;de 4\nabc;def;g 8\nabc 16\nabc;def 32\n 64\nabc;def 128\n");
	got = dump(&f);
	CHECK_STR(got, "=64 0ab=2 0abc=16 ;0de=4 ;0def=161 ;0g=8 ");
}

static void gzip_is_read_as_what_is_in_it(void)
{
	/* printf 'a;b 12\n' | gzip -n; the second time without its last nine bytes. */
	static const unsigned char bytes[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4b, 0xb4, 0x4e, 0x52,
		0x30, 0x34, 0xe2, 0x02, 0x00, 0x9a, 0xd6, 0xdc, 0xb5, 0x07, 0x00, 0x00, 0x00,
	};
	_cleanup_fixture_ struct fixture f;
	struct fixture g;

	fixture_init(&f);
	f.err = read_bytes(&f.folded, &f.tree, &f.names, bytes, sizeof(bytes),
			   &(struct stack_file_options){}, &f.error);
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.tree.sum, 12);
	fixture_init(&g);
	g.err = read_bytes(&g.folded, &g.tree, &g.names, bytes, sizeof(bytes) - 9,
			   &(struct stack_file_options){}, &g.error);
	CHECK(g.err < 0);
	CHECK_STR(g.error.text, "cannot read x.folded: the compressed file was cut in the middle");
	fixture_release(&g);
}

static void any_bytes_are_names(void)
{
	_cleanup_fixture_ struct fixture f;
	static const char text[] = "a\0b;\xff\x01 3\n";
	u32 node;

	fixture_init(&f);
	f.err = read_bytes(&f.folded, &f.tree, &f.names, text, sizeof(text) - 1,
			   &(struct stack_file_options){}, &f.error);
	CHECK_EQ(f.err, 0);
	call_tree_finish(&f.tree);
	node = call_tree_next(&f.tree, 0);
	CHECK_EQ(tree_name(&f.tree, f.tree.at[node].frame.name).size, 3);
	CHECK(!memcmp(tree_name(&f.tree, f.tree.at[node].frame.name).s, "a\0b", 3));
}

static void several_files_are_summed(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;

	read_text(&f, "a;b 1\na 1\n");
	read_as(&f, "a;b 10\nc 5\n", &(struct stack_file_options){});
	got = dump(&f);
	CHECK_STR(got, "0a=1 ;0b=11 0c=5 ");
}

/* Lines that cross the ends of the reader's blocks, at every offset. */
static void lines_longer_than_a_block(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f;
	u64 sum = 0;

	for (u64 i = 0; b.size < 1 << 20; i++) {
		for (u64 k = 0; k < i * 97 % 30000; k++)
			strbuf_addc(&b, 'x');
		strbuf_addf(&b, ";leaf %llu\n", (unsigned long long)i);
		sum += i;
	}
	fixture_init(&f);
	read_as(&f, b.s, &(struct stack_file_options){});
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.tree.sum, sum);
}

static void absurd_lines_are_errors(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f, g;

	for (size_t i = 0; i < STACK_FILE_MAX_LINE + 2; i++)
		strbuf_addc(&b, 'x');
	strbuf_adds(&b, " 1\n");
	fixture_init(&f);
	read_as(&f, b.s, &(struct stack_file_options){});
	CHECK_EQ(f.err, -EINVAL);
	CHECK(strstr(f.error.text, "x.folded:1: the line is longer than 16 MiB"));

	memset(b.s, ';', STACK_FILE_MAX_FRAMES + 1);
	memcpy(b.s + STACK_FILE_MAX_FRAMES + 1, " 1\n", 4);
	read_text(&g, b.s);
	CHECK_EQ(g.err, 0);
	CHECK_EQ(g.folded.nr_bad, 1);
	CHECK_STR(g.folded.first_bad.text, "x.folded:1: the stack has more than 65536 frames");
}

static void ten_thousand_frames_are_not_absurd(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f;

	for (int i = 0; i < 10000; i++)
		strbuf_addf(&b, "%sf%d", i ? ";" : "", i % 7);
	strbuf_adds(&b, " 1\n");
	read_text(&f, b.s);
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.tree.max_depth, 10000);
}

/* More than is sorted at once; a fraction comes late. */
static void the_order_of_lines_does_not_matter(void)
{
	enum { NR = 140000, FUNCTIONS = 7 };
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_fixture_ struct fixture f;
	u64 want[FUNCTIONS] = {};

	for (u32 i = 0; i < NR; i++) {
		u32 which = i * 5 % FUNCTIONS;

		strbuf_addf(&text, "main;function%u", which);
		for (size_t pad = 0; pad < 24; pad++)
			strbuf_adds(&text, ";the same frame");
		strbuf_addf(&text, " %u%s\n", i, i == NR - 5 ? ".5" : "");
		want[which] += 10ull * i + (i == NR - 5 ? 5 : 0);
	}
	read_text(&f, text.s);
	CHECK_EQ(f.err, 0);
	call_tree_finish(&f.tree);
	CHECK_EQ(f.tree.nr, 2 + FUNCTIONS * 25);
	CHECK_EQ(f.tree.sum, 10ull * NR * (NR - 1) / 2 + 5);
	for (u32 node = 1; node; node = call_tree_next(&f.tree, node)) {
		const struct tree_node *n = &f.tree.at[node];

		if (n->depth == 2)
			CHECK_EQ(n->total, want[tree_name(&f.tree, n->frame.name).s[8] - '0']);
	}
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Kinds, notes, names without letters, stacks that are part of others, the same ones again. */
static char *any_line(unsigned int *seed)
{
	static const char *const frames[] = {"a", "a_[k]", "a.cold", "[note]", "--", "", "b_[j]"};
	size_t nr = 1 + (size_t)rand_r(seed) % 5;
	struct strbuf b = {};

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&b, "%s%s", i ? ";" : "",
			    frames[(size_t)rand_r(seed) % ARRAY_SIZE(frames)]);
	strbuf_addf(&b, " %d\n", rand_r(seed) % 100);
	return strbuf_detach(&b);
}

static char *dump_lines(char **lines, size_t nr, const struct stack_file_options *options)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_fixture_ struct fixture f;

	strbuf_adds(&text, "# wick view=cpu unit=samples root=group\n");
	for (size_t i = 0; i < nr; i++)
		strbuf_adds(&text, lines[i]);
	fixture_init(&f);
	read_as(&f, text.s, options);
	CHECK_EQ(f.err, 0);
	return dump(&f);
}

/* Text in no order is coded and sorted, text in order is not. */
static void any_order_makes_the_same_tree(void)
{
	enum { NR = 2000 };
	_cleanup_free_ char **lines = xcalloc(NR, sizeof(*lines));
	unsigned int seed = 11;

	char *unsorted[2], *sorted[2];
	const struct stack_file_options options[2] = {{.reverse = false}, {.reverse = true}};

	for (size_t i = 0; i < NR; i++)
		lines[i] = any_line(&seed);
	for (size_t i = 0; i < 2; i++)
		unsorted[i] = dump_lines(lines, NR, &options[i]);
	qsort(lines, NR, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < 2; i++) {
		sorted[i] = dump_lines(lines, NR, &options[i]);
		CHECK_STR(unsorted[i], sorted[i]);
		free(unsorted[i]);
		free(sorted[i]);
	}
	for (size_t i = 0; i < NR; i++)
		free(lines[i]);
}

static void errors_of_reading_keep_their_errno(void)
{
	_cleanup_close_ int fd = open("/", O_RDONLY | O_CLOEXEC);
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	CHECK_EQ(stack_file_read(&f.folded, &f.tree, &f.names, fd, "/",
				 &(struct stack_file_options){}, &f.error),
		 -EISDIR);
	CHECK_STR(f.error.text, "cannot read /: Is a directory");
}

int main(void)
{
	RUN(good_text);
	RUN(bad_lines);
	RUN(bad_files);
	RUN(no_stacks_is_no_error);
	RUN(fractions_add_up);
	RUN(fractions_have_six_digits);
	RUN(two_counts_are_a_differential_if_all_lines_have_them);
	RUN(a_differential_knows_what_is_gone);
	RUN(files_have_to_agree);
	RUN(the_header_says_what_it_is);
	RUN(other_headers_are_comments);
	RUN(stacks_from_their_leaves);
	RUN(a_chart_keeps_the_order);
	RUN(files_can_be_labels);
	RUN(lines_share_whole_frames_only);
	RUN(gzip_is_read_as_what_is_in_it);
	RUN(any_bytes_are_names);
	RUN(several_files_are_summed);
	RUN(lines_longer_than_a_block);
	RUN(absurd_lines_are_errors);
	RUN(ten_thousand_frames_are_not_absurd);
	RUN(the_order_of_lines_does_not_matter);
	RUN(any_order_makes_the_same_tree);
	RUN(errors_of_reading_keep_their_errno);
	return test_status();
}
