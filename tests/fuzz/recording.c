/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a recording: every view of what is read, in formats that look at all of it. The
 * first byte says what follows: 0 a whole file; from 128 on, the payloads of a slice and of its
 * chapter, with an index; else the payload of its only record. So wrong checksums do not hide the
 * rest.
 */
#include <sys/mman.h>

#include "emit.h"
#include "merge.h"
#include "profile/recording_bytes.h"
#include "recording.h"
#include "report.h"
#include "view.h"
#include "why.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

static void put_chapter(struct strbuf *bytes, const u8 *input, size_t size)
{
	_cleanup_strbuf_ struct strbuf slice = {}, chapter = {};
	size_t first = min((size_t)(input[0] - 128) * 4, size - 1);
	u64 offset;

	strbuf_add(&slice, input + 1, first);
	strbuf_add(&chapter, input + 1 + first, size - 1 - first);
	put_record(bytes, RECORD_SLICE, &slice, NULL);
	offset = bytes->size;
	put_record(bytes, RECORD_CHAPTER, &chapter, NULL);
	put_index(bytes, &offset, 1);
}

static int file_of(const u8 *input, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	_cleanup_strbuf_ struct strbuf bytes = {}, payload = {};

	if (size && input[0] >= 128) {
		put_recording_header(&bytes);
		put_chapter(&bytes, input, size);
	} else if (size && input[0]) {
		put_recording_header(&bytes);
		strbuf_add(&payload, input + 1, size - 1);
		put_record(&bytes, RECORD_SLICE, &payload, NULL);
	} else if (size) {
		strbuf_add(&bytes, input + 1, size - 1);
	}
	assert(fd >= 0 && !write_whole(fd, bytes.s, bytes.size));
	return fd;
}

static void draw(struct profile *p, const struct view *view, const struct why *why, FILE *out)
{
	const struct view_options options = {.metric = view->metrics, .why = why};
	const struct caption caption = {.title = "x", .unit = view->metrics->unit};
	struct weighted_stacks stacks;
	struct call_tree tree;
	struct stack_sink sink;

	call_tree_init(&tree, &p->names);
	sink = call_tree_sink(&tree);
	view->project(p, &options, &sink);
	call_tree_finish(&tree);
	weighted_stacks_init(&stacks, &p->names);
	view_weigh(view, p, &options, &stacks);
	for (size_t i = 0; i < NR_FORMATS; i++)
		format_write(formats[i], &(struct drawn){&tree, &stacks}, &caption, out, NULL);
	weighted_stacks_release(&stacks);
	call_tree_release(&tree);
}

static void report(struct profile *p, struct why *why, FILE *out)
{
	const struct report_options options = {.needs = p->needs, .all = true, .why = why};
	struct facts facts;

	facts_init(&facts, p, &options);
	facts_finish(&facts, p, NULL);
	report_json(out, &facts, NULL, 0);
	report_why(out, p, why, (struct page_size){PAGE_COLUMNS, PAGE_LINES});
	facts_release(&facts);
}

/* Twice the same, as two runs. */
static void merge(int fd)
{
	_cleanup_strbuf_ struct strbuf merged = {};
	struct merge *m = merge_new();
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		struct recording r = {};

		err = merge_add(m, fd, "x", &r, NULL);
		recording_release(&r);
	}
	if (!err)
		merge_write(m, &merged, NULL);
	merge_free(m);
}

/* By its chapters, if it has any. */
static void read_part(int fd)
{
	const struct recording_range range = {.from = NSEC_PER_SEC, .to = 2 * NSEC_PER_SEC};
	struct recording r = {};
	struct profile p;

	profile_init(&p);
	recording_read(fd, &range, &p, &r, NULL);
	recording_release(&r);
	profile_release(&p);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	_cleanup_close_ int fd = file_of(input, size);
	_cleanup_fclose_ FILE *out = fopen("/dev/null", "we");
	struct recording r = {};
	struct profile p;
	struct why *why;

	profile_init(&p);
	if (!recording_read(fd, NULL, &p, &r, NULL)) {
		why = why_new(&p);
		for (size_t i = 0; i < NR_VIEWS; i++)
			draw(&p, views[i], why, out);
		draw(&p, &why_view, why, out);
		report(&p, why, out);
		merge(fd);
		why_free(why);
	}
	recording_release(&r);
	profile_release(&p);
	read_part(fd);
	return 0;
}
