/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of source: what a parser may answer, and how a frame's become frames of a stack. */
#include <sys/mman.h>

#include "files/lines_answer.h"
#include "test.h"
#include "view_fixture.h"
#include "view/stacks.h"

enum { NR = 3 };

/* Address 0 has two lines, address 1 none, address 2 one. */
static int write_lines(void)
{
	struct found_lines found;
	struct files_line lines[2] = {};
	int fd = answer_new();

	found_lines_init(&found, NR);
	lines[0].function = found_lines_name(&found, "mix", 3);
	lines[0].path = found_lines_name(&found, "basket.h", 8);
	lines[0].line = 7;
	lines[1].function = found_lines_name(&found, "work", 4);
	lines[1].path = found_lines_name(&found, "main.c", 6);
	lines[1].line = 20;
	found_lines_add(&found, 0, lines, 2);
	found_lines_add(&found, 0, lines + 1, 1); /* it has some already */
	found_lines_add(&found, 2, lines + 1, 1);
	CHECK_EQ(found_lines_write(&found, fd), 0);
	found_lines_release(&found);
	return fd;
}

static struct files_lines *read_lines(int fd, int *err)
{
	struct files_lines *lines = xcalloc(1, sizeof(*lines));
	struct answer answer;

	*err = answer_map(fd, &answer);
	if (!*err) {
		*err = lines_adopt(&answer, NR, lines);
		answer_unmap(&answer);
	}
	return lines;
}

static const char *name_at(const struct files_lines *lines, u32 name)
{
	static char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)lines->names[name].size,
		 lines->text + lines->names[name].at);
	return text;
}

static void lines_come_through(void)
{
	int fd = write_lines(), err;
	struct files_lines *lines = read_lines(fd, &err);
	const struct files_line *line;

	CHECK_EQ(err, 0);
	CHECK_EQ(lines->spans[0].nr, 2);
	CHECK_EQ(lines->spans[1].nr, 0);
	CHECK_EQ(lines->spans[2].nr, 1);
	line = &lines->lines[lines->spans[0].first];
	CHECK_STR(name_at(lines, line[0].function), "mix");
	CHECK_STR(name_at(lines, line[0].path), "basket.h");
	CHECK(line[0].line == 7 && line[0].inlined);
	CHECK_STR(name_at(lines, line[1].function), "work");
	CHECK(line[1].line == 20 && !line[1].inlined);
	files_lines_free(lines);
	close(fd);
}

/* Any byte of the answer may be another one: what is taken then can still be used. */
static void lines_that_lie_are_refused(void)
{
	int fd = write_lines();
	char bytes[4096];
	size_t size = (size_t)pread(fd, bytes, sizeof(bytes), 0), nr_refused = 0;

	close(fd);
	for (size_t i = 0; i < size; i++) {
		int copy = answer_new(), err;
		struct files_lines *lines;
		char changed = (char)(bytes[i] ^ 0x40);

		CHECK_EQ(pwrite(copy, bytes, size, 0), size);
		CHECK_EQ(pwrite(copy, &changed, 1, (off_t)i), 1);
		CHECK_EQ(answer_seal(copy), 0);
		lines = read_lines(copy, &err);
		CHECK(!err || err == -EPROTO);
		CHECK(!err || !lines->bytes);
		nr_refused += err != 0;
		for (size_t k = 0; !err && k < NR; k++)
			CHECK(lines->spans[k].first + lines->spans[k].nr <= lines->nr_lines);
		files_lines_free(lines);
		close(copy);
	}
	CHECK(nr_refused > size / 3);
}

static void lines_of_another_length_are_refused(void)
{
	int fd = write_lines();
	char bytes[4096];
	off_t size = pread(fd, bytes, sizeof(bytes), 0);

	close(fd);
	for (off_t cut = 1; cut <= size + 8; cut++) {
		int copy = answer_new(), err;

		CHECK_EQ(pwrite(copy, bytes, (size_t)min(cut, size), 0), min(cut, size));
		CHECK_EQ(ftruncate(copy, cut), 0);
		CHECK_EQ(answer_seal(copy), 0);
		files_lines_free(read_lines(copy, &err));
		CHECK_EQ(err, cut == size ? 0 : -EPROTO);
		close(copy);
	}
}

static const char *frame_name(const struct profile *p, const struct frames *f, size_t i)
{
	return strings_get(&p->names, f->at[i].name).s;
}

static void inlined_functions_come_after_their_callers(void)
{
	struct profile p;
	struct frames frames = {};
	struct source_line line = {.line = 20};
	u32 frame, stack;

	profile_init(&p);
	frame = profile_frame(&p, SPACE_FILE, profile_file(&p, "/x"), 0x100);
	stack = profile_stack(&p, &frame, 1, WICK_COMPLETE);
	p.frames.at[frame].function = profile_function(&p, "work", 4, "x", FRAME_USER, true);
	line.function = p.frames.at[frame].function;
	line.path = strings_adds(&p.names, "main.c");
	line = (struct source_line){
		.function = profile_function(&p, "fill", 4, "x", FRAME_INLINED, true),
		.line = 9,
		.outer = profile_source(&p, &line)};
	line = (struct source_line){
		.function = profile_function(&p, "mix", 3, "x", FRAME_INLINED, true),
		.line = 7,
		.outer = profile_source(&p, &line)};
	p.frames.at[frame].source = profile_source(&p, &line);
	CHECK_EQ(profile_source(&p, &line), p.frames.at[frame].source);
	frames_add_stack(&frames, &p, stack);
	CHECK_EQ(frames.nr, 3);
	CHECK_STR(frame_name(&p, &frames, 0), "work");
	CHECK_STR(frame_name(&p, &frames, 1), "fill");
	CHECK_STR(frame_name(&p, &frames, 2), "mix");
	CHECK(frames.at[0].line == 20 && frames.at[0].path && frames.at[2].line == 7);
	CHECK(frames.at[0].kind == FRAME_USER && frames.at[2].kind == FRAME_INLINED);
	CHECK(frames.at[0].place == frame + 1 && frames.at[2].place == frame + 1);
	profile_drop_sources(&p);
	frames.nr = 0;
	frames_add_stack(&frames, &p, stack);
	CHECK_EQ(frames.nr, 1);
	CHECK(!frames.at[0].line);
	vec_release(&frames);
	profile_release(&p);
}

static void a_box_has_the_lines_of_all_its_places(void)
{
	struct tree_frame all = {.name = 1},
			  other = {.name = 1, .path = 5, .line = 9, .last_line = 9};

	tree_frame_widen(&all, &other);
	CHECK(all.path == 5 && all.line == 9 && all.last_line == 9);
	other.line = other.last_line = 4;
	tree_frame_widen(&all, &other);
	CHECK(all.line == 4 && all.last_line == 9);
	other = (struct tree_frame){.name = 1, .path = 6, .line = 1, .last_line = 1};
	tree_frame_widen(&all, &other);
	CHECK(all.path == 5 && all.line == 4);
}

int main(void)
{
	RUN(lines_come_through);
	RUN(lines_that_lie_are_refused);
	RUN(lines_of_another_length_are_refused);
	RUN(inlined_functions_come_after_their_callers);
	RUN(a_box_has_the_lines_of_all_its_places);
	return test_status();
}
