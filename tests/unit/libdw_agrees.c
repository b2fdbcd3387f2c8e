/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the host's own binaries say what elfutils' libdw says, at random addresses: 200 files
 * of /usr/bin and /usr/lib, all of them in the nightly run.
 *
 * Both sides compute the caller's registers from the same made-up registers and memory: libdw's
 * expressions by the evaluator below, wick's rows by the step that walks stacks. So what is
 * compared is the whole way from .eh_frame to the caller, not a notation. A BAD row is an
 * honest answer; their share is bounded at the end.
 */
#include "test.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fts.h>
#include <gelf.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum {
	FILES = 200,
	ADDRESSES = 20000, /* in a segment */
	SHOWN = 10,	   /* differences that are printed */
	REGISTERS = 17,
};

struct world {
	u64 reg[REGISTERS]; /* 16: ip */
};

struct tally {
	u64 files, addresses, agreed, bad, none, followed, differ, seed;
};

static u64 random_number(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dull;
}

/* Memory holds addresses that are above any stack pointer, as a walk demands of a CFA. */
static u64 memory(u64 address)
{
	u64 seed = address + 0x9e3779b97f4a7c15ull;

	return 0x700000000000ull + (random_number(&seed) >> 20);
}

static long read_memory(void *ctx, __u64 address, __u64 *value)
{
	(void)ctx;
	*value = memory(address);
	return 0;
}

/* The DWARF expressions that libdw gives. *is_value: what it leaves is the value, not its place. */
static bool evaluate(const struct world *world, const Dwarf_Op *ops, size_t nr, u64 cfa,
		     u64 *result, bool *is_value)
{
	u64 stack[32] = {};
	size_t depth = 0;

	*is_value = false;
	for (size_t i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];
		u64 *top = depth ? &stack[depth - 1] : NULL, *under = depth > 1 ? top - 1 : NULL;

		if (depth == ARRAY_SIZE(stack))
			return false;
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg16) {
			stack[depth++] = world->reg[op->atom - DW_OP_breg0] + op->number;
		} else if (op->atom == DW_OP_bregx && op->number < REGISTERS) {
			stack[depth++] = world->reg[op->number] + op->number2;
		} else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg16) {
			stack[depth++] = world->reg[op->atom - DW_OP_reg0];
			*is_value = true;
		} else if (op->atom == DW_OP_regx && op->number < REGISTERS) {
			stack[depth++] = world->reg[op->number];
			*is_value = true;
		} else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			stack[depth++] = op->atom - DW_OP_lit0;
		} else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) {
			stack[depth++] = op->number;
		} else if (op->atom == DW_OP_call_frame_cfa) {
			stack[depth++] = cfa;
		} else if (op->atom == DW_OP_stack_value) {
			*is_value = true;
		} else if (op->atom == DW_OP_deref && top) {
			*top = memory(*top);
		} else if (op->atom == DW_OP_plus_uconst && top) {
			*top += op->number;
		} else if (under) {
			depth--;
			if (op->atom == DW_OP_plus)
				*under += *top;
			else if (op->atom == DW_OP_minus)
				*under -= *top;
			else if (op->atom == DW_OP_mul)
				*under *= *top;
			else if (op->atom == DW_OP_and)
				*under &= *top;
			else if (op->atom == DW_OP_shl)
				*under <<= *top & 63;
			else if (op->atom == DW_OP_ge)
				*under = (s64)*under >= (s64)*top;
			else
				return false;
		} else {
			return false;
		}
	}
	*result = stack[depth ? depth - 1 : 0];
	return depth > 0; /* expressions of registers begin with the CFA on the stack */
}

/* The caller's register by libdw. *undefined: there is none. */
static bool libdw_register(const struct world *world, Dwarf_Frame *frame, int number, u64 cfa,
			   u64 *value, bool *undefined)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;
	bool is_value;

	*undefined = false;
	if (dwarf_frame_register(frame, number, mem, &ops, &nr))
		return false;
	if (!nr) {
		*undefined = ops != NULL;
		*value = world->reg[number];
		return true;
	}
	if (!evaluate(world, ops, nr, cfa, value, &is_value))
		return false;
	if (!is_value)
		*value = memory(*value);
	return true;
}

static struct world random_world(u64 *seed, u64 ip)
{
	struct world world;

	for (int i = 0; i < REGISTERS; i++)
		world.reg[i] = 0x700000000000ull + (random_number(seed) >> 20);
	world.reg[WICK_REG_SP] = 0x600000000000ull + (random_number(seed) >> 24);
	world.reg[16] = ip;
	return world;
}

struct answer {
	bool known, complete;
	u64 ip, sp, fp, bx;
};

static struct answer ask_libdw(const struct world *world, Dwarf_Frame *frame)
{
	struct answer a = {};
	Dwarf_Op *ops;
	size_t nr;
	bool is_value, undefined, no_fp, no_bx;

	if (dwarf_frame_info(frame, NULL, NULL, NULL) < 0 || dwarf_frame_cfa(frame, &ops, &nr))
		return a;
	if (!libdw_register(world, frame, 16, 0, &a.ip, &undefined))
		return a;
	a.complete = undefined;
	a.known = undefined;
	if (undefined || !nr || !evaluate(world, ops, nr, 0, &a.sp, &is_value))
		return a;
	a.known = libdw_register(world, frame, 16, a.sp, &a.ip, &undefined) &&
		  libdw_register(world, frame, 6, a.sp, &a.fp, &no_fp) &&
		  libdw_register(world, frame, 3, a.sp, &a.bx, &no_bx);
	return a;
}

static struct answer ask_rows(const struct world *world, const struct unwind_table *table, u32 rule)
{
	struct wick_unwind_regs regs = {.ip = world->reg[16], .known = 0xffff, .exact = 1};
	int end;

	memcpy(regs.reg, world->reg, sizeof(regs.reg));
	end = wick_unwind_step(&table->shape, unwind_table_word, table, rule, &regs, read_memory,
			       NULL);
	return (struct answer){
		.known = end == WICK_UNWIND_ON || end == WICK_COMPLETE,
		.complete = end == WICK_COMPLETE,
		.ip = regs.ip,
		.sp = regs.reg[WICK_REG_SP],
		.fp = regs.reg[WICK_REG_FP],
		.bx = regs.reg[WICK_REG_BX],
	};
}

static bool same(const struct answer *a, const struct answer *b)
{
	if (a->known != b->known || a->complete != b->complete)
		return false;
	return a->complete ||
	       (a->ip == b->ip && a->sp == b->sp && a->fp == b->fp && a->bx == b->bx);
}

struct binary {
	const char *path;
	Elf *elf;
	Dwarf_CFI *cfi;
	struct unwind_table *table;
	struct tally *tally;
};

static void differs(struct binary *b, u64 address, u32 rule, const char *what,
		    const struct answer *want, const struct answer *got)
{
	if (b->tally->differ++ >= SHOWN)
		return;
	printf("# %s %#llx: rule %#x: %s", b->path, (unsigned long long)address, rule, what);
	if (want)
		printf(", libdw %d%d sp %#llx ip %#llx fp %#llx bx %#llx, rows %d%d %#llx %#llx %#llx %#llx",
		       want->known, want->complete, (unsigned long long)want->sp,
		       (unsigned long long)want->ip, (unsigned long long)want->fp,
		       (unsigned long long)want->bx, got->known, got->complete,
		       (unsigned long long)got->sp, (unsigned long long)got->ip,
		       (unsigned long long)got->fp, (unsigned long long)got->bx);
	printf("\n");
}

/* Where libdw knows nothing: a hole, of which rows tell what the code there does. */
static void check_hole(struct binary *b, u32 rule)
{
	b->tally->none++;
	b->tally->followed += wick_rule_kind(rule) != WICK_RULE_NONE;
}

/* Unwind entries of entry points do not always say that these have no caller. */
static bool is_entry_point(const struct binary *b, u64 address, u64 offset, u32 rule)
{
	GElf_Ehdr header;
	u64 start;

	return rule == wick_rule_outermost() && gelf_getehdr(b->elf, &header) &&
	       unwind_table_function_start(b->table, offset, &start) &&
	       start + (address - offset) == header.e_entry;
}

static void check_address(struct binary *b, u64 address, u64 offset)
{
	u32 rule = unwind_table_lookup(b->table, offset);
	struct world world = random_world(&b->tally->seed, address);
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	struct answer want, got;

	b->tally->addresses++;
	if (dwarf_cfi_addrframe(b->cfi, address, &frame)) {
		frame = NULL;
		check_hole(b, rule);
		return;
	}
	if (wick_rule_kind(rule) == WICK_RULE_BAD) {
		b->tally->bad++;
		return;
	}
	want = ask_libdw(&world, frame);
	got = ask_rows(&world, b->table, rule);
	if (same(&want, &got) || is_entry_point(b, address, offset, rule))
		b->tally->agreed++;
	else
		differs(b, address, rule, "differs", &want, &got);
}

static void check_segments(struct binary *b)
{
	size_t nr;

	if (elf_getphdrnum(b->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(b->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X) || !p.p_filesz)
			continue;
		for (int k = 0; k < ADDRESSES; k++) {
			u64 within = random_number(&b->tally->seed) % p.p_filesz;

			check_address(b, p.p_vaddr + within, p.p_offset + within);
		}
	}
}

static void check_file(const char *path, struct tally *tally)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct binary b = {.path = path, .tally = tally};
	struct error error;

	if (fd < 0 || unwind_table_build(fd, &b.table, &error))
		return;
	b.elf = elf_begin(fd, ELF_C_READ, NULL);
	b.cfi = b.elf ? dwarf_getcfi_elf(b.elf) : NULL;
	if (b.cfi) {
		tally->files++;
		check_segments(&b);
		dwarf_cfi_end(b.cfi);
	}
	elf_end(b.elf);
	unwind_table_free(b.table);
}

struct paths {
	VEC_FIELDS(char *);
};

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_elf(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[SELFMAG];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

static void list_binaries(struct paths *paths)
{
	char *roots[] = {(char[]){"/usr/bin"}, (char[]){"/usr/lib"}, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;

	while (fts && (entry = fts_read(fts)))
		if (entry->fts_info == FTS_F && entry->fts_statp->st_size > 4096 &&
		    (strstr(entry->fts_name, ".so") || entry->fts_statp->st_mode & S_IXUSR) &&
		    is_elf(entry->fts_path))
			*vec_add(paths) = xstrdup(entry->fts_path);
	if (fts)
		fts_close(fts);
}

static void rows_say_what_libdw_says(void)
{
	const char *nightly = getenv("WICK_NIGHTLY");
	bool all = nightly && *nightly;
	struct paths paths = {};
	struct tally tally = {.seed = 88172645463325252ull};
	size_t step;

	elf_version(EV_CURRENT);
	list_binaries(&paths);
	step = all ? 1 : max(paths.nr / FILES, (size_t)1);
	for (size_t i = 0; i < paths.nr; i += step)
		check_file(paths.at[i], &tally);
	printf("# %llu files, %llu addresses: %llu agree, %llu in holes (%llu with rows), "
	       "%llu BAD, %llu differ\n",
	       (unsigned long long)tally.files, (unsigned long long)tally.addresses,
	       (unsigned long long)tally.agreed, (unsigned long long)tally.none,
	       (unsigned long long)tally.followed, (unsigned long long)tally.bad,
	       (unsigned long long)tally.differ);
	CHECK(tally.files > 20);
	CHECK(tally.agreed > tally.addresses / 4);
	CHECK_EQ(tally.differ, 0);
	CHECK(tally.bad * 1000 <= tally.agreed);
	vec_for_each (&paths, path)
		free(*path);
	vec_release(&paths);
}

int main(void)
{
	RUN(rows_say_what_libdw_says);
	return test_status();
}
