/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ehframe.h"

struct cie {
	u64 offset; /* of its record */
	bool signal;
	bool augmented; /* its FDEs have augmentation data */
	u8 encoding;	/* of its FDEs' addresses */
	struct cfa_program program;
	struct cfa_rule initial;
};

struct scan {
	const struct eh_section *section;
	const struct cfa_machine *machine;
	struct {
		VEC_FIELDS(struct cie);
	} cies; /* by ascending offset */
	eh_fde_fn each;
	void *ctx;
	struct eh_count *count;
};

static struct pointer_bases bases_of(const struct scan *scan)
{
	return (struct pointer_bases){
		.here = scan->section->address,
		.origin = scan->section->bytes,
		.data = scan->section->data,
	};
}

/* The data of one letter of the augmentation string. False: it is unknown, or says what is not
 * understood. */
static bool read_letter(struct reader *r, char letter, struct cie *cie)
{
	u8 encoding;

	switch (letter) {
	case 'R':
		cie->encoding = (u8)reader_number(r, 1);
		return pointer_readable(cie->encoding);
	case 'P': /* the personality: only its size is needed */
		encoding = (u8)reader_number(r, 1);
		if (encoding != POINTER_OMIT)
			reader_pointer_form(r, encoding);
		return (encoding & POINTER_BASE) != 0x50; /* aligned: no compiler writes it */
	case 'L':
		reader_number(r, 1);
		return true;
	case 'S':
		cie->signal = true;
		return true;
	case 'B': /* AArch64: signed with the B key. It is masked off in any case */
	case 'G': /* AArch64: memory tags */
		return true;
	default:
		return false;
	}
}

/*
 * "" or "z" and letters, whose data follows with its size. An unknown letter ends what is
 * understood of the data (10.6.1.1.1), and that is fatal only if the addresses' encoding might
 * follow it.
 */
static bool read_augmentation(struct reader *r, const char *letters, struct cie *cie)
{
	struct reader augmentation;
	u64 size;
	const u8 *at;

	if (!*letters)
		return true;
	if (*letters != 'z')
		return false;
	cie->augmented = true;
	size = reader_uleb(r);
	at = reader_take(r, size);
	if (!at)
		return false;
	augmentation = reader_of(at, size);
	for (letters++; *letters; letters++)
		if (!read_letter(&augmentation, *letters, cie))
			return false;
	return !augmentation.cut;
}

/* Version 4 has the sizes of an address and of a segment selector. */
static bool read_sizes(struct reader *r, u8 version)
{
	if (version != 4)
		return version == 1 || version == 3;
	/* Two numbers, one after the other. NOLINTNEXTLINE(misc-redundant-expression) */
	return reader_number(r, 1) == 8 && reader_number(r, 1) == 0;
}

/* The part of a CIE after its id. */
static bool read_cie(const struct scan *scan, struct reader r, struct cie *cie)
{
	u8 version = (u8)reader_number(&r, 1);
	const char *letters = (const char *)r.at;
	const u8 *nul = memchr(r.at, 0, reader_left(&r));

	if (!nul)
		return false;
	r.at = nul + 1;
	if (!read_sizes(&r, version))
		return false;
	cie->program = (struct cfa_program){.machine = scan->machine, .bases = bases_of(scan)};
	cie->program.code_align = reader_uleb(&r);
	cie->program.data_align = reader_sleb(&r);
	cie->program.ra = version == 1 ? reader_number(&r, 1) : reader_uleb(&r);
	if (!read_augmentation(&r, letters, cie) || r.cut)
		return false;
	cie->program.pointer_encoding = cie->encoding;
	cie->program.bytes = r.at;
	cie->program.size = reader_left(&r);
	return cfa_initial(&cie->program, &cie->initial);
}

static const struct cie *find_cie(const struct scan *scan, u64 offset)
{
	size_t low = 0, high = scan->cies.nr;

	if (high && scan->cies.at[high - 1].offset == offset)
		return &scan->cies.at[high - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->cies.at[middle].offset == offset)
			return &scan->cies.at[middle];
		if (scan->cies.at[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The part of an FDE after the pointer to its CIE. */
static bool read_fde(const struct scan *scan, struct reader r, const struct cie *cie,
		     struct eh_fde *fde)
{
	u64 size;

	fde->start = reader_pointer(&r, cie->encoding, &cie->program.bases);
	size = reader_pointer_form(&r, cie->encoding);
	if (cie->augmented)
		reader_take(&r, reader_uleb(&r));
	if (r.cut || __builtin_add_overflow(fde->start, size, &fde->end))
		return false;
	fde->signal = cie->signal;
	fde->initial = &cie->initial;
	fde->program = cie->program;
	fde->program.bytes = r.at;
	fde->program.size = reader_left(&r);
	scan->count->fdes++;
	if (size)
		scan->each(scan->ctx, fde);
	return true;
}

/* The record at `offset`, without its length. The id has 4 bytes in 64-bit records too (10.6.1.1).
 */
static bool read_record(struct scan *scan, struct reader r, u64 offset)
{
	u64 id_at = (u64)(r.at - scan->section->bytes);
	u64 id = reader_number(&r, 4);
	struct cie new = {.offset = offset};
	const struct cie *cie;
	struct eh_fde fde;

	if (r.cut)
		return false;
	if (!id) {
		if (scan->cies.nr == EH_MAX_CIES || !read_cie(scan, r, &new))
			return false;
		*vec_add(&scan->cies) = new;
		return true;
	}
	cie = id <= id_at ? find_cie(scan, id_at - id) : NULL;
	return cie && read_fde(scan, r, cie, &fde);
}

/* Whether what stands at *r begins with a CIE: a length that fits, and an id of 0. */
static bool begins_with_cie(struct reader r)
{
	u64 size = reader_number(&r, 4);

	return size >= 8 && size <= reader_left(&r) && reader_number(&r, 4) == 0;
}

/* One record. False at the end. */
static bool next_record(struct scan *scan, struct reader *r)
{
	u64 offset = (u64)(r->at - scan->section->bytes), size;
	const u8 *record;

	if (reader_left(r) < 4)
		return false;
	size = reader_number(r, 4);
	if (!size)
		return scan->section->size_known && begins_with_cie(*r);
	if (size == 0xffffffff)
		size = reader_number(r, 8);
	record = reader_take(r, size);
	if (!record) {
		scan->count->cut = true;
		return false;
	}
	if (!read_record(scan, reader_of(record, size), offset))
		scan->count->broken++;
	return true;
}

void eh_frame_each(const struct eh_section *section, const struct cfa_machine *machine,
		   eh_fde_fn each, void *ctx, struct eh_count *count)
{
	struct scan scan = {
		.section = section, .machine = machine, .each = each, .ctx = ctx, .count = count};
	struct reader r = reader_of(section->bytes, section->size);

	*count = (struct eh_count){};
	while (next_record(&scan, &r))
		continue;
	vec_release(&scan.cies);
}
