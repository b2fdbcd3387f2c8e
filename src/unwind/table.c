/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <sys/stat.h>

#include "contexts.h"
#include "cpython.h"
#include "elf_eh.h"
#include "flow.h"
#include "gopclntab.h"
#include "rows.h"

enum {
	ENTRY_SIZE = 64, /* of an entry point without an unwind entry: ld.so's has 60 bytes */
};

struct build {
	const struct elf_eh *elf;
	struct rows rows;
	struct unwind_stats *stats;
	bool signal; /* of the function at hand */
	u64 address; /* its start ... */
	u64 offset;  /* ... which is this place in the file */
};

static void take_rule(void *ctx, u64 address, const struct cfa_rule *rule, enum wick_bad bad)
{
	struct build *build = ctx;
	u64 offset = address - build->address + build->offset;
	u32 word = build->signal ? wick_rule(WICK_RULE_ODD, WICK_SIGNAL)
		   : rule	 ? rows_rule(&build->rows, rule)
				 : wick_rule(WICK_RULE_BAD, bad);

	rows_add(&build->rows, offset, word);
}

/* Frees the file's address space from entries of discarded code, whose address is 0 or nonsense. */
static void take_function(void *ctx, const struct eh_fde *fde)
{
	struct build *build = ctx;
	u64 offset, room, end;

	if (!elf_eh_offset(build->elf, fde->start, &offset, &room)) {
		build->stats->outside++;
		return;
	}
	end = offset + min(fde->end - fde->start, room);
	if (!rows_begin(&build->rows, offset, end))
		return;
	/* The unwind entry says so from some instruction on, or never (libcap's). */
	if (fde->start == build->elf->entry) {
		rows_add(&build->rows, offset, wick_rule_outermost());
		return;
	}
	build->signal = fde->signal;
	build->address = fde->start;
	build->offset = offset;
	cfa_run(&fde->program, fde->initial, fde->start, fde->start + (end - offset), take_rule,
		build);
}

/* The entry point has no caller, also where there is no unwind entry to say so. */
static void add_entry(struct build *build)
{
	u64 offset, room, end;

	if (!build->elf->entry || !elf_eh_offset(build->elf, build->elf->entry, &offset, &room))
		return;
	end = offset + min((u64)ENTRY_SIZE, room);
	if (rows_cover(&build->rows, (u32)offset))
		return;
	end = min(end, (u64)rows_next(&build->rows, (u32)offset));
	if (!rows_begin(&build->rows, offset, end))
		return;
	rows_add(&build->rows, offset, wick_rule_outermost());
	rows_sort(&build->rows);
}

static void build_starts(struct unwind_starts *starts, const struct rows *rows)
{
	size_t nr = rows->functions.nr;
	u32 high = 0;

	starts->nr_high = nr ? (rows->functions.at[nr - 1].start >> 16) + 1 : 0;
	starts->low = xcalloc(nr, sizeof(*starts->low));
	starts->first = xcalloc(starts->nr_high + 1, sizeof(*starts->first));
	for (size_t i = 0; i < nr; i++) {
		u32 start = rows->functions.at[i].start;

		for (; high < start >> 16; high++)
			starts->first[high + 1] = (u32)i;
		starts->low[i] = (u16)start;
	}
	if (nr)
		starts->first[starts->nr_high] = (u32)nr;
}

static void count_all(struct unwind_table *table, const struct build *build,
		      const struct rows_packed *packed, const struct eh_count *count)
{
	struct unwind_stats *stats = &table->stats;
	size_t nr = build->rows.functions.nr;

	stats->rows = packed->shape.nr_rows;
	stats->functions = nr;
	stats->bytes = sizeof(*table) + packed->nr_words * sizeof(u32) + nr * sizeof(u16) +
		       (table->starts.nr_high + 1) * sizeof(u32);
	for (u32 i = 0; i < build->elf->nr_texts; i++)
		stats->text += build->elf->texts[i].size;
	stats->covered = packed->covered;
	stats->specials = packed->shape.nr_specials;
	stats->special_rows = packed->nr_special;
	memcpy(stats->bad_rows, packed->nr_bad, sizeof(stats->bad_rows));
	stats->broken = count->broken;
	stats->cut = count->cut || build->rows.full || build->elf->cut;
}

static struct unwind_table *build_table(const struct elf_eh *elf)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct build build = {.elf = elf, .stats = &table->stats};
	struct rows_packed packed;
	struct eh_count count = {};

	rows_init(&build.rows, elf->machine);
	if (elf->section.bytes)
		eh_frame_each(&elf->section, elf->machine, take_function, &build, &count);
	gopclntab_add(elf, &build.rows);
	contexts_add(elf, &build.rows);
	rows_sort(&build.rows);
	flow_add(elf, &build.rows);
	add_entry(&build);
	rows_pack(&build.rows, &packed);
	table->shape = packed.shape;
	table->words = packed.words;
	table->nr_words = packed.nr_words;
	build_starts(&table->starts, &build.rows);
	cpython_find(elf, &table->python);
	count_all(table, &build, &packed, &count);
	rows_release(&build.rows);
	return table;
}

static int build_from(const struct elf_bytes *bytes, struct unwind_table **table,
		      struct error *error)
{
	struct elf_eh elf;
	int err = elf_eh_init(&elf, bytes);

	if (err == -EFBIG)
		return fail(error, err, "unwind table: .eh_frame has more than %d MB",
			    ELF_EH_MAX_BYTES >> 20);
	if (err)
		return fail(error, err, "unwind table: not an ELF file of a known kind, or broken");
	*table = build_table(&elf);
	elf_eh_release(&elf);
	return 0;
}

int unwind_table_build(int fd, struct unwind_table **table, struct error *error)
{
	struct elf_bytes bytes = {.fd = fd};
	struct stat st;

	if (fstat(fd, &st))
		return fail(error, -errno, "unwind table: fstat: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(error, -EINVAL, "unwind table: not a regular file");
	bytes.size = (u64)st.st_size;
	return build_from(&bytes, table, error);
}

int unwind_table_build_image(const void *image, size_t size, struct unwind_table **table,
			     struct error *error)
{
	struct elf_bytes bytes = {.fd = -1, .memory = image, .size = size};

	return build_from(&bytes, table, error);
}

u32 unwind_table_lookup(const struct unwind_table *table, u64 offset)
{
	return wick_unwind_lookup(&table->shape, unwind_table_word, table, offset);
}

/* How many of the starts in [first, end) are at or below `low`, counted from `first`. */
static u32 nr_up_to(const u16 *lows, u32 first, u32 end, u16 low)
{
	u32 begin = first;

	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (lows[middle] <= low)
			first = middle + 1;
		else
			end = middle;
	}
	return first - begin;
}

bool unwind_table_function_start(const struct unwind_table *table, u64 offset, u64 *start)
{
	const struct unwind_starts *starts = &table->starts;
	u32 high = (u32)(offset >> 16), nr = 0;

	if (offset > UINT32_MAX || !starts->nr_high ||
	    wick_rule_kind(unwind_table_lookup(table, offset)) == WICK_RULE_NONE)
		return false;
	if (high >= starts->nr_high)
		high = starts->nr_high - 1;
	else
		nr = nr_up_to(starts->low, starts->first[high], starts->first[high + 1],
			      (u16)offset);
	if (high == starts->nr_high - 1 && (offset >> 16) > high)
		nr = starts->first[high + 1] - starts->first[high];
	while (!nr && high) {
		high--;
		nr = starts->first[high + 1] - starts->first[high];
	}
	if (!nr)
		return false;
	*start = (u64)high << 16 | starts->low[starts->first[high] + nr - 1];
	return true;
}

const char *unwind_bad_text(enum wick_bad bad)
{
	static const char *const text[WICK_NR_BADS] = {
		[WICK_BAD_CFA_EXPRESSION] = "expression for the CFA",
		[WICK_BAD_PLACE_EXPRESSION] = "expression for a register",
		[WICK_BAD_REGISTER] = "register that is not tracked",
		[WICK_BAD_OFFSET] = "offset out of range",
		[WICK_BAD_STACK_POINTER] = "stack pointer is not the CFA",
		[WICK_BAD_NO_CFA] = "no CFA",
		[WICK_BAD_OPCODE] = "unknown instruction",
		[WICK_BAD_CUT] = "cut instruction",
		[WICK_BAD_STATES] = "remembered states",
		[WICK_BAD_TOO_MANY] = "too many rare rules",
	};

	return bad < WICK_NR_BADS ? text[bad] : "?";
}

const struct wick_python *unwind_table_python(const struct unwind_table *table)
{
	return table->python.version ? &table->python : NULL;
}

u64 unwind_table_size(const struct unwind_table *table)
{
	return table->stats.bytes;
}
