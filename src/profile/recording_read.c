/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_read.c: a recording from its file. Records are read one after the other; what is no
 * record, or has another checksum than it says, is damaged: the next record is where the next mark
 * is, and the search for it reads a bounded number of bytes.
 */
#include "recording_reader.h"

enum {
	BASE_ROOM = 128 << 20, /* bytes of memory for any file ... */
	ROOM_A_BYTE = 256,     /* ... and for each of its bytes */
	SEARCHES = 16,	       /* times the file's size that are read to find the next record */
};

struct source recording_source(int fd, u64 base, u64 size)
{
	return (struct source){
		.fd = fd,
		.base = base,
		.size = size,
		.to_search = size * SEARCHES + RECORD_HEADER_SIZE,
	};
}

void source_release(struct source *s)
{
	strbuf_release(&s->payload);
	strbuf_release(&s->inflated);
}

int is_damaged(struct recording_reader *r, const char *why)
{
	r->damage = why;
	return -EINVAL;
}

bool take_room(struct recording_reader *r, u64 nr, u64 size)
{
	u64 bytes;

	if (__builtin_mul_overflow(nr, size, &bytes) || bytes > r->room)
		return false;
	r->room -= bytes;
	return true;
}

int source_read(const struct source *s, u64 at, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t nr =
			pread(s->fd, (char *)to + done, size - done, (off_t)(s->base + at + done));

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : -ENODATA;
		done += (size_t)nr;
	}
	return 0;
}

/* ---- records */

int find_record(struct source *s, struct record_header *header)
{
	u8 bytes[RECORD_HEADER_SIZE];
	_cleanup_free_ u8 *payload = NULL;
	int err;

	if (s->size - s->at < sizeof(bytes))
		return -EBADMSG;
	err = source_read(s, s->at, bytes, sizeof(bytes));
	if (err)
		return err == -ENODATA ? -EBADMSG : err;
	if (!parse_record_header(bytes, header) || header->size > s->size - s->at - sizeof(bytes))
		return -EBADMSG;
	payload = xcalloc(1, (size_t)header->size + 1);
	err = source_read(s, s->at + sizeof(bytes), payload, header->size);
	if (err)
		return err == -ENODATA ? -EBADMSG : err;
	if (record_checksum(bytes, payload, header->size) != header->checksum)
		return -EBADMSG;
	strbuf_clear(&s->payload);
	strbuf_add(&s->payload, payload, header->size);
	return 0;
}

void note_damage(struct recording *facts, u64 at, u64 size, const char *why)
{
	if (!facts->nr_damaged++) {
		facts->first_damaged = at;
		snprintf(facts->damage, sizeof(facts->damage), "%s", why);
	}
	facts->damaged_bytes += size;
}

/* The place of the next mark from s->at on; the file's end where there is none. */
static u64 next_mark(struct source *s)
{
	static const u8 mark[4] = {RECORD_MARK & 0xff, RECORD_MARK >> 8 & 0xff,
				   RECORD_MARK >> 16 & 0xff, RECORD_MARK >> 24};
	u8 bytes[1 << 12];

	while (s->size - s->at >= sizeof(mark)) {
		size_t size = (size_t)min((u64)sizeof(bytes), s->size - s->at);
		const u8 *found;

		if (s->to_search < size || source_read(s, s->at, bytes, size))
			break;
		s->to_search -= size;
		found = memmem(bytes, size, mark, sizeof(mark));
		if (found)
			return s->at + (u64)(found - bytes);
		s->at += size - (sizeof(mark) - 1);
	}
	return s->size;
}

/* Goes on to the next record that is whole. 0, -ENODATA: there is none; or a read's error. */
static int search_record(struct source *s, struct record_header *header)
{
	int err = -EBADMSG;

	while (err == -EBADMSG && s->at < s->size) {
		s->at++;
		s->at = next_mark(s);
		err = find_record(s, header);
		if (err == -EBADMSG && s->to_search < header->size)
			s->at = s->size;
		else if (err == -EBADMSG)
			s->to_search -= header->size;
	}
	return err == -EBADMSG ? -ENODATA : err;
}

static void end_part(struct recording_reader *r, enum record_type type)
{
	struct recording *facts = r->facts;

	r->end = max(r->end, r->part.end);
	if (type == RECORD_SLICE && r->only == READ_EVERYTHING)
		*vec_add(&facts->slices) = r->part;
	if (type == RECORD_SLICE && r->cut)
		cut_slice(r->cut, r->p, &r->part, &r->rows, r->unknown_samples.at);
	if (r->cut)
		cut_log_record(r->cut, r->p);
	facts->named |= type == RECORD_NAMES;
	facts->ended |= type == RECORD_END;
}

/* What a record has counted, of samples that are known. */
static int tell_listener(struct recording_reader *r, enum record_type type)
{
	size_t kept = 0;
	struct recording_piece piece = {.is_slice = type == RECORD_SLICE, .slice = r->part};

	if (!take_room(r, r->rows.counts.nr, 2 * sizeof(*piece.counts)) ||
	    !take_room(r, r->told.nr, 2 * sizeof(*piece.blocks)))
		return is_damaged(r, "more counts than a file of this size has");
	vec_for_each (&r->rows.counts, count)
		if (!r->unknown_samples.at[count->sample])
			r->rows.counts.at[kept++] = *count;
	piece.counts = r->rows.counts.at;
	piece.nr_counts = kept;
	piece.blocks = r->told.at;
	piece.nr_blocks = r->told.nr;
	r->listener->piece(r->listener->ctx, r->p, &piece);
	return 0;
}

int read_payload(struct recording_reader *r, struct source *s, const struct record_header *header)
{
	const struct strbuf *payload = &s->payload;
	int err;

	if (header->type == RECORD_CHAPTER && r->only != READ_CHAPTERS)
		return 0; /* all of it was in slices */
	if (header->type < RECORD_SLICE || header->type > RECORD_INDEX) {
		r->facts->nr_unknown++;
		return 0;
	}
	if (header->deflated) {
		strbuf_clear(&s->inflated);
		err = inflate_payload(payload->s, payload->size, r->room, &s->inflated);
		if (err)
			return is_damaged(r, err == -E2BIG ? "it inflates to too much"
							   : "it cannot be inflated");
		payload = &s->inflated;
	}
	r->facts->raw_bytes += payload->size;
	if (header->type == RECORD_INDEX) {
		err = read_index(r->facts, s->at,
				 (struct cursor){.at = (const u8 *)payload->s,
						 .end = (const u8 *)payload->s + payload->size});
		return err ? is_damaged(r, "an index of offsets that cannot be") : 0;
	}
	r->part = (struct recording_slice){.offset = s->at,
					   .size = RECORD_HEADER_SIZE + header->size};
	r->told.nr = 0;
	err = read_sections(r, (struct cursor){.at = (const u8 *)payload->s,
					       .end = (const u8 *)payload->s + payload->size});
	end_part(r, header->type);
	if (r->listener && tell_listener(r, header->type))
		return -EINVAL;
	return err;
}

static int read_records(struct recording_reader *r, struct source *s)
{
	struct record_header header = {};

	while (s->at < s->size) {
		u64 at = s->at;
		int err = find_record(s, &header);

		if (err == -EBADMSG) {
			err = search_record(s, &header);
			note_damage(r->facts, at, s->at - at,
				    s->at == s->size ? "the last record is cut off, or damaged"
						     : "a record is damaged");
		}
		if (err == -ENODATA)
			break;
		if (err)
			return err;
		r->facts->nr_records++;
		r->facts->deflated_bytes += header.size;
		if (read_payload(r, s, &header))
			note_damage(r->facts, s->at, header.size, r->damage);
		s->at += RECORD_HEADER_SIZE + header.size;
	}
	return 0;
}

/* ---- all of it */

/* A header that is damaged is no reason not to read what follows it. */
static int read_header(struct source *s, struct recording *facts, struct error *error)
{
	u8 bytes[RECORDING_HEADER_SIZE] = {};
	struct record_header header;
	int err = s->size < sizeof(bytes) ? -EINVAL : source_read(s, 0, bytes, sizeof(bytes));

	if (!err)
		err = parse_recording_header(bytes, &facts->major, &facts->minor);
	s->at = min(s->size, (u64)sizeof(bytes));
	if (!err && facts->major < RECORDING_OLDEST)
		return fail(error, -ENOTSUP,
			    "it is of version %u.%u of the format, and this wick reads %u.%u: read "
			    "it with the wick that has written it",
			    facts->major, facts->minor, RECORDING_MAJOR, RECORDING_MINOR);
	if (!err && facts->major > RECORDING_MAJOR)
		return fail(error, -ENOTSUP,
			    "it is of version %u.%u of the format, and this wick reads %u.%u: take "
			    "a newer wick",
			    facts->major, facts->minor, RECORDING_MAJOR, RECORDING_MINOR);
	if (!err)
		return 0;
	if (find_record(s, &header))
		return fail(error, -EINVAL,
			    "it is no recording of wick's; wick flame draws folded text, perf "
			    "script's text and profiles of pprof");
	facts->major = RECORDING_MAJOR;
	note_damage(facts, 0, sizeof(bytes), "the header is damaged");
	return 0;
}

static void set_tables(const struct recording_reader *r)
{
	for (size_t i = 0; i < NR_TABLES; i++)
		if (recorded_tables[i].name)
			r->facts->tables[r->facts->nr_tables++] = (struct recording_table){
				.name = recorded_tables[i].name,
				.rows = r->table_rows[i],
				.bytes = r->table_bytes[i],
			};
}
_Static_assert(NR_TABLES <= (int)MAX_RECORDING_TABLES, "room for all tables");

/* Of a run that was killed: what is shown is the file, as where a file has no symbols. */
static void name_by_files(struct profile *p)
{
	vec_for_each (&p->frames, frame) {
		struct string name;
		_cleanup_free_ char *note = NULL;

		if (frame->space != SPACE_FILE || frame->function)
			continue;
		name = strings_get(&p->names, p->files.at[frame->origin].name);
		if (!name.size)
			continue;
		note = *name.s == '[' ? xstrdup(name.s) : format("[%s]", name.s);
		frame->function =
			profile_function(p, note, strlen(note), name.s, FRAME_NOTE, false);
	}
}

static void reader_init(struct recording_reader *r, struct profile *p, struct recording *facts)
{
	*r = (struct recording_reader){.p = p, .facts = facts};
	*vec_add(&r->strings) = 0;
	vec_add(&r->rows.stack_nodes);
	vec_add(&r->rows.chain_nodes);
	vec_add(&r->rows.stacks);
	vec_add(&r->rows.chains);
	r->room = BASE_ROOM + facts->size * ROOM_A_BYTE;
}

static void reader_release(struct recording_reader *r)
{
	recorded_release(&r->rows);
	logged_times_release(&r->logged);
	counted_waits_release(&r->waits);
	vec_release(&r->strings);
	vec_release(&r->unknown_samples);
	vec_release(&r->told);
}

/* What was read by an index that is of no use is forgotten, and all of the file read. */
static void begin_anew(struct recording_reader *r, struct source *s)
{
	struct recording_cut *cut = r->cut;
	struct profile *p = r->p;
	struct recording *facts = r->facts;
	const u64 from = cut->from, to = cut->to;

	reader_release(r);
	cut_release(cut);
	*cut = (struct recording_cut){.from = from, .to = to};
	vec_release(&facts->slices);
	vec_release(&facts->chapters);
	*facts = (struct recording){
		.major = facts->major, .minor = facts->minor, .size = s->size, .nr_parts = 1};
	profile_release(p);
	profile_init(p);
	reader_init(r, p, facts);
	r->cut = cut;
	s->at = RECORDING_HEADER_SIZE;
}

bool recording_is(int fd)
{
	u8 header[RECORDING_HEADER_SIZE];
	u32 major, minor;

	return pread(fd, header, sizeof(header), 0) == sizeof(header) &&
	       parse_recording_header(header, &major, &minor) != -EINVAL;
}

static int read_records_of(struct source *s, const struct recording_range *range,
			   const struct recording_listener *listener, struct profile *p,
			   struct recording *facts, struct error *error)
{
	_cleanup_(cut_release) struct recording_cut cut = {};
	_cleanup_(reader_release) struct recording_reader r = {};
	int err;

	*facts = (struct recording){.size = s->size, .nr_parts = 1};
	err = read_header(s, facts, error);
	if (err)
		return err;
	reader_init(&r, p, facts);
	r.listener = listener;
	if (range) {
		cut = (struct recording_cut){.from = range->from,
					     .to = max(range->from, range->to)};
		r.cut = &cut;
	}
	if (range && !facts->nr_damaged && seek_slices(&r, s))
		begin_anew(&r, s);
	err = read_records(&r, s);
	if (err)
		return fail(error, err, "%s", strerror(-err));
	if (!facts->nr_records)
		return fail(error, -EINVAL, "it has no whole record: %s",
			    facts->nr_damaged ? facts->damage : "it ends after its header");
	p->end = p->begin + min(r.end, UINT64_MAX - p->begin);
	set_tables(&r);
	facts->nr_strings = r.strings.nr;
	facts->nr_functions = p->functions.nr;
	facts->nr_sources = p->sources.nr;
	if (!facts->named)
		name_by_files(p);
	p->cost.unknown |= !facts->ended;
	if (range)
		cut_finish(&cut, p);
	return 0;
}

int read_source(struct source *s, const struct recording_range *range,
		const struct recording_listener *listener, struct profile *p,
		struct recording *facts, struct error *error)
{
	int err = read_records_of(s, range, listener, p, facts, error);

	source_release(s);
	return err;
}

void recording_release(struct recording *r)
{
	vec_release(&r->slices);
	vec_release(&r->chapters);
}
