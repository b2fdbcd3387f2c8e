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

int main(void)
{
	RUN(a_thread_is_one_with_its_last_name);
	RUN(names_of_threads_are_escaped);
	return test_status();
}
