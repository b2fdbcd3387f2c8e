/* SPDX-License-Identifier: GPL-2.0-or-later */
/* needs-root: BPF maps. */
#include "publish/publish.h"

#include <bpf/bpf.h>
#include <sys/mman.h>

#include "test.h"
#include "unwind.h"

static const struct mapping code = {.start = 0x1000, .end = 0x2000, .kind = MAPPING_CODE};
static const u64 IDLE_US = 1200 * 1000;

/* The maps of bpf/mappings.h and bpf/rows.h; nobody walks. */
struct fixture {
	struct tables_maps maps;
	u64 epoch;
	u32 clock;
	struct profile profile;
	struct files *files;
	struct processes *processes;
	struct tables *tables;
};

static int make_chunks(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_rows", 4, WICK_CHUNK_WORDS * 4, 1,
				   &options);
	LIBBPF_OPTS(bpf_map_create_opts, outer, .inner_map_fd = (u32)inner);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "test_chunks", 4, 4, WICK_CHUNKS,
				&outer);

	close(inner);
	return fd;
}

static struct fixture *fixture_new(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);
	struct fixture *f = xcalloc(1, sizeof(*f));

	profile_init(&f->profile);
	f->files = files_new();
	f->processes = processes_new(&f->profile, f->files);
	f->tables = tables_new(&f->profile, f->files, f->processes, true);
	f->maps = (struct tables_maps){
		.known_files = bpf_map_create(BPF_MAP_TYPE_HASH, "test_known",
					      sizeof(struct wick_file_key),
					      sizeof(struct wick_file), WICK_KNOWN_FILES, NULL),
		.regions = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_regions", 4,
					  sizeof(struct wick_region), WICK_REGIONS, &mmapable),
		.chunks = make_chunks(),
		.epoch = &f->epoch,
		.clock = &f->clock,
	};
	CHECK_EQ(tables_attach(f->tables, &f->maps, 1 << 20), 0);
	return f;
}

static void fixture_free(struct fixture *f)
{
	close(f->maps.known_files);
	close(f->maps.regions);
	close(f->maps.chunks);
	tables_free(f->tables);
	processes_free(f->processes);
	files_free(f->files);
	profile_release(&f->profile);
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

	tables_want(f->tables, &copy, &code);
	tables_retry(f->tables);
}

static bool is_known(struct fixture *f, u64 inode)
{
	const struct wick_copy_body copy = copy_of(inode);
	struct wick_file file;

	return !bpf_map_lookup_elem(f->maps.known_files, &copy.file, &file);
}

static struct rows_cost cost_of(const struct fixture *f)
{
	struct rows_cost cost;

	tables_cost(f->tables, &cost);
	return cost;
}

static void make_room(struct fixture *f)
{
	tables_make_room(f->tables);
	tables_reclaim(f->tables);
}

static void file_that_was_met_is_known(void)
{
	struct fixture *f = fixture_new();
	u64 epoch = f->epoch;

	meet(f, 7);
	CHECK(is_known(f, 7));
	CHECK(!is_known(f, 8));
	CHECK(f->epoch != epoch);
	CHECK(!tables_pending(f->tables));
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
