/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "base/strbuf.h"
#include "tree.h"

struct fixture {
	struct strings names;
	struct call_tree tree;
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
	*f = (struct fixture){};
	strings_init(&f->names);
	call_tree_init(&f->tree, &f->names);
}

static void read_bytes(struct fixture *f, const char *bytes, size_t size, bool first_is_group)
{
	_cleanup_fclose_ FILE *in =
		size ? fmemopen((char *)bytes, size, "r") : fopen("/dev/null", "r");

	f->err = call_tree_read_folded(&f->tree, &f->names, in, "x.folded", first_is_group,
				       &f->error);
}

static void read_text(struct fixture *f, const char *text)
{
	fixture_init(f);
	read_bytes(f, text, strlen(text), false);
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
		{"a;worker 12 5\n", "0a;0worker 12=5 "},
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

static void bad_text(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "x.folded: no stacks: the file is empty"},
		{"\n\n", "x.folded: no stacks: the file is empty"},
		{"a 1\nb\n", "x.folded:2: no count"},
		{"a 1\n\nb;c \n", "x.folded:3: no count"},
		{"a 1\nb;c d\n", "x.folded:2: no count behind the last space"},
		{"a -1\n", "x.folded:1: no count behind the last space"},
		{"a 1.5\n", "x.folded:1: the count is a fraction"},
		{"a 2.\n", "x.folded:1: the count is a fraction"},
		{"a 18446744073709551616\n", "x.folded:1: the count is 2^64 or more"},
		{"a 18446744073709551615\nb 1\n", "x.folded:2: the sum of the counts is 2^64"},
		{"a 1\nmain;foo 10", "x.folded:2: the last line has no end"},
		{"a 1\nmain;fo", "x.folded:2: the last line has no end"},
		/* inferno panics here */
		{"caf\xc3\xa9\n", "x.folded:1: no count"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		read_text(&f, cases[i].text);
		CHECK_EQ(f.err, -EINVAL);
		f.error.text[strlen(cases[i].want)] = '\0';
		CHECK_STR(f.error.text, cases[i].want);
	}
}

static void first_frame_is_a_group_where_asked(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;
	static const char text[] = "java;java 1\n[lost] 1\nswapper_[k] 1\n";

	fixture_init(&f);
	read_bytes(&f, text, strlen(text), true);
	got = dump(&f);
	CHECK_STR(got, "6[lost]=1 5java;0java=1 1swapper=1 ");
}

static void any_bytes_are_names(void)
{
	_cleanup_fixture_ struct fixture f;
	static const char text[] = "a\0b;\xff\x01 3\n";
	u32 node;

	fixture_init(&f);
	read_bytes(&f, text, sizeof(text) - 1, false);
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
	read_bytes(&f, "a;b 10\nc 5\n", 11, false);
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
	read_bytes(&f, b.s, b.size, false);
	CHECK_EQ(f.err, 0);
	CHECK_EQ(f.tree.sum, sum);
}

static void absurd_lines_are_errors(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f, g;

	for (size_t i = 0; i < FOLDED_MAX_LINE + 2; i++)
		strbuf_addc(&b, 'x');
	strbuf_adds(&b, " 1\n");
	fixture_init(&f);
	read_bytes(&f, b.s, b.size, false);
	CHECK_EQ(f.err, -EINVAL);
	CHECK(strstr(f.error.text, "x.folded:1: the line is longer than 16 MiB"));

	memset(b.s, ';', FOLDED_MAX_FRAMES + 1);
	memcpy(b.s + FOLDED_MAX_FRAMES + 1, " 1\n", 3);
	fixture_init(&g);
	read_bytes(&g, b.s, FOLDED_MAX_FRAMES + 4, false);
	CHECK_EQ(g.err, -EINVAL);
	CHECK(strstr(g.error.text, "x.folded:1: the stack has more than 65536 frames"));
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

static void errors_of_reading_keep_their_errno(void)
{
	_cleanup_fclose_ FILE *in = fopen("/", "r");
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	CHECK_EQ(call_tree_read_folded(&f.tree, &f.names, in, "/", false, &f.error), -EISDIR);
	CHECK_STR(f.error.text, "cannot read /: Is a directory");
}

int main(void)
{
	RUN(good_text);
	RUN(bad_text);
	RUN(first_frame_is_a_group_where_asked);
	RUN(any_bytes_are_names);
	RUN(several_files_are_summed);
	RUN(lines_longer_than_a_block);
	RUN(absurd_lines_are_errors);
	RUN(ten_thousand_frames_are_not_absurd);
	RUN(errors_of_reading_keep_their_errno);
	return test_status();
}
