/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "base/strbuf.h"
#include "emit.h"
#include "folded_fixture.h"
#include "why.h"

struct fixture {
	struct strings names;
	struct call_tree tree;
	struct caption caption;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){.caption = {.title = "T",
					  .unit = {.name = "samples", .divisor = 1},
					  .min_width = 0.1}};
	strings_init(&f->names);
	call_tree_init(&f->tree, &f->names);
}

static void fixture_release(struct fixture *f)
{
	call_tree_release(&f->tree);
	strings_release(&f->names);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

/* `groups`: the first frame of each stack is one. */
static void read_text(struct fixture *f, const char *text, size_t size, bool groups)
{
	_cleanup_strbuf_ struct strbuf all = {};
	struct stack_files folded = STACK_FILES_NONE;
	struct error error;

	if (groups)
		strbuf_adds(&all, "# wick view=cpu root=group unit=samples\n");
	strbuf_add(&all, text, size);
	fixture_init(f);
	CHECK_EQ(read_bytes(&folded, &f->tree, &f->names, all.s, all.size,
			    &(struct stack_file_options){}, &error),
		 0);
	call_tree_finish(&f->tree);
}

static char *write_as(const struct fixture *f, const char *name)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct error error;

	weighted_stacks_init(&stacks, &f->names);
	weighted_stacks_begin(&stacks, f->caption.unit);
	weighted_stacks_add_tree(&stacks, &f->tree);
	/* A tree has no single waits. */
	CHECK_EQ(format_write(format_by_name(name), &(struct drawn){&f->tree, &stacks}, &f->caption,
			      out, &error),
		 format_by_name(name)->waits == ONLY_WAITS ? -EINVAL : 0);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *part)
{
	size_t nr = 0;

	for (; (text = strstr(text, part)); text++)
		nr++;
	return nr;
}

static void every_row_is_found_by_name_and_suffix(void)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		_cleanup_free_ char *path = format("dir.x/a%s", formats[i]->suffix);

		CHECK(format_by_name(formats[i]->name) == formats[i]);
		CHECK(format_by_path(path) == formats[i]);
		CHECK(!format_by_path(formats[i]->suffix));
	}
	CHECK(!format_by_name("SVG"));
	CHECK(!format_by_path("svg"));
}

static void folded_cases(void)
{
	static const struct {
		const char *text;
		bool first_is_group, annotate;
		const char *want;
	} cases[] = {
		{"main;foo 5\nmain;foo.cold 1\nmain;foo;kid 5\n", false, false,
		 "main;foo 5\nmain;foo;kid 5\nmain;foo.cold 1\n"},
		{"my thread;a b 1\n", true, false, "my_thread;a b 1\n"},
		{"t;f_[k] 1\nt;g_[j] 2\n", true, true, "t;f_[k] 1\nt;g_[j] 2\n"},
		/* Without the suffix they are one line. */
		{"t;f_[k] 1\nt;f 2\n", true, false, "t;f 3\n"},
		{"a b 1\na_b 2\n", true, false, "a_b 3\n"},
		{"\xff 1\n\\xff 2\n", false, false, "\\xff 3\n"},
		{"a\x1b[0m;\x7f 1\n", false, false, "a\\x1b[0m;\\x7f 1\n"},
		/* The escaped name sorts elsewhere than its bytes. */
		{"\x01 1\nA 2\nz 3\n", false, false, "A 2\n\\x01 1\nz 3\n"},
		{" 4\n", false, false, " 4\n"},
		{"a 0\n", false, false, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *got = NULL;

		read_text(&f, cases[i].text, strlen(cases[i].text), cases[i].first_is_group);
		f.caption.annotate = cases[i].annotate;
		got = write_as(&f, "folded");
		CHECK_STR(got, cases[i].want);
	}
}

static void semicolons_in_names_are_written_as_colons(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;
	struct tree_frame frames[2] = {{.kind = FRAME_GROUP}, {.kind = FRAME_USER}};

	fixture_init(&f);
	frames[0].name = strings_adds(&f.names, "a;b<script>x\n\x1b");
	frames[1].name = strings_adds(&f.names, "x;<script>alert(1)</script> 99999");
	call_tree_add(&f.tree, frames, 2, 1);
	call_tree_finish(&f.tree);
	got = write_as(&f, "folded");
	CHECK_STR(got, "a:b<script>x\\x0a\\x1b;x:<script>alert(1)</script> 99999 1\n");
}

/* 3 lines of 1.5 us: 1 + 2 + 1, not 1 + 1 + 1 and not 2 + 2 + 2. */
static void rounding_is_carried_to_the_next_line(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *got = NULL;
	static const char text[] = "a 1500\nb 1500\nc 1500\nd 400\ne 100\n";

	read_text(&f, text, strlen(text), false);
	f.caption.unit = (struct unit){.name = "us", .divisor = 1000};
	got = write_as(&f, "folded");
	CHECK_STR(got, "a 1\nb 2\nc 1\nd 0\ne 1\n");
}

static void a_folded_file_is_read_back_as_it_was(void)
{
	_cleanup_fixture_ struct fixture f, g;
	_cleanup_free_ char *first = NULL, *second = NULL;
	static const char text[] = "a;b;c_[k] 1\na;b 2\nb;--;x y 3\n[lost] 4\n";

	read_text(&f, text, strlen(text), false);
	f.caption.annotate = true;
	first = write_as(&f, "folded");
	read_text(&g, first, strlen(first), false);
	g.caption.annotate = true;
	second = write_as(&g, "folded");
	CHECK_STR(first, "[lost] 4\na;b 2\na;b;c_[k] 1\nb;--;x y 3\n");
	CHECK_STR(second, first);
}

static void svg_boxes_are_the_nodes(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL;
	static const char text[] = "main;foo 5\nmain;foo.cold 1\nmain;foo;kid 5\n";

	read_text(&f, text, strlen(text), false);
	svg = write_as(&f, "svg");
	CHECK_EQ(count(svg, "<title>foo ("), 1);
	CHECK(strstr(svg, "<title>foo (10 samples, 90.91%)</title>"));
	CHECK(strstr(svg, "<title>all (11 samples, 100%)</title>"));
	/* foo.cold begins where foo ends. */
	CHECK(strstr(svg, "x=\"10\" y=\"79\" width=\"1072.727\""));
	CHECK(strstr(svg, "x=\"1082.727\" y=\"79\" width=\"107.273\""));
}

/* The nodes: all, a, a;b of lock alone, a;c of lock and idle, a;d of no class. */
static void svg_says_classes_once_where_there_are_any(void)
{
	_cleanup_fixture_ struct fixture f, without;
	_cleanup_free_ char *svg = NULL, *plain = NULL;
	static const char text[] = "a;b 10\na;c 20\na;d 30\n", *names[] = {"b", "c", "d"};
	struct tree_frame frames[2] = {};

	read_text(&without, text, strlen(text), false);
	plain = write_as(&without, "svg");
	CHECK(!strstr(plain, "data-classes"));
	CHECK(strstr(plain, "data-nr=\"5\">!!#.%#8%#D</metadata>"));
	fixture_init(&f);
	frames[0].name = strings_adds(&f.names, "a");
	for (u32 i = 0; i < 3; i++) {
		frames[1].name = strings_adds(&f.names, names[i]);
		call_tree_add(&f.tree, frames, 2, 10 + 10 * i);
	}
	call_tree_add_class(&f.tree, 2, WHY_LOCK, 10);
	call_tree_add_class(&f.tree, 3, WHY_IDLE, 15);
	call_tree_add_class(&f.tree, 3, WHY_LOCK, 4);
	call_tree_finish(&f.tree);
	svg = write_as(&f, "svg");
	CHECK(strstr(svg, " data-classes=\"lock,disk,paging,cpu,throttled,network,peer,child,"
			  "sleep,idle,unclear,short waits\""));
	CHECK(strstr(svg, "data-nr=\"5\">!!#.#%#82#(.3%#D!</metadata>"));
}

static void svg_says_what_was_too_thin(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL;
	static const char text[] = "a 100000\nb;c 3\nb;d 2\nc 5\nz 100000\n";

	read_text(&f, text, strlen(text), false);
	svg = write_as(&f, "svg");
	CHECK(!strstr(svg, "<title>b ("));
	CHECK(strstr(svg, ">4 boxes (0.00%) are too thin to draw<"));
	f.caption.min_width = 0.05;
	free(svg);
	svg = write_as(&f, "svg");
	CHECK(strstr(svg, "<title>too thin to draw: 4 boxes (10 samples, 0.00%)</title>"));
}

static void svg_escapes_everything(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL;
	static const char text[] = "</script><script>alert(1)</script>;\"'&]]>\x01\xff 7\n";

	read_text(&f, text, strlen(text), false);
	f.caption.title = "<b>\x02&";
	f.caption.subtitle = "</svg>\xfe\nsecond <line>";
	f.caption.unit.name = "\"><x>";
	svg = write_as(&f, "svg");
	CHECK_EQ(count(svg, "<script>"), 1);
	CHECK_EQ(count(svg, "</script>"), 1);
	CHECK_EQ(count(svg, "</svg>"), 1);
	CHECK_EQ(count(svg, "<x>"), 0);
	CHECK(strstr(svg, "&lt;b&gt;\\x02&amp;"));
	CHECK(strstr(svg, ">&lt;/svg&gt;\\xfe</text>"));
	CHECK(strstr(svg, ">second &lt;line&gt;</text>"));
	CHECK(strstr(svg,
		     "<title>&quot;&#39;&amp;]]&gt;\\x01\\xff (7 &quot;&gt;&lt;x&gt;, 100.00%)"));
}

static void svg_has_no_references_to_elsewhere(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL;

	read_text(&f, "a 1\n", 4, false);
	svg = write_as(&f, "svg");
	CHECK_EQ(count(svg, "href"), 0);
	CHECK_EQ(count(svg, "url("), count(svg, "url(#"));
	/* Names of name spaces only. */
	CHECK_EQ(count(svg, "http"), 3);
	CHECK_EQ(count(svg, "innerHTML"), 0);
}

static void svg_module_is_in_the_tooltip(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL;
	struct tree_frame frame = {.kind = FRAME_USER};

	fixture_init(&f);
	frame.name = strings_adds(&f.names, "read");
	frame.module = strings_adds(&f.names, "libc.so.6");
	call_tree_add(&f.tree, &frame, 1, 2500);
	call_tree_finish(&f.tree);
	f.caption.unit = (struct unit){.name = "us", .divisor = 1000};
	svg = write_as(&f, "svg");
	CHECK(strstr(svg, "<title>read (3 us, 100.00%)\nlibc.so.6</title>"));
}

/* The box's tooltip, as it is in the file; the viewer says the same. */
static void svg_bytes_have_three_digits(void)
{
	static const struct {
		const char *folded, *want;
	} cases[] = {
		{"a 1\n", "a (1 B, "},
		{"a 1023\n", "a (1,023 B, "},
		{"a 1024\n", "a (1.00 KiB, "},
		{"a 12345\n", "a (12.1 KiB, "},
		{"a 262144\n", "a (256 KiB, "},
		{"a 2621440\n", "a (2.50 MiB, "},
		{"a 68719476736\n", "a (64.0 GiB, "},
		{"a 109951162777600\n", "a (100 TiB, "},
		{"a 18446744073709551615\n", "a (16,777,216 TiB, "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *svg = NULL;

		read_text(&f, cases[i].folded, strlen(cases[i].folded), false);
		f.caption.unit = (struct unit){.name = "bytes", .divisor = 1, .bytes = true};
		svg = write_as(&f, "svg");
		CHECK(strstr(svg, cases[i].want));
		CHECK(strstr(svg, " data-bytes=\"1\""));
	}
}

static void svg_times_have_three_digits(void)
{
	static const struct {
		const char *folded, *want;
	} cases[] = {
		{"a 1\n", "a (1 ns, "},
		{"a 999\n", "a (999 ns, "},
		{"a 1000\n", "a (1.00 us, "},
		{"a 12345\n", "a (12.3 us, "},
		{"a 12355\n", "a (12.4 us, "},
		{"a 123456\n", "a (123 us, "},
		{"a 1230000\n", "a (1.23 ms, "},
		{"a 4500000000\n", "a (4.50 s, "},
		{"a 90000000000000\n", "a (90,000 s, "},
		{"a 18446744073709551615\n", "a (18,446,744,074 s, "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *svg = NULL;

		read_text(&f, cases[i].folded, strlen(cases[i].folded), false);
		f.caption.unit = (struct unit){.name = "us", .divisor = 1000, .time = true};
		svg = write_as(&f, "svg");
		CHECK(strstr(svg, cases[i].want));
		CHECK(strstr(svg, " data-time=\"1\""));
	}
}

/* Children add up to more than their parent, whose sum stays at the largest value. */
static void boxes_stay_in_the_picture_at_the_largest_sums(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *svg = NULL, *folded = NULL, *text = NULL;
	double x, width;

	fixture_init(&f);
	for (u32 i = 0; i < 3; i++) {
		char name[2] = {(char)('a' + i), 0};
		struct tree_frame frame = {.name = strings_adds(&f.names, name)};

		call_tree_add(&f.tree, &frame, 1, UINT64_MAX / 2 + 1);
	}
	call_tree_finish(&f.tree);
	svg = write_as(&f, "svg");
	for (const char *box = svg; (box = strstr(box, "<g><title>")); box++) {
		const char *rect = strstr(box, "<rect x=\"");

		CHECK_EQ(sscanf(rect, "<rect x=\"%lf\" y=\"%*u\" width=\"%lf\"", &x, &width), 2);
		CHECK(x >= 0 && width >= 0 && x + width <= 1200);
	}
	CHECK(count(svg, "<g><title>") >= 3);
	folded = write_as(&f, "folded");
	CHECK_STR(folded, "a 9223372036854775808\nb 9223372036854775808\nc 9223372036854775808\n");
	text = write_as(&f, "text");
	CHECK(strstr(text, "18,446,744,073,709,551,615  all"));
}

static void an_empty_tree_can_be_written(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	call_tree_finish(&f.tree);
	for (size_t i = 0; i < NR_FORMATS; i++)
		free(write_as(&f, formats[i]->name));
}

static void deep_stacks_can_be_written(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f;

	for (int i = 0; i < 10000; i++)
		strbuf_adds(&b, "f;");
	strbuf_adds(&b, "leaf 1\n");
	read_text(&f, b.s, b.size, false);
	for (size_t i = 0; i < NR_FORMATS; i++) {
		_cleanup_free_ char *got = write_as(&f, formats[i]->name);

		/* Some are compressed. */
		CHECK(strstr(got, "leaf") || formats[i]->write_stacks);
	}
}

static void the_same_tree_gives_the_same_bytes(void)
{
	static const char text[] = "a;b 1\na;c 2\nd;e 3\nz;y;x 10\n";

	for (size_t i = 0; i < NR_FORMATS; i++) {
		_cleanup_fixture_ struct fixture f, g;
		_cleanup_free_ char *first = NULL, *second = NULL;

		read_text(&f, text, strlen(text), false);
		read_text(&g, text, strlen(text), false);
		first = write_as(&f, formats[i]->name);
		second = write_as(&g, formats[i]->name);
		CHECK_STR(first, second);
	}
}

static void palettes_are_flamegraph_pls(void)
{
	static const char *const names[] = {"hot",  "mem",  "io",     "wakeup", "chain",
					    "java", "js",   "perl",   "red",	"green",
					    "blue", "aqua", "yellow", "purple", "orange"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_fixture_ struct fixture f;

		CHECK(palette_exists(names[i]));
		read_text(&f, "L;java/x_[j];a::b;c_[k] 1\n", 26, false);
		f.caption.colors = names[i];
		free(write_as(&f, "svg"));
	}
	CHECK(!palette_exists("pink"));
}

static void an_unknown_palette_is_an_error(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_fclose_ FILE *out = fopen("/dev/null", "w");
	struct error error;

	read_text(&f, "a 1\n", 4, false);
	f.caption.colors = "pink";
	CHECK_EQ(format_by_name("svg")->write(&f.tree, &f.caption, out, &error), -EINVAL);
	CHECK(strstr(error.text, "no colors 'pink': there are hot mem"));
}

static void text_fits_into_80_columns(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < i; k++)
			strbuf_addf(&b, "a_function_with_a_rather_long_name_%d;", k);
		strbuf_adds(&b, "leaf 10\n");
	}
	read_text(&f, b.s, b.size, false);
	text = write_as(&f, "text");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(strlen(line) <= 80);
}

static void text_says_what_it_left_out(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	static const char folded[] = "a;x1 3\na;x2 3\na;y 1000\nb 1\n";

	read_text(&f, folded, strlen(folded), false);
	text = write_as(&f, "text");
	CHECK(strstr(text, "(2 smaller)"));
	CHECK(strstr(text, "3 branches under 0.5 % each are left out, in all 0.70 %."));
}

int main(void)
{
	RUN(every_row_is_found_by_name_and_suffix);
	RUN(folded_cases);
	RUN(semicolons_in_names_are_written_as_colons);
	RUN(rounding_is_carried_to_the_next_line);
	RUN(a_folded_file_is_read_back_as_it_was);
	RUN(svg_boxes_are_the_nodes);
	RUN(svg_says_classes_once_where_there_are_any);
	RUN(svg_says_what_was_too_thin);
	RUN(svg_escapes_everything);
	RUN(svg_has_no_references_to_elsewhere);
	RUN(svg_module_is_in_the_tooltip);
	RUN(svg_times_have_three_digits);
	RUN(svg_bytes_have_three_digits);
	RUN(boxes_stay_in_the_picture_at_the_largest_sums);
	RUN(an_empty_tree_can_be_written);
	RUN(deep_stacks_can_be_written);
	RUN(the_same_tree_gives_the_same_bytes);
	RUN(palettes_are_flamegraph_pls);
	RUN(an_unknown_palette_is_an_error);
	RUN(text_fits_into_80_columns);
	RUN(text_says_what_it_left_out);
	return test_status();
}
