/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_parts.c: the recordings that a file has, one after the other, as the parts of one.
 *
 *	HEADER slice ... END INDEX  HEADER slice ... END INDEX  HEADER slice ...
 *	\------- a part ---------/  \------- a part ---------/  \-- a part --/
 *
 * Most files have one. Where the index at the file's end fits to the file's begin, that is seen at
 * once; else the headers of all records are looked at.
 */
#include "recording_join.h"
#include "recording_reader.h"

enum {
	MAX_PARTS = 1 << 12, /* a run of a day has some ten */
	FIRST_SEARCH = 256,  /* bytes; then twice as many each time */
};

struct part {
	u64 at, size; /* in the file */
};

struct parts {
	VEC_FIELDS(struct part);
};

/* ---- where they are */

static bool is_record(const struct source *s, u64 at, enum record_type type)
{
	u8 bytes[RECORD_HEADER_SIZE];
	struct record_header header;

	return !source_read(s, at, bytes, sizeof(bytes)) && parse_record_header(bytes, &header) &&
	       header.type == type;
}

/* The index at the end counts from where its part begins. */
static bool is_one_part(struct source *s)
{
	struct recording facts = {.size = s->size};
	struct recording_reader r = {.facts = &facts, .room = s->size};
	bool fits = !find_index(&r, s) && facts.chapters.nr &&
		    is_record(s, facts.chapters.at[0], RECORD_CHAPTER);

	recording_release(&facts);
	s->at = 0;
	return fits;
}

static bool is_header(const u8 *bytes)
{
	u32 major, minor;

	return !parse_recording_header(bytes, &major, &minor);
}

/* Behind damage: the next header; the file's end where there is none. */
static u64 search_header(const struct source *s, u64 at)
{
	u8 bytes[1 << 16];
	size_t most = FIRST_SEARCH;

	for (; s->size - at >= RECORDING_HEADER_SIZE; most = min(2 * most, sizeof(bytes))) {
		size_t size = (size_t)min((u64)most, s->size - at);

		if (source_read(s, at, bytes, size))
			break;
		for (size_t i = 0; i + RECORDING_HEADER_SIZE <= size; i++)
			if (is_header(bytes + i))
				return at + i;
		at += size - (RECORDING_HEADER_SIZE - 1);
	}
	return s->size;
}

static bool has_header_at(const struct source *s, u64 at)
{
	u8 bytes[RECORDING_HEADER_SIZE];

	return !source_read(s, at, bytes, sizeof(bytes)) && is_header(bytes);
}

/*
 * What a record that says that it has this size takes up. It may be cut off, and followed by a part
 * whose first record is where the next one would be.
 */
static u64 record_size(const struct source *s, u64 at, u64 size)
{
	if (size > s->size - at)
		return 0;
	return has_header_at(s, at + size - RECORDING_HEADER_SIZE) ? size - RECORDING_HEADER_SIZE
								   : size;
}

/* What the record or part at a place takes up; 0: there is none, or it is cut off. */
static u64 size_at(const struct source *s, u64 at, bool *is_part)
{
	u8 bytes[RECORD_HEADER_SIZE];
	struct record_header header;

	*is_part = false;
	if (source_read(s, at, bytes, sizeof(bytes)))
		return 0;
	if (parse_record_header(bytes, &header))
		return record_size(s, at, RECORD_HEADER_SIZE + (u64)header.size);
	*is_part = is_header(bytes);
	return *is_part ? RECORDING_HEADER_SIZE : 0;
}

static void begin_part(struct parts *parts, const struct source *s, u64 at)
{
	struct part *before = &parts->at[parts->nr - 1];

	before->size = at - before->at;
	*vec_add(parts) = (struct part){.at = at, .size = s->size - at};
}

/* A record that is cut off may be followed by a part, which lies before its end. */
static void find_parts(struct source *s, struct parts *parts)
{
	u64 at = RECORDING_HEADER_SIZE, before = at;

	*vec_add(parts) = (struct part){.size = s->size};
	if (is_one_part(s))
		return;
	while (at < s->size && parts->nr < MAX_PARTS) {
		bool is_part;
		u64 size = size_at(s, at, &is_part);

		if (is_part)
			begin_part(parts, s, at);
		if (size) {
			before = at;
			at += size;
		} else {
			at = before = search_header(s, before + 1);
		}
	}
}

/* ---- reading them */

static int read_part(int fd, const struct part *part, const struct recording_range *range,
		     struct profile *p, struct recording *facts, struct error *error)
{
	struct source s = recording_source(fd, part->at, part->size);

	return read_source(&s, range, NULL, p, facts, error);
}

/* When its window began: its first record says it. 0: nothing in it does. */
static u64 begin_of(int fd, const struct part *part)
{
	struct source s = recording_source(fd, part->at, part->size);
	struct recording facts = {};
	struct part first = *part;
	struct profile p;
	u64 begin;
	bool is_part;

	first.size = RECORDING_HEADER_SIZE + size_at(&s, RECORDING_HEADER_SIZE, &is_part);
	profile_init(&p);
	if (read_part(fd, &first, NULL, &p, &facts, NULL) || !p.begin) {
		profile_release(&p);
		recording_release(&facts);
		profile_init(&p);
		facts = (struct recording){};
		read_part(fd, part, NULL, &p, &facts, NULL);
	}
	begin = p.begin;
	profile_release(&p);
	recording_release(&facts);
	return begin;
}

static void add_tables(struct recording *to, const struct recording *part)
{
	for (size_t i = 0; i < part->nr_tables; i++) {
		to->tables[i].name = part->tables[i].name;
		to->tables[i].rows += part->tables[i].rows;
		to->tables[i].bytes += part->tables[i].bytes;
	}
	to->nr_tables = part->nr_tables;
}

static void add_facts(struct recording *to, const struct recording *part, u64 at, u64 after)
{
	if (!to->nr_damaged && part->nr_damaged) {
		to->first_damaged = at + part->first_damaged;
		memcpy(to->damage, part->damage, sizeof(to->damage));
	}
	to->major = max(to->major, part->major);
	to->minor = max(to->minor, part->minor);
	to->ended &= part->ended;
	to->named &= part->named;
	to->nr_records += part->nr_records;
	to->deflated_bytes += part->deflated_bytes;
	to->raw_bytes += part->raw_bytes;
	to->nr_unknown += part->nr_unknown;
	to->nr_damaged += part->nr_damaged;
	to->damaged_bytes += part->damaged_bytes;
	to->lost_counts += part->lost_counts;
	add_tables(to, part);
	vec_for_each (&part->slices, slice) {
		struct recording_slice *added = vec_add(&to->slices);

		*added = *slice;
		added->begin += after;
		added->end += after;
		added->offset += at;
	}
}

/* What of the range is in a part that begins so long after the first one. */
static struct recording_range range_in(const struct recording_range *range, u64 after)
{
	return (struct recording_range){
		.from = range->from - min(range->from, after),
		.to = range->to - min(range->to, after),
	};
}

/* One that cannot be read is damage; one that does not fit is an error. */
static int join_part(int fd, const struct part *part, const struct recording_range *range,
		     u64 after, struct joined *joined, struct recording *facts, struct error *error)
{
	struct recording own = {};
	struct profile read;
	struct error why;
	int err = 0;

	profile_init(&read);
	if (read_part(fd, part, range, &read, &own, &why)) {
		note_damage(facts, part->at, part->size, why.text);
		facts->ended = facts->named = false;
	} else {
		if (read.begin < read.end)
			err = joined_add(joined, &read, error);
		add_facts(facts, &own, part->at, after);
	}
	profile_release(&read);
	recording_release(&own);
	return err;
}

static int read_parts(int fd, const struct parts *parts, const struct recording_range *range,
		      struct profile *p, struct recording *facts, struct error *error)
{
	struct joined joined = {.p = p};
	u64 begin = begin_of(fd, &parts->at[0]), next = begin;
	int err = 0;

	facts->ended = facts->named = true;
	for (size_t i = 0; i < parts->nr && !err; i++) {
		u64 after = next - min(next, begin);
		struct recording_range own;

		next = i + 1 < parts->nr ? begin_of(fd, &parts->at[i + 1]) : UINT64_MAX;
		if (range && (range->to <= after || range->from >= next - min(next, begin)))
			continue;
		if (range)
			own = range_in(range, after);
		err = join_part(fd, &parts->at[i], range ? &own : NULL, after, &joined, facts,
				error);
	}
	joined_release(&joined);
	return err;
}

/* Where the parts of a file are: 0, or why that cannot be told. */
static int open_file(int fd, struct source *s, struct parts *parts, struct recording *facts,
		     struct error *error)
{
	off_t end = lseek(fd, 0, SEEK_END);

	*facts = (struct recording){};
	if (end < 0)
		return fail(error, -errno, "%s", strerror(errno));
	*s = recording_source(fd, 0, (u64)end);
	find_parts(s, parts);
	return 0;
}

int recording_read(int fd, const struct recording_range *range, struct profile *p,
		   struct recording *facts, struct error *error)
{
	_cleanup_(source_release) struct source s = {};
	struct parts parts = {};
	int err = open_file(fd, &s, &parts, facts, error);

	if (!err && parts.nr > 1) {
		*facts = (struct recording){.size = s.size, .nr_parts = parts.nr};
		err = read_parts(fd, &parts, range, p, facts, error);
	} else if (!err) {
		err = read_source(&s, range, NULL, p, facts, error);
	}
	vec_release(&parts);
	return err;
}

int recording_read_slices(int fd, const struct recording_listener *listener, struct profile *p,
			  struct recording *facts, struct error *error)
{
	_cleanup_(source_release) struct source s = {};
	struct parts parts = {};
	int err = open_file(fd, &s, &parts, facts, error);

	if (!err && parts.nr > 1)
		err = fail(error, -ENOTSUP,
			   "it is a long run's, of %zu parts, and only recordings of one part are "
			   "merged",
			   parts.nr);
	else if (!err)
		err = read_source(&s, NULL, listener, p, facts, error);
	vec_release(&parts);
	return err;
}
