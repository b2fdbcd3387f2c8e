/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_seek.c: a part of a long recording, without reading the rest. An index at the file's
 * end says where chapters are. A chapter has all that its slices have added to dictionaries, and
 * says when they were: so all chapters are read, and of the slices those that something in the
 * range may be counted in.
 *
 *	slice slice ... slice CHAPTER slice ... slice CHAPTER ... END INDEX
 *
 * What comes out is what reading all of it gives, to the byte. If anything is wrong, all of it is
 * read, since only that can say what.
 */
#include "recording_reader.h"

enum { MOST_INDEX = 1 << 20 }; /* bytes at the file's end in which an index is looked for */

static int read_here(struct recording_reader *r, struct source *s, u64 at, enum record_type type,
		     u64 *end)
{
	struct record_header header;

	s->at = at;
	if (find_record(s, &header) || header.type != type || read_payload(r, s, &header))
		return -ENOENT;
	r->facts->nr_records++;
	r->facts->deflated_bytes += header.size;
	*end = at + RECORD_HEADER_SIZE + header.size;
	return 0;
}

/* ---- the index */

int read_index(struct recording *facts, u64 size, struct cursor payload)
{
	u64 nr = get_number(&payload), at = 0;

	facts->chapters.nr = 0;
	for (u64 i = 0; i < nr && !payload.bad; i++) {
		u64 more = get_number(&payload);

		if (!more || more >= size - at)
			return -EINVAL;
		*vec_add(&facts->chapters) = at += more;
	}
	return payload.bad || payload.at != payload.end ? -EINVAL : 0;
}

/* It is the last record: its mark is searched for from the file's end. */
int find_index(struct recording_reader *r, struct source *s)
{
	size_t size = (size_t)min((u64)MOST_INDEX, s->size - s->at);
	_cleanup_free_ u8 *bytes = xcalloc(1, size + 1);
	struct record_header header;

	if (source_read(s, s->size - size, bytes, size))
		return -ENOENT;
	for (size_t left = RECORD_HEADER_SIZE; left <= size; left++) {
		u64 end;

		if (parse_record_header(bytes + size - left, &header) &&
		    header.type == RECORD_INDEX && header.size == left - RECORD_HEADER_SIZE)
			return read_here(r, s, s->size - left, RECORD_INDEX, &end);
	}
	return -ENOENT;
}

/* ---- slices */

struct seeking {
	struct recording_reader *r;
	struct source *s;
	VEC(struct recorded_slice) slices; /* of the chapter at hand */
	struct recorded_slice before;	   /* the slice before the next one; size 0: none */
	bool is_read;			   /* it was, for what it has counted or may pass on */
	u64 end;			   /* of what the chapter before has */
};

static bool is_before(const struct recording_cut *cut, const struct recorded_slice *slice)
{
	return cut->from && slice->end <= cut->from;
}

static bool is_after(const struct recording_cut *cut, const struct recorded_slice *slice)
{
	return slice->reach > cut->to;
}

static bool is_needed(const struct recording_cut *cut, const struct recorded_slice *slice)
{
	return !is_before(cut, slice) && !is_after(cut, slice);
}

/* Its records lie between the chapter before and this one, each behind the last. */
static bool are_in_order(const struct seeking *k, u64 chapter)
{
	u64 end = k->end;

	vec_for_each (&k->slices, slice) {
		if (slice->offset < end || slice->offset >= chapter ||
		    slice->size > chapter - slice->offset || slice->begin > slice->end)
			return false;
		end = slice->offset + slice->size;
	}
	return true;
}

static int read_slice(struct seeking *k, const struct recorded_slice *slice, bool dry)
{
	u64 end;
	int err;

	k->r->only = READ_COUNTS;
	k->r->cut->dry = dry;
	err = read_here(k->r, k->s, slice->offset, RECORD_SLICE, &end);
	k->r->cut->dry = false;
	k->r->only = READ_EVERYTHING;
	return err || end - slice->offset != slice->size || k->r->part.begin != slice->begin ||
			       k->r->part.end != slice->end
		       ? -ENOENT
		       : 0;
}

/* A block may be counted one record after the one that it is in. */
static int read_before(struct seeking *k)
{
	if (k->is_read)
		return 0;
	k->r->cut->waiting.nr = 0;
	return k->before.size ? read_slice(k, &k->before, true) : 0;
}

static void note_slice(struct seeking *k, const struct recorded_slice *slice)
{
	*vec_add(&k->r->facts->slices) = (struct recording_slice){
		.begin = slice->begin,
		.end = slice->end,
		.offset = slice->offset,
		.size = slice->size,
	};
	k->r->end = max(k->r->end, slice->end);
}

/* Where those that are not needed lie on both sides of the range, all are read. */
static int read_slices(struct seeking *k)
{
	struct recording_cut *cut = k->r->cut;
	bool before = false, after = false, all;

	vec_for_each (&k->slices, slice) {
		before |= is_before(cut, slice);
		after |= !is_before(cut, slice) && is_after(cut, slice);
	}
	all = before && after;
	vec_for_each (&k->slices, slice) {
		bool is_read = all || is_needed(cut, slice);

		if (is_read && (read_before(k) || read_slice(k, slice, false)))
			return -ENOENT;
		k->before = *slice;
		k->is_read = is_read;
		note_slice(k, slice);
	}
	cut_end_chapter(cut, k->r->p, before);
	return 0;
}

static int read_chapter(struct seeking *k, u64 at)
{
	struct recorded *rows = &k->r->rows;
	u64 end;
	int err;

	k->r->only = READ_CHAPTERS;
	err = read_here(k->r, k->s, at, RECORD_CHAPTER, &end);
	k->r->only = READ_EVERYTHING;
	if (err || !take_room(k->r, rows->slices.nr, 2 * sizeof(*rows->slices.at)))
		return -ENOENT;
	k->slices.nr = 0;
	vec_for_each (&rows->slices, slice)
		*vec_add(&k->slices) = *slice;
	if (!are_in_order(k, at))
		return -ENOENT;
	cut_begin_chapter(k->r->cut, k->r->p, rows);
	err = read_slices(k);
	k->end = end;
	return err;
}

int seek_slices(struct recording_reader *r, struct source *s)
{
	struct seeking k = {.r = r, .s = s, .end = s->at};
	int err = find_index(r, s);

	if (!err && !r->facts->chapters.nr)
		err = -ENOENT;
	for (size_t i = 0; i < r->facts->chapters.nr && !err; i++)
		err = read_chapter(&k, r->facts->chapters.at[i]);
	if (!err)
		err = read_before(&k);
	s->at = k.end;
	vec_release(&k.slices);
	return err;
}
