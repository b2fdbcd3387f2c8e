/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize.h"

#include "fixture.h"

enum { TIMEOUT_MS = 2000 };

/* A kernel of two functions. */
static int two_names(void *self, const u64 *addresses, size_t nr,
		     void (*answer)(void *ctx, size_t i, const char *name, const char *module),
		     void *ctx)
{
	int *calls = self;

	++*calls;
	for (size_t i = 0; i < nr; i++) {
		CHECK(!i || addresses[i] > addresses[i - 1]);
		if (addresses[i] == 0x100)
			answer(ctx, i, "vfs_read", NULL);
		if (addresses[i] == 0x200)
			answer(ctx, i, "ext4_map_blocks", "ext4");
		if (addresses[i] == 0x300)
			answer(ctx, i, "bpf_prog_6deef7357e7b4530_hook", NULL);
	}
	return 0;
}

static int forbidden(void *self, const u64 *addresses, size_t nr,
		     void (*answer)(void *ctx, size_t i, const char *name, const char *module),
		     void *ctx)
{
	int *calls = self;

	(void)addresses, (void)nr, (void)answer, (void)ctx;
	++*calls;
	return -EPERM;
}

static void check_function(const struct profile *p, u32 frame, const char *name, const char *module,
			   enum frame_kind kind, bool named)
{
	const struct function *f = &p->functions.at[p->frames.at[frame].function];

	CHECK_STR(strings_get(&p->names, f->shown.name).s, name);
	CHECK_STR(strings_get(&p->names, f->shown.module).s, module);
	CHECK_EQ(f->shown.kind, kind);
	CHECK_EQ(f->named, named);
}

static void kernel_frames_are_named_by_the_first_source_that_can(void)
{
	int refused = 0, asked = 0, spared = 0;
	const struct kernel_namer namers[] = {
		{.name = "no", .names = forbidden, .self = &refused},
		{.name = "yes", .names = two_names, .self = &asked},
		{.name = "late", .names = two_names, .self = &spared},
	};
	struct files *files = files_new();
	struct profile p;
	u32 frames[4];

	profile_init(&p);
	frames[3] = profile_frame(&p, SPACE_KERNEL, 0, 0x999);
	frames[2] = profile_frame(&p, SPACE_KERNEL, 0, 0x300);
	frames[1] = profile_frame(&p, SPACE_KERNEL, 0, 0x200);
	frames[0] = profile_frame(&p, SPACE_KERNEL, 0, 0x100);
	symbolize(&p, files, namers, ARRAY_SIZE(namers), TIMEOUT_MS, false);
	check_function(&p, frames[0], "vfs_read", "kernel", FRAME_KERNEL, true);
	check_function(&p, frames[1], "ext4_map_blocks", "ext4", FRAME_KERNEL, true);
	check_function(&p, frames[2], "bpf_prog_6deef7357e7b4530_hook", "bpf", FRAME_KERNEL, true);
	check_function(&p, frames[3], "[unknown]", "", FRAME_NOTE, false);
	CHECK_EQ(refused, 1);
	CHECK_EQ(asked, 1);
	CHECK_EQ(spared, 0);
	CHECK_STR(p.naming.kernel, "yes");
	CHECK_EQ(p.naming.resolved, 3);
	CHECK_EQ(p.naming.unresolved, 1);

	symbolize(&p, files, namers, 1, TIMEOUT_MS, false);
	check_function(&p, frames[0], "[unknown]", "", FRAME_NOTE, false);
	CHECK(!p.naming.kernel);
	CHECK_EQ(p.naming.kernel_error, -EPERM);
	files_free(files);
	profile_release(&p);
}

static u64 offset_of(const char *path, const char *symbol)
{
	/* Without a PIE's shift, text lies at its offset: ld gives the first segments equal
	 * numbers. */
	_cleanup_free_ char *command = format("nm %s | grep ' %s$'", path, symbol);
	FILE *nm = popen(command, "r");
	unsigned long address = 0;

	CHECK_EQ(fscanf(nm, "%lx", &address), 1);
	pclose(nm);
	return address;
}

static void frames_in_files_have_names_or_notes(void)
{
	static const char text[] = "int alpha(int x) { return x * 3; }\n"
				   "int mangled(int x) __asm__(\"_ZN3foo3barEi\");\n"
				   "int mangled(int x) { return x; }\n"
				   "int main(void) { return alpha(1); }\n";
	struct files *files = files_new();
	struct files_mapping m;
	u32 named, mangled, unnamed, lost, unknown, note;
	struct profile p;
	u32 file, gone;

	CHECK(compile("program", "", text));
	m = mapping_of(in_fixture("program"));
	profile_init(&p);
	file = profile_file(&p, m.path);
	files_bind(files, FILES_OF_FILES, file, files_open(files, &m));
	gone = profile_file(&p, "/usr/lib/libgone.so.1 (deleted)");
	named = profile_frame(&p, SPACE_FILE, file, offset_of(m.path, "alpha"));
	mangled = profile_frame(&p, SPACE_FILE, file, offset_of(m.path, "_ZN3foo3barEi"));
	unnamed = profile_frame(&p, SPACE_FILE, file, 8);
	lost = profile_frame(&p, SPACE_FILE, gone, 0x1000);
	unknown = profile_frame(&p, SPACE_IMAGE, 0, 0x1000);
	note = profile_frame(&p, SPACE_NOTE, 0, profile_note(&p, "[truncated]"));
	symbolize(&p, files, NULL, 0, TIMEOUT_MS, false);
	check_function(&p, named, "alpha", "program", FRAME_USER, true);
	check_function(&p, mangled, "foo::bar(int)", "program", FRAME_USER, true);
	check_function(&p, unnamed, "[program]", "program", FRAME_NOTE, false);
	check_function(&p, lost, "[libgone.so.1]", "libgone.so.1", FRAME_NOTE, false);
	check_function(&p, unknown, "[unknown]", "", FRAME_NOTE, false);
	check_function(&p, note, "[truncated]", "", FRAME_NOTE, false);
	CHECK_EQ(p.files.at[file].state, FILES_OK);
	CHECK_EQ(p.files.at[gone].state, FILES_GONE);
	CHECK_EQ(p.naming.resolved, 2);
	CHECK_EQ(p.naming.unresolved, 3);
	files_free(files);
	profile_release(&p);
}

static void jitted_frames_are_named_by_their_image(void)
{
	_cleanup_free_ char *path = format("/tmp/perf-%d.map", getpid());
	static const char map[] = "1000 10 JS:~fibonacci\n";
	struct files *files = files_new();
	struct image image = {.pid = (u32)getpid(), .start_ns = 1};
	struct profile p;
	u32 with, without, ref;

	profile_init(&p);
	write_file(path, map, strlen(map));
	ref = profile_image(&p, &image);
	files_bind(files, FILES_OF_IMAGES, ref, files_open_perf_map(files, (u32)getpid(), 0, 0));
	with = profile_frame(&p, SPACE_IMAGE, ref, 0x100f);
	without = profile_frame(&p, SPACE_IMAGE, ref, 0x1010);
	symbolize(&p, files, NULL, 0, TIMEOUT_MS, false);
	check_function(&p, with, "JS:~fibonacci", "", FRAME_JIT, true);
	check_function(&p, without, "[unknown]", "", FRAME_NOTE, false);
	CHECK_EQ(p.images.at[ref].state, FILES_OK);
	unlink(path);
	files_free(files);
	profile_release(&p);
}

static void the_vdso_is_a_module(void)
{
	struct files *files = files_new();
	struct profile p;
	u32 frame;

	profile_init(&p);
	frame = profile_frame(&p, SPACE_VDSO, 0, 4);
	symbolize(&p, files, NULL, 0, TIMEOUT_MS, false);
	check_function(&p, frame, "[vdso]", "[vdso]", FRAME_NOTE, false);
	files_free(files);
	profile_release(&p);
}

static void an_empty_profile_asks_nobody(void)
{
	struct files *files = files_new();
	struct profile p;

	profile_init(&p);
	symbolize(&p, files, NULL, 0, TIMEOUT_MS, false);
	CHECK_EQ(p.naming.resolved + p.naming.unresolved, 0);
	files_free(files);
	profile_release(&p);
}

int main(void)
{
	fixture_begin();
	RUN(kernel_frames_are_named_by_the_first_source_that_can);
	RUN(frames_in_files_have_names_or_notes);
	RUN(jitted_frames_are_named_by_their_image);
	RUN(the_vdso_is_a_module);
	RUN(an_empty_profile_asks_nobody);
	fixture_end();
	return test_status();
}
