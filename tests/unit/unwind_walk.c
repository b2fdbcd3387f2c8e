/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real stacks, walked: tests/workload/frames.c, built by several compilers in several ways, calls
 * its way down and writes down its registers, its stack and the truth. Every frame must be equal.
 */
#include "test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "unwind/table.h"
#include "unwinder.h"

struct mapping {
	u64 start, end, offset;
	bool executable;
	struct unwind_table *table;
	int fd; /* -1: no file */
};

struct memory {
	u64 start, end;
	char *bytes;
};

struct subject {
	u32 stingy; /* of so many requests for code one finds that its table is not at hand; 0: none */
	u32 nr_requests;
	struct wick_unwind_regs regs;
	u32 nr_regs;
	struct {
		VEC_FIELDS(struct mapping);
	} mappings;
	struct {
		VEC_FIELDS(struct memory);
	} memories;
	struct {
		VEC_FIELDS(u64);
	} truth;
};

static bool find(void *ctx, u64 address, struct unwind_code *code)
{
	struct subject *subject = ctx;

	vec_for_each (&subject->mappings, m) {
		if (address < m->start || address >= m->end)
			continue;
		*code = (struct unwind_code){
			.executable = m->executable,
			.of_file = m->fd >= 0,
			.table = m->table,
			.missing = m->table && subject->stingy &&
				   subject->nr_requests++ % subject->stingy == 0,
			.offset = address - m->start + m->offset,
		};
		return true;
	}
	return false;
}

/* Other stacks, code without a file, and that of files. */
static bool read_elsewhere(void *ctx, u64 address, void *to, size_t size)
{
	struct subject *subject = ctx;

	vec_for_each (&subject->mappings, m)
		if (m->executable && m->fd >= 0 && address >= m->start && address + size <= m->end)
			return pread(m->fd, to, size, (off_t)(address - m->start + m->offset)) ==
			       (ssize_t)size;

	vec_for_each (&subject->memories, m) {
		if (address < m->start || address + size > m->end)
			continue;
		memcpy(to, m->bytes + (address - m->start), size);
		return true;
	}
	return false;
}

static void add_mapping(struct subject *subject, const char *line)
{
	struct mapping *m = vec_add(&subject->mappings);
	char mode[5], path[4096] = "";

	m->fd = -1;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095s", &m->start,
		   &m->end, mode, &m->offset, path) < 4)
		return;
	m->executable = mode[2] == 'x';
	if (m->executable && *path == '/') {
		m->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (m->fd >= 0 && unwind_table_build(m->fd, &m->table, NULL))
			m->table = NULL;
	}
}

static void add_memory(struct subject *subject, const char *line, const char *mem_path)
{
	_cleanup_close_ int fd = open(mem_path, O_RDONLY | O_CLOEXEC);
	struct memory *m = vec_add(&subject->memories);
	u64 offset;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %" SCNx64, &m->start, &m->end, &offset) != 3)
		return;
	m->bytes = xcalloc(1, m->end - m->start);
	if (pread(fd, m->bytes, m->end - m->start, (off_t)offset) != (ssize_t)(m->end - m->start))
		m->end = m->start;
}

static void add_register(struct subject *subject, u64 value)
{
	if (!subject->nr_regs)
		subject->regs.ip = value;
	else if (subject->nr_regs <= WICK_UNWIND_REGS)
		subject->regs.reg[subject->nr_regs - 1] = value;
	subject->nr_regs++;
}

static bool read_subject(struct subject *subject, const char *path)
{
	_cleanup_free_ char *mem = format("%s.mem", path);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[4200];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "reg ", 4))
			add_register(subject, strtoull(line + 4, NULL, 16));
		else if (!strncmp(line, "true ", 5))
			*vec_add(&subject->truth) = strtoull(line + 5, NULL, 16);
		else if (!strncmp(line, "map ", 4))
			add_mapping(subject, line + 4);
		else if (!strncmp(line, "mem ", 4))
			add_memory(subject, line + 4, mem);
	}
	subject->regs.known = 0xffff;
	subject->regs.exact = 1;
	return f && subject->truth.nr && subject->memories.nr;
}

static void release_subject(struct subject *subject)
{
	vec_for_each (&subject->mappings, m) {
		unwind_table_free(m->table);
		cleanup_close(&m->fd);
	}
	vec_for_each (&subject->memories, m)
		free(m->bytes);
	vec_release(&subject->mappings);
	vec_release(&subject->memories);
	vec_release(&subject->truth);
}

static void walk(const struct subject *subject, struct unwind_walked *walked)
{
	struct unwind_stack stack = {
		.find = find, .read_code = read_elsewhere, .ctx = (void *)subject};

	vec_for_each (&subject->memories, m) {
		if (subject->regs.reg[WICK_REG_SP] < m->start ||
		    subject->regs.reg[WICK_REG_SP] >= m->end)
			continue;
		stack.bytes = m->bytes;
		stack.base = m->start;
		stack.size = m->end - m->start;
	}
	unwind_walk(&stack, &subject->regs, walked);
	while (walked->missing)
		unwind_walk_on(&stack, walked);
}

static void compare_walk(const char *what, const struct subject *subject)
{
	struct unwind_walked walked;

	walk(subject, &walked);
	if (walked.end != WICK_COMPLETE || walked.nr != subject->truth.nr + 1)
		test_report("%s: %u frames, end %d; want %zu and %d", what, walked.nr, walked.end,
			    subject->truth.nr + 1, WICK_COMPLETE);
	for (size_t i = 0; i < subject->truth.nr && i + 1 < walked.nr; i++) {
		if (!subject->truth.at[i] || walked.frames[i + 1] == subject->truth.at[i])
			continue;
		test_report("%s: frame %zu is %#" PRIx64 ", want %#" PRIx64, what, i + 1,
			    walked.frames[i + 1], subject->truth.at[i]);
		break;
	}
}

static void compare(const char *what, struct subject *subject)
{
	for (subject->stingy = 0; subject->stingy <= 3; subject->stingy += 3)
		compare_walk(what, subject);
}

static bool shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *fmt, ...)
{
	_cleanup_free_ char *command = NULL;
	__builtin_va_list args;

	__builtin_va_start(args, fmt);
	if (vasprintf(&command, fmt, args) < 0)
		out_of_memory();
	__builtin_va_end(args);
	return system(command) == 0;
}

static const char *const builds[] = {
	"gcc -O2 -fomit-frame-pointer",
	"gcc -O0",
	"gcc -O3 -fno-omit-frame-pointer",
	"gcc -O2 -fomit-frame-pointer -static",
	"gcc -O2 -falign-functions=1 -fno-toplevel-reorder",
	"gcc -O2 -no-pie -fcf-protection=full -mno-omit-leaf-frame-pointer",
	"clang -O2 -fomit-frame-pointer",
	"clang -O0",
	"clang -O3 -fomit-frame-pointer -no-pie",
};

static const char *const scenarios[] = {
	"recursion",   "alloca", "aligned", "qsort", "signal",
	"sigaltstack", "thread", "jit",	    "lazy",  "noreturn",
};

static bool runs(const char *scenario, const char *how)
{
	return strcmp(scenario, "lazy") || !strstr(how, "-static");
}

static void run_build(const char *dir, const char *how)
{
	if (!shell("%s -w -rdynamic -pthread -o %s/frames tests/workload/frames.c -ldl 2>%s/log",
		   how, dir, dir)) {
		test_report("cannot build frames: %s", how);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		_cleanup_free_ char *what = format("%s, %s", scenarios[i], how);
		_cleanup_free_ char *out = format("%s/out", dir);
		struct subject subject = {};

		if (!runs(scenarios[i], how))
			continue;
		if (!shell("FRAMES_LIBRARY=%s/lib.so %s/frames %s %s", dir, dir, scenarios[i],
			   out) ||
		    !read_subject(&subject, out))
			test_report("%s: did not run", what);
		else
			compare(what, &subject);
		release_subject(&subject);
	}
}

static void walks_are_what_the_compiler_says(void)
{
	char dir[] = "/tmp/wick-walk-XXXXXX";

	if (!mkdtemp(dir)) {
		test_report("mkdtemp: %s", strerror(errno));
		return;
	}
	CHECK(shell("gcc -O2 -fomit-frame-pointer -fPIC -shared -Wl,-z,lazy -o %s/lib.so "
		    "tests/workload/frames_library.c",
		    dir));
	for (size_t i = 0; i < ARRAY_SIZE(builds); i++)
		run_build(dir, builds[i]);
	shell("rm -rf %s", dir);
}

static void vdso_has_rows(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct unwind_table *table = NULL;
	struct error error;

	if (!image) {
		printf("skip %s: no vdso\n", test_name);
		return;
	}
	CHECK_EQ(unwind_table_build_image(image, 4096, &table, &error), 0);
	if (!table)
		return;
	CHECK(table->stats.functions > 0);
	unwind_table_free(table);
}

/* Whatever stands on the stack, a walk ends, and says why. */
static void garbage_ends(void)
{
	u64 words[512], seed = 88172645463325252ull;
	struct mapping mapping = {.start = 0x1000, .end = 0x7fff00000000, .executable = true};
	struct subject subject = {.mappings = {.at = &mapping, .nr = 1}};
	struct unwind_stack stack = {.bytes = words,
				     .base = 0x10000,
				     .size = sizeof(words),
				     .find = find,
				     .ctx = &subject};
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK_EQ(unwind_table_build(fd, &mapping.table, NULL), 0);
	for (int round = 0; round < 20000; round++) {
		struct wick_unwind_regs regs = {.known = 0xffff, .exact = round & 1};
		struct unwind_walked walked;

		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			words[i] = seed >> (seed & 63);
			if (i % 3 == 0)
				words[i] = 0x10000 + (seed >> 40) % sizeof(words);
			else if (i % 3 == 1)
				words[i] = 0x1000 + (seed >> 44);
		}
		regs.ip = words[1];
		for (int i = 0; i < WICK_UNWIND_REGS; i++)
			regs.reg[i] = words[i + 3];
		unwind_walk(&stack, &regs, &walked);
		CHECK(walked.nr >= 1 && walked.nr <= WICK_USER_FRAMES);
		CHECK(walked.end >= 0 && walked.end < WICK_NR_ENDS);
	}
	unwind_table_free(mapping.table);
}

enum { STACK = 0x10000, CODE = 0x1000 };

/* From a call at CODE + 0x10 in run-time code, or in a file's code without rows. */
static void check_chain(u64 fp, const u64 *words, size_t nr, bool of_file, enum wick_end end)
{
	struct mapping mapping = {
		.start = CODE, .end = 2 * CODE, .executable = true, .fd = of_file ? 0 : -1};
	struct subject subject = {.mappings = {.at = &mapping, .nr = 1}};
	struct unwind_stack stack = {.bytes = words,
				     .base = STACK,
				     .size = nr * sizeof(*words),
				     .find = find,
				     .ctx = &subject};
	struct wick_unwind_regs regs = {.ip = CODE + 0x10, .known = WICK_ALL_REGS};
	struct unwind_walked walked;

	regs.reg[WICK_REG_SP] = STACK;
	regs.reg[WICK_REG_FP] = fp;
	unwind_walk(&stack, &regs, &walked);
	CHECK_EQ(walked.end, end);
}

static void a_chain_of_frame_pointers_ends_in_zero_only_in_run_time_code(void)
{
	const u64 chain[] = {STACK + 16, CODE + 0x20, 0, CODE + 0x30, 0, 0};

	check_chain(STACK, chain, ARRAY_SIZE(chain), false, WICK_COMPLETE);
	check_chain(STACK, chain, ARRAY_SIZE(chain), true, WICK_NO_UNWIND_INFO);
	check_chain(0, chain, ARRAY_SIZE(chain), false, WICK_NO_UNWIND_INFO);
}

static long read_zero(void *ctx, __u64 address, __u64 *value)
{
	(void)ctx, (void)address;
	*value = 0;
	return 0;
}

/* By a row that says where it is. */
static void a_return_address_of_zero_is_an_end_only_where_a_stack_begins(void)
{
	static const struct {
		u64 cfa, fp;
		enum wick_end end;
	} all[] = {
		{0x20000, 0, WICK_COMPLETE},  {0x1fff0, 0, WICK_COMPLETE},
		{0x1ff80, 0, WICK_BAD_FRAME}, {0x1f000 + 8, 0, WICK_BAD_FRAME},
		{0x20000, 1, WICK_BAD_FRAME},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct wick_unwind_regs regs = {.ip = CODE, .known = WICK_ALL_REGS, .exact = 1};

		regs.reg[WICK_REG_SP] = all[i].cfa - 16;
		regs.reg[WICK_REG_FP] = all[i].fp;
		CHECK_EQ(wick_unwind_step_plain(wick_rule(WICK_RULE_SP, 2), &regs, read_zero, NULL),
			 (int)all[i].end);
	}
}

int main(void)
{
	RUN(a_chain_of_frame_pointers_ends_in_zero_only_in_run_time_code);
	RUN(a_return_address_of_zero_is_an_end_only_where_a_stack_begins);
	RUN(walks_are_what_the_compiler_says);
	RUN(vdso_has_rows);
	RUN(garbage_ends);
	return test_status();
}
