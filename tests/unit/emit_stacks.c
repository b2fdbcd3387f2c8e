/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit_stacks.c: what formats of weighted stacks write of threads, from a profile built by hand. */
#include <zlib.h>

#include "view_fixture.h"

/* A CPU sample of the thread 10/11, when it was called that. */
static void sample_as(struct fixture *f, const char *comm)
{
	profile_count(&f->p, &(struct sample){.kind = WICK_CPU,
					      .leg = thread(f, comm, 10, 11),
					      .user = f->user,
					      .column = {1}});
}

static void inflate_into(struct strbuf *to, const char *bytes, size_t size)
{
	z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = (unsigned int)size};
	unsigned char block[4096];
	int status;

	CHECK_EQ(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	do {
		z.next_out = block;
		z.avail_out = sizeof(block);
		status = inflate(&z, Z_NO_FLUSH);
		strbuf_add(to, block, sizeof(block) - z.avail_out);
	} while (status == Z_OK);
	CHECK_EQ(status, Z_STREAM_END);
	inflateEnd(&z);
}

/* The cpu view, unpacked. */
static void write_as(struct fixture *f, const char *name, struct strbuf *to)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	struct caption caption = {.title = "T"};
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	f->options.metric = &cpu_view.metrics[0];
	weighted_stacks_init(&stacks, &f->p.names);
	view_weigh(&cpu_view, &f->p, &f->options, &stacks);
	CHECK_EQ(format_by_name(name)->write_stacks(&stacks, &caption, out, NULL), 0);
	fclose(out);
	inflate_into(to, bytes, size);
	free(bytes);
}

static bool says(const struct strbuf *b, const char *text)
{
	return memmem(b->s, b->size, text, strlen(text));
}

static void a_thread_is_one_with_its_last_name(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf text = {};

	fixture_init(&f);
	sample_as(&f, "first");
	sample_as(&f, "second");
	write_as(&f, "firefox", &text);
	CHECK(says(&text, "\"threads\":[{"));
	CHECK(says(&text, "\"name\":\"second\",\"processName\""));
	CHECK(!says(&text, "\"name\":\"first\",\"processName\""));
	CHECK(says(&text, "\"weight\":[0,1,1]"));
}

static void names_of_threads_are_escaped(void)
{
	static const struct {
		const char *format, *want;
	} cases[] = {
		{"pprof", "a;\\x0a\"\\\\xff"},
		{"firefox", "\"name\":\"a;\\\\x0a\\\"\\\\\\\\xff\",\"processName\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_strbuf_ struct strbuf text = {};

		fixture_init(&f);
		sample_as(&f, "a;\n\"\\\xff");
		write_as(&f, cases[i].format, &text);
		CHECK(says(&text, cases[i].want));
	}
}

/* The sleeper waits for 3 ms, is woken by the waker, and runs 1 ms later; then it is preempted. */
static void add_blocks(struct fixture *f)
{
	u32 hop = profile_hop(&f->p, &(struct hop){.cause = WICK_BY_TASK, .leg = f->waker});
	struct block block = {
		.leg = f->sleeper,
		.user = f->user,
		.kernel = f->kernel,
		.chain = profile_chain(&f->p, &hop, 1, WICK_CHAIN_RUNNING),
		.state = 'S',
		.begin = f->p.begin + NSEC_PER_MSEC,
		.woken = f->p.begin + 4 * NSEC_PER_MSEC,
		.end = f->p.begin + 5 * NSEC_PER_MSEC,
	};

	*vec_add(&f->p.blocks) = (struct block){.leg = f->sleeper,
						.state = 'R',
						.begin = block.end + 1,
						.woken = block.end + 1,
						.end = block.end + 2};
	*vec_add(&f->p.blocks) = block;
}

static char *write_waits(struct fixture *f, const struct format *format_row, size_t *size)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	struct caption caption = {.title = "T"};
	FILE *out;
	char *bytes = NULL;

	f->options.metric = &offcpu_view.metrics[0];
	weighted_stacks_init(&stacks, &f->p.names);
	stacks.with_blocks = true;
	view_weigh(&offcpu_view, &f->p, &f->options, &stacks);
	out = open_memstream(&bytes, size);
	CHECK_EQ(format_row->write_stacks(&stacks, &caption, out, NULL), 0);
	fclose(out);
	return bytes;
}

static void single_waits_are_markers(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_free_ char *bytes = NULL;
	size_t size;

	fixture_init(&f);
	add_blocks(&f);
	bytes = write_waits(&f, format_by_name("firefox"), &size);
	inflate_into(&text, bytes, size);
	CHECK(says(&text, "\"startTime\":[1.000000],\"endTime\":[4.000000]"));
	CHECK(says(&text, "\"waker\":\"the waker-20/20\""));
}

static size_t count(const char *bytes, size_t size, const char *what, size_t length)
{
	size_t nr = 0;

	for (size_t i = 0; i + length <= size; i++)
		nr += !memcmp(bytes + i, what, length);
	return nr;
}

static void a_flow_leads_from_the_waker_to_the_sleeper(void)
{
	/* Fields 47 and 48, fixed64: flow 1, since the wait is the first one by its begin. */
	static const char begins[] = "\xf9\x02\1\0\0\0\0\0\0", ends[] = "\x81\x03\1\0\0\0\0\0\0";
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *bytes = NULL, *again = NULL;
	size_t size, size_again;

	fixture_init(&f);
	add_blocks(&f);
	bytes = write_waits(&f, format_by_name("perfetto"), &size);
	CHECK_EQ(count(bytes, size, begins, sizeof(begins) - 1), 1);
	CHECK_EQ(count(bytes, size, ends, sizeof(ends) - 1), 1);
	CHECK_EQ(count(bytes, size, "ksys_read", 9), 2);
	CHECK_EQ(count(bytes, size, "the waker-20/20", 15), 1);
	again = write_waits(&f, format_by_name("perfetto"), &size_again);
	CHECK(size == size_again && !memcmp(bytes, again, size));
}

static void what_has_no_waits_is_refused(void)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *bytes = NULL;
	size_t size;
	FILE *out;

	fixture_init(&f);
	sample_as(&f, "x");
	f.options.metric = &cpu_view.metrics[0];
	weighted_stacks_init(&stacks, &f.p.names);
	stacks.with_blocks = true;
	view_weigh(&cpu_view, &f.p, &f.options, &stacks);
	out = open_memstream(&bytes, &size);
	CHECK_EQ(format_by_name("perfetto")->write_stacks(&stacks, &(struct caption){}, out, NULL),
		 -EINVAL);
	fclose(out);
}

int main(void)
{
	RUN(a_thread_is_one_with_its_last_name);
	RUN(names_of_threads_are_escaped);
	RUN(single_waits_are_markers);
	RUN(a_flow_leads_from_the_waker_to_the_sleeper);
	RUN(what_has_no_waits_is_refused);
	return test_status();
}
