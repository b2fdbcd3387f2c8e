/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.c: kernel names from /proc/kallsyms, 120,000 lines of
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0201000 t ext4_map_blocks	[ext4]
 *
 * Nothing of it is stored but what may be an answer. Lines come sorted by address, section after
 * section and then the modules, so a line mostly falls between the same two of the asked addresses
 * as the line before; when it does not, a binary search places it, and the order never matters.
 * Each address keeps the last symbol that starts between the address below it and itself; where
 * there is none, the nearest one further down covers it. There are no sizes: a symbol reaches to
 * the next one, data too, and no further than MAX_REACH.
 *
 * The kernel gives at most a page a read, and takes 30 ms for all of it.
 */
#include "symbolize.h"

#include <fcntl.h>

enum {
	BLOCK_SIZE = 64 << 10,
	KEPT_NAME = 512,  /* KSYM_NAME_LEN; since 6.1, 128 before */
	KEPT_MODULE = 64, /* MODULE_NAME_LEN */
	MAX_REACH = 1 << 20,
};

/* A line of the file; its strings lie in the block that was read. */
struct line {
	u64 address;
	const char *name, *module;
	size_t name_size, module_size;
	u8 rank; /* the smaller the better; DATA and above: no function */
};

enum { RANK_DATA = 16 };

struct best {
	u64 start;
	u8 rank; /* 0: nothing yet */
	char name[KEPT_NAME], module[KEPT_MODULE];
	size_t name_size;
};

struct scan {
	const u64 *addresses;
	size_t nr;
	size_t hint; /* where the last line was placed */
	struct best *best;
	bool any_address; /* one that is not 0 */
};

/* Types are those of nm(1): capitals are global. Function over object, global over weak over local.
 */
static u8 rank_of(char type)
{
	static const u8 ranks[128] = {
		['T'] = 1,
		['W'] = 2,
		['w'] = 2,
		['t'] = 3,
	};
	u8 rank = (unsigned char)type < 128 ? ranks[(unsigned char)type] : 0;

	return rank ? rank : RANK_DATA;
}

/* Marks of assemblers between code and data, and local labels, are not where a function starts. */
static bool is_label(const struct line *line)
{
	return line->name[0] == '$' || (line->name[0] == '.' && line->name[1] == 'L');
}

static size_t leading_bars(const char *name, size_t size)
{
	size_t nr = 0;

	while (nr < size && name[nr] == '_')
		nr++;
	return nr;
}

/* Fewest leading underscores, shortest, bytewise. */
static bool is_better_name(const struct line *line, const struct best *best)
{
	size_t bars = leading_bars(line->name, line->name_size);
	size_t best_bars = leading_bars(best->name, best->name_size);

	if (bars != best_bars)
		return bars < best_bars;
	if (line->name_size != best->name_size)
		return line->name_size < best->name_size;
	return memcmp(line->name, best->name, line->name_size) < 0;
}

static bool is_better(const struct line *line, const struct best *best)
{
	if (!best->rank || line->address != best->start)
		return !best->rank || line->address > best->start;
	if (line->rank != best->rank)
		return line->rank < best->rank;
	return is_better_name(line, best);
}

/* The index of the first asked address that is not below this one. */
static size_t place(struct scan *scan, u64 address)
{
	size_t i = scan->hint;

	if ((i == scan->nr || address <= scan->addresses[i]) &&
	    (i == 0 || address > scan->addresses[i - 1]))
		return i;
	return scan->hint = lower_bound(scan->addresses, scan->nr, address);
}

static void take_symbol(struct scan *scan, const struct line *line)
{
	struct best *best;
	size_t i;

	scan->any_address |= line->address != 0;
	i = place(scan, line->address);
	if (i == scan->nr || is_label(line))
		return;
	best = &scan->best[i];
	if (!is_better(line, best))
		return;
	best->start = line->address;
	best->rank = line->rank;
	best->name_size = min(line->name_size, sizeof(best->name) - 1);
	memcpy(best->name, line->name, best->name_size);
	best->name[best->name_size] = '\0';
	memcpy(best->module, line->module, min(line->module_size, sizeof(best->module) - 1));
	best->module[min(line->module_size, sizeof(best->module) - 1)] = '\0';
}

static bool take_hex(const char **at, const char *end, u64 *value)
{
	const char *s = *at;

	for (*value = 0; s < end; s++) {
		unsigned int digit = (unsigned int)*s - '0';

		if (digit > 9)
			digit = ((unsigned int)*s | 0x20) - 'a' + 10;
		if (digit > 15 || (digit < 10 && *s > '9'))
			break;
		*value = *value << 4 | digit;
	}
	if (s == *at || s - *at > 16)
		return false;
	*at = s;
	return true;
}

/* Splits one line; false for what is none. */
static bool split(struct line *line, const char *at, const char *end)
{
	const char *tab;

	*line = (struct line){.module = ""};
	if (!take_hex(&at, end, &line->address) || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	line->rank = rank_of(at[1]);
	line->name = at + 3;
	tab = memchr(line->name, '\t', (size_t)(end - line->name));
	line->name_size = (size_t)((tab ? tab : end) - line->name);
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		line->module = tab + 2;
		line->module_size = (size_t)(end - tab - 3);
	}
	return line->name_size != 0;
}

/* Takes the complete lines of text; returns the size of what is left after the last of them. */
static size_t take_block(struct scan *scan, const char *text, size_t size)
{
	const char *end = text + size, *newline;
	struct line line;

	while ((newline = memchr(text, '\n', (size_t)(end - text)))) {
		if (split(&line, text, newline))
			take_symbol(scan, &line);
		text = newline + 1;
	}
	return (size_t)(end - text);
}

static int read_all(struct scan *scan, int fd)
{
	_cleanup_free_ char *block = xcalloc(1, BLOCK_SIZE);
	size_t left = 0;

	for (;;) {
		ssize_t n = read(fd, block + left, BLOCK_SIZE - left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return scan->any_address ? 0 : -EPERM;
		n += (ssize_t)left;
		left = take_block(scan, block, (size_t)n);
		/* A line as long as the block is none of the kernel's: dropped. */
		if (left == BLOCK_SIZE)
			left = 0;
		memmove(block, block + n - left, left);
	}
}

static void hand_on_names(const struct scan *scan,
			  void (*answer)(void *ctx, size_t i, const char *name, const char *module),
			  void *ctx)
{
	const struct best *best = NULL;

	for (size_t i = 0; i < scan->nr; i++) {
		if (scan->best[i].rank)
			best = &scan->best[i];
		if (best && best->rank < RANK_DATA && scan->addresses[i] - best->start < MAX_REACH)
			answer(ctx, i, best->name, *best->module ? best->module : NULL);
	}
}

static int kallsyms_names(void *self, const u64 *addresses, size_t nr,
			  void (*answer)(void *ctx, size_t i, const char *name, const char *module),
			  void *ctx)
{
	_cleanup_close_ int fd = open(self, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ struct best *best = xcalloc(nr, sizeof(*best));
	struct scan scan = {.addresses = addresses, .nr = nr, .best = best};
	int err;

	if (fd < 0)
		return -errno;
	err = read_all(&scan, fd);
	if (!err)
		hand_on_names(&scan, answer, ctx);
	return err;
}

struct kernel_namer kallsyms_namer(const char *path)
{
	return (struct kernel_namer){
		.name = "/proc/kallsyms",
		.names = kallsyms_names,
		.self = (void *)path,
	};
}
