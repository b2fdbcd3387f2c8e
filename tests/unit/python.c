/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow/python_codes.h"
#include "follow/python_join.h"
#include "follow/python_lines.h"
#include "test.h"

/* ---- lines: what each version's own compiler has made of one function of ten lines */

static const u8 lnotab[] = {0x00, 0x02, 0x04, 0x01, 0x02, 0x01, 0x02, 0xff, 0x08, 0x02, 0x08, 0x02,
			    0x08, 0x01, 0x02, 0x01, 0x02, 0xff, 0x06, 0x02, 0x02, 0x01, 0x02, 0xff};
static const u8 ranges[] = {0x04, 0x02, 0x02, 0x01, 0x02, 0x01, 0x08, 0xff, 0x08,
			    0x02, 0x08, 0x02, 0x02, 0x01, 0x02, 0x01, 0x04, 0xff,
			    0x02, 0xff, 0x02, 0x03, 0x02, 0x01, 0x04, 0xff};
static const u8 locations[] = {
	0x80, 0x00, 0xe0, 0x0c, 0x0d, 0x80, 0x45, 0xdc, 0x0d, 0x12, 0xd8, 0x0c, 0x0d, 0xf6, 0x03,
	0x01, 0x0e, 0x0f, 0x88, 0x01, 0xe0, 0x08, 0x0d, 0x89, 0x0a, 0x88, 0x05, 0xe0, 0x0b, 0x10,
	0x8d, 0x39, 0xdc, 0x12, 0x1c, 0xd8, 0x10, 0x15, 0xf3, 0x03, 0x01, 0x13, 0x17, 0xf0, 0x00,
	0x01, 0x0d, 0x17, 0xf1, 0x0b, 0x01, 0x0e, 0x0f, 0xf0, 0x0e, 0x00, 0x0d, 0x12, 0xd8, 0x0c,
	0x0d, 0xf1, 0x03, 0x01, 0x0d, 0x0e, 0xf0, 0x00, 0x01, 0x05, 0x0f};

struct line_at {
	u64 place;
	u32 line;
};

/* What dis and co_lines() say. */
static const struct line_at by_starts[] = {{0, 4},   {4, 5},   {6, 6},	 {8, 5},   {16, 7},
					   {24, 9},  {32, 10}, {34, 11}, {36, 10}, {42, 12},
					   {44, 13}, {46, 12}, {48, 12}};
static const struct line_at by_ranges[] = {{0, 4},   {4, 5},   {6, 6},	 {8, 5},   {16, 7},
					   {24, 9},  {32, 10}, {34, 11}, {36, 10}, {40, 9},
					   {42, 12}, {44, 13}, {46, 12}, {50, 0}};
static const struct line_at by_locations[] = {{0, 2},  {2, 4},	 {6, 5},   {16, 6},  {18, 5},
					      {34, 7}, {42, 9},	 {56, 10}, {66, 11}, {68, 10},
					      {78, 5}, {82, 12}, {84, 13}, {86, 12}, {92, 0}};

static void lines_are_those_of_the_compiler(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_starts); i++)
		CHECK_EQ(python_line(0x0308, 2, lnotab, sizeof(lnotab), by_starts[i].place),
			 by_starts[i].line);
	for (size_t i = 0; i < ARRAY_SIZE(by_ranges); i++)
		CHECK_EQ(python_line(0x030a, 2, ranges, sizeof(ranges), by_ranges[i].place),
			 by_ranges[i].line);
	for (size_t i = 0; i < ARRAY_SIZE(by_locations); i++)
		CHECK_EQ(
			python_line(0x030d, 2, locations, sizeof(locations), by_locations[i].place),
			by_locations[i].line);
}

static void a_table_of_anything_has_an_end(void)
{
	u8 table[64];

	memset(table, 0x7f, sizeof(table)); /* a number that never ends */
	table[0] = 0xe8;
	CHECK_EQ(python_line(0x030d, 1, table, sizeof(table), INT32_MAX), 0);
	CHECK_EQ(python_line(0x030d, 1, table, 0, 0), 0);
	CHECK_EQ(python_line(0x0309, 7, table, 0, 4), 7); /* <listcomp> on one line */
	CHECK_EQ(python_line(0x030a, 1, table, 1, 0), 0);
	memset(table, 0x80, sizeof(table)); /* ranges of no line */
	CHECK_EQ(python_line(0x030a, 1, table, sizeof(table), 10), 0);
	memset(table, 0xff, sizeof(table)); /* before the first line */
	CHECK_EQ(python_line(0x0308, 5, table, sizeof(table), INT32_MAX), 0);
}

/* One instruction before the first, or two bytes. */
static void what_has_not_begun_is_at_its_first_line(void)
{
	CHECK_EQ(python_line(0x0308, 2, lnotab, sizeof(lnotab), UINT32_MAX), 2);
	CHECK_EQ(python_line(0x030a, 2, ranges, sizeof(ranges), UINT32_MAX - 1), 2);
	CHECK_EQ(python_line(0x030d, 2, locations, sizeof(locations), UINT32_MAX - 1), 2);
}

/* ---- two stacks as one: native frames are lower case, E the evaluator; Python's upper case */

static char joined[64];

static void native(void *ctx, u64 word)
{
	size_t at = strlen(joined);

	(void)ctx;
	joined[at] = word & WICK_FRAME_EVALUATOR ? 'E' : (char)(word & 0xff);
	joined[at + 1] = '\0';
}

static void python(void *ctx, const struct wick_python_frame *frame)
{
	size_t at = strlen(joined);

	(void)ctx;
	joined[at] = (char)frame->code;
	joined[at + 1] = '\0';
}

/* `frames`: a | is an entry of the frame before it, or where there is none, one without frames. */
static const char *join(const char *natives, const char *frames, bool is_whole)
{
	struct wick_python_frame at[64] = {};
	u64 words[64];
	struct python_stack stack = {.native = words, .frames = at, .is_whole = is_whole};

	for (; *natives; natives++)
		words[stack.nr_native++] = WICK_FRAME_IN_FILE |
					   (*natives == 'E' ? WICK_FRAME_EVALUATOR : (u64)*natives);
	for (const char *f = frames; *f; f++) {
		bool alone = *f == '|' && (f == frames || f[-1] == '|');

		if (*f == '|' && !alone)
			at[stack.nr_frames - 1].place |= WICK_PYTHON_IS_ENTRY;
		else
			at[stack.nr_frames++] = (struct wick_python_frame){
				.code = alone ? 0 : (u64)*f,
				.place = alone ? WICK_PYTHON_IS_ENTRY : 0};
	}
	joined[0] = '\0';
	python_join(&stack, &(struct python_sink){native, python, NULL});
	return joined;
}

static void frames_come_in_the_order_of_calls(void)
{
	CHECK_STR(join("kEsEm", "ABC|XY|", true), "kABCsXYm");
	CHECK_STR(join("EEE", "A|B|C|", true), "ABC");
	CHECK_STR(join("abc", "", true), "abc");
	/* An evaluator whose frame is not there yet, or is gone already. */
	CHECK_STR(join("kEsEm", "XY|", true), "kEsXYm");
	CHECK_STR(join("kEsEm", "|XY|", true), "ksXYm");
	/* A frame of the evaluator that was not recognized. */
	CHECK_STR(join("ksEm", "A|X|", true), "ksAXm");
	/* The rest is cut. */
	CHECK_STR(join("kEsEtEm", "AB|X", false), "kABsXtEm");
	CHECK_STR(join("kEs", "AB|X|Y|", false), "kABsXY");
}

/* ---- names */

static struct wick_code_body *code(u64 id, u32 width, const void *name, u32 size)
{
	static struct wick_code_body body;

	body = (struct wick_code_body){
		.body = {.type = WICK_BODY_PYTHON_CODE, .id = id},
		.version = 0x030b,
		.first_line = 7,
		.name = {.size = size, .width = width},
		.file = {.size = 11, .width = 1, .bytes = "/srv/app.py"},
	};
	memcpy(body.name.bytes, name, size);
	return &body;
}

static void expect_name(u64 id, struct python_codes *codes, const struct profile *p,
			const char *want)
{
	u32 frame = python_codes_frame(codes, &(struct wick_python_frame){.code = id});
	const struct function *function = &p->functions.at[p->frames.at[frame].function];
	_cleanup_free_ char *name =
		format("%.*s", (int)strings_get(&p->names, function->shown.name).size,
		       strings_get(&p->names, function->shown.name).s);

	CHECK_STR(name, want);
}

static void names_are_utf8(void)
{
	static const u16 greek[] = {0x3b1, 0x3b2, 0xd800};
	static const u32 wide[] = {'x', 0x1f40d, 0x110000};
	struct profile p;
	struct python_codes *codes;

	profile_init(&p);
	codes = python_codes_new(&p);
	python_codes_add(codes, code(2, 1, "Caf\xe9.run", 8));
	python_codes_add(codes, code(3, 2, greek, sizeof(greek)));
	python_codes_add(codes, code(4, 4, wide, sizeof(wide)));
	python_codes_add(codes, code(5, 0, "x", 1));
	expect_name(2, codes, &p, "Café.run (app.py)");
	expect_name(3, codes, &p, "αβ\xef\xbf\xbd (app.py)");
	expect_name(4, codes, &p, "x🐍\xef\xbf\xbd (app.py)");
	expect_name(5, codes, &p, " (app.py)");
	expect_name(6, codes, &p, "[python]");
	python_codes_free(codes);
	profile_release(&p);
}

int main(void)
{
	RUN(lines_are_those_of_the_compiler);
	RUN(a_table_of_anything_has_an_end);
	RUN(what_has_not_begun_is_at_its_first_line);
	RUN(frames_come_in_the_order_of_calls);
	RUN(names_are_utf8);
	return test_status();
}
