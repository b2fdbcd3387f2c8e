/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish.h"

#include "test.h"

static const struct mapping code = {.start = 0x1000, .end = 0x2000, .kind = MAPPING_CODE};
static const u64 IDLE_US = 1200 * 1000;

/* What stands for BPF's maps; no program walks. */
struct fixture {
	struct wick_region regions[WICK_REGIONS];
	u64 epoch;
	u32 clock;
	VEC(struct wick_file_key) known;
	struct files *files;
	struct publisher *publisher;
};

static int add_chunk(void *ctx, u32 number, u32 **words)
{
	(void)ctx;
	(void)number;
	(void)words;
	return -ENOMEM;
}

static bool same(const struct wick_file_key *a, const struct wick_file_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static int set_file(void *ctx, const struct wick_file_key *key, const struct wick_file *file)
{
	struct fixture *f = ctx;

	(void)file;
	*vec_add(&f->known) = *key;
	return 0;
}

static int set_python(void *ctx, u32 row, const struct wick_python *python)
{
	(void)ctx;
	(void)row;
	(void)python;
	return 0;
}

static int remove_file(void *ctx, const struct wick_file_key *key)
{
	struct fixture *f = ctx;

	for (size_t i = 0; i < f->known.nr; i++)
		if (same(&f->known.at[i], key)) {
			f->known.at[i] = f->known.at[--f->known.nr];
			return 0;
		}
	return -ENOENT;
}

static u32 announce_again(void *ctx, u32 pid, const struct mapping *mapping)
{
	(void)ctx;
	(void)pid;
	(void)mapping;
	return 0;
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->files = files_new();
	f->publisher = publisher_new(f->files, true);
	publisher_attach(f->publisher,
			 &(struct publish_sink){
				 .regions = f->regions,
				 .epoch = &f->epoch,
				 .clock = &f->clock,
				 .add_chunk = add_chunk,
				 .set_file = set_file,
				 .set_python = set_python,
				 .remove_file = remove_file,
				 .announce_again = announce_again,
				 .ctx = f,
			 },
			 1 << 20);
	return f;
}

static void fixture_free(struct fixture *f)
{
	publisher_free(f->publisher);
	files_free(f->files);
	vec_release(&f->known);
	free(f);
}

static struct wick_copy_body copy_of(u64 inode)
{
	return (struct wick_copy_body){
		.stopped_at = 0x1800,
		.stopped_in = WICK_REGIONS,
		.file = {.inode = inode, .dev = 1},
	};
}

/* As if programs had met it. */
static void meet(struct fixture *f, u64 inode)
{
	const struct wick_copy_body copy = copy_of(inode);

	publisher_want(f->publisher, &copy, &code);
	publisher_retry(f->publisher);
}

static bool is_known(const struct fixture *f, u64 inode)
{
	const struct wick_copy_body copy = copy_of(inode);

	vec_for_each (&f->known, key)
		if (same(key, &copy.file))
			return true;
	return false;
}

static struct rows_cost cost_of(const struct fixture *f)
{
	struct rows_cost cost;

	publisher_cost(f->publisher, &cost);
	return cost;
}

static void make_room(struct fixture *f)
{
	publisher_make_room(f->publisher);
	publisher_reclaim(f->publisher);
}

static void file_that_was_met_is_known(void)
{
	struct fixture *f = fixture_new();
	u64 epoch = f->epoch;

	meet(f, 7);
	CHECK(is_known(f, 7));
	CHECK(!is_known(f, 8));
	CHECK(f->epoch != epoch);
	CHECK(!publisher_pending(f->publisher));
	CHECK_EQ(cost_of(f).kernel_files, 1);
	fixture_free(f);
}

static void too_many_files_make_room(void)
{
	struct fixture *f = fixture_new();
	u64 epoch;

	for (u64 i = 1; i <= WICK_KNOWN_FILES; i++)
		meet(f, i);
	CHECK_EQ(cost_of(f).kernel_files, WICK_KNOWN_FILES);
	meet(f, WICK_KNOWN_FILES + 1);
	CHECK(!is_known(f, WICK_KNOWN_FILES + 1));
	make_room(f); /* all were met just now */
	CHECK_EQ(cost_of(f).kernel_files, WICK_KNOWN_FILES);

	usleep(IDLE_US);
	meet(f, WICK_KNOWN_FILES + 1);
	epoch = f->epoch;
	make_room(f);
	CHECK(f->epoch != epoch);
	CHECK(cost_of(f).evicted_files > 0);
	CHECK_EQ(cost_of(f).kernel_files + cost_of(f).evicted_files, WICK_KNOWN_FILES);
	meet(f, WICK_KNOWN_FILES + 1);
	CHECK(is_known(f, WICK_KNOWN_FILES + 1));
	fixture_free(f);
}

/* More files than are remembered, as in a run of days. */
static void files_are_not_remembered_for_ever(void)
{
	enum { FILES = 6 * WICK_KNOWN_FILES };
	struct fixture *f = fixture_new();

	for (u64 i = 1; i <= FILES; i++)
		meet(f, i);
	CHECK(is_known(f, 1) && is_known(f, WICK_KNOWN_FILES) && !is_known(f, FILES));
	for (u64 i = 1; i <= WICK_KNOWN_FILES; i++)
		meet(f, i);
	CHECK_EQ(cost_of(f).kernel_files, WICK_KNOWN_FILES);
	usleep(IDLE_US);
	meet(f, FILES);
	make_room(f);
	meet(f, FILES);
	CHECK(is_known(f, FILES));
	fixture_free(f);
}

int main(void)
{
	RUN(file_that_was_met_is_known);
	RUN(too_many_files_make_room);
	RUN(files_are_not_remembered_for_ever);
	return test_status();
}
