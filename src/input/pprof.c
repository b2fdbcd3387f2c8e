/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof.c: a profile of pprof becomes a call tree.
 *
 *	sample --> locations, leaf first --> lines, innermost first --> function --> name
 *
 * A location's first lines were inlined into its last one. The frames of each location are made
 * once. A sample that refers to what is not there is left out.
 */
#include "input.h"
#include "modules.h"
#include "pprof_tables.h"
#include "pprof_types.h"
#include "base/strbuf.h"

enum { MAX_KNOWN_FIELD = 14, FIRST_CONTROL_CHARACTERS = 9 };

/* A sample of six bytes may refer to all lines of a location. */
enum { MAX_LINES_OF_LOCATION = 256 };

/* Of a location, in reader.frames, leaf first. */
struct run {
	u32 first, nr;
};

struct numbers {
	VEC_FIELDS(u64);
};

struct reader {
	struct input *in;
	struct pprof_tables tables;
	struct pprof_choice choice;
	VEC(struct run) runs; /* by location */
	VEC(struct tree_frame) frames;
	u64 number; /* of the sample */
	struct numbers locations, values;
	struct string group, comm;    /* what its labels say; "": nothing */
	char digits[MAX_DIGITS];      /* `group`, where it is a number */
	VEC(struct tree_frame) stack; /* root first */
};

static void reader_release(struct reader *r)
{
	pprof_tables_release(&r->tables);
	vec_release(&r->runs);
	vec_release(&r->frames);
	vec_release(&r->locations);
	vec_release(&r->values);
	vec_release(&r->stack);
}

/* ---- frames */

/* A function's frame, by its name; without one, by its module. */
static struct tree_frame frame_of(struct reader *r, struct string name, struct string base,
				  enum frame_kind kind)
{
	struct tree_frame frame;

	if (!name.size)
		return module_note(base, r->in->names);
	frame = input_frame(r->in, name.s, name.size, kind);
	if (module_is_known(base) && frame.kind != FRAME_NOTE)
		frame.module = strings_add(r->in->names, base.s, base.size);
	return frame;
}

static u64 function_of(struct string line)
{
	struct pb_message m = pb_message(line);
	struct pb_field field;
	u64 id = 0;

	while (pb_next(&m, &field))
		if (field.number == 1 && field.type == PB_VARINT)
			id = field.value;
	return id;
}

static struct string module_of(const struct reader *r, const struct pprof_row *location)
{
	const struct pprof_row *mapping = pprof_row(&r->tables.mappings, location->mapping);

	return mapping ? module_base(pprof_string(&r->tables, mapping->text))
		       : (struct string){"", 0};
}

static struct string name_of(const struct reader *r, u64 function)
{
	const struct pprof_row *row = pprof_row(&r->tables.functions, function);

	return row ? pprof_string(&r->tables, row->text) : (struct string){"", 0};
}

/* All lines but the last were inlined. */
static void add_lines(struct reader *r, const struct pprof_row *location)
{
	struct pb_message m = pb_message(location->body);
	struct string base = module_of(r, location);
	enum frame_kind kind = module_kind(base, location->address);
	size_t first = r->frames.nr;
	struct pb_field field;

	while (pb_next(&m, &field)) {
		if (field.number != 4 || field.type != PB_BYTES)
			continue;
		if (r->frames.nr > first && r->frames.at[r->frames.nr - 1].kind == kind)
			r->frames.at[r->frames.nr - 1].kind = FRAME_INLINED;
		*vec_add(&r->frames) =
			frame_of(r, name_of(r, function_of(field.bytes)), base, kind);
	}
	if (r->frames.nr == first)
		*vec_add(&r->frames) = module_note(base, r->in->names);
}

static int make_frames(struct reader *r)
{
	vec_for_each (&r->tables.locations, location) {
		size_t first = r->frames.nr;

		add_lines(r, location);
		*vec_add(&r->runs) = (struct run){(u32)first, (u32)(r->frames.nr - first)};
		if (r->frames.nr > STACK_FILE_MAX_ROWS)
			return fail(r->in->error, -EINVAL, "%s has more than %d lines",
				    r->in->lines->name, STACK_FILE_MAX_ROWS);
		if (r->frames.nr - first > MAX_LINES_OF_LOCATION)
			return fail(r->in->error, -EINVAL, "%s: a location has more than %d lines",
				    r->in->lines->name, MAX_LINES_OF_LOCATION);
	}
	return 0;
}

/* ---- samples */

static bool leave_out(struct reader *r, const char *why)
{
	input_leave_out(r->in, "sample", r->number, why);
	return false;
}

/* Integers are packed, or one a field. */
static bool take_integers(const struct pb_field *field, struct numbers *numbers)
{
	struct pb_message m = pb_message(field->bytes);
	u64 value;

	if (field->type == PB_VARINT)
		*vec_add(numbers) = field->value;
	else if (field->type != PB_BYTES)
		return false;
	while (m.at < m.end && numbers->nr <= STACK_FILE_MAX_FRAMES && pb_take_varint(&m, &value))
		*vec_add(numbers) = value;
	return !m.bad && numbers->nr <= STACK_FILE_MAX_FRAMES;
}

static void set_group(struct reader *r, struct string text, u64 number)
{
	r->group = text;
	if (!text.size)
		r->group = (struct string){r->digits,
					   (size_t)(put_digits(r->digits, number) - r->digits)};
}

static bool take_label(struct reader *r, struct string body)
{
	struct pb_message m = pb_message(body);
	struct string key = {"", 0}, text = {"", 0};
	struct pb_field field;
	u64 number = 0;

	while (pb_next(&m, &field)) {
		if (field.number == 1)
			key = pprof_string(&r->tables, field.value);
		if (field.number == 2)
			text = pprof_string(&r->tables, field.value);
		if (field.number == 3)
			number = field.value;
	}
	if (string_is(key, "comm"))
		r->comm = text;
	if (r->in->options->group && string_is(key, r->in->options->group))
		set_group(r, text, number);
	return !m.bad;
}

static bool take_sample(struct reader *r, struct string body)
{
	struct pb_message m = pb_message(body);
	struct pb_field field;
	bool good = true;

	r->locations.nr = r->values.nr = 0;
	r->group = r->comm = (struct string){"", 0};
	while (good && pb_next(&m, &field)) {
		if (field.number == 1)
			good = take_integers(&field, &r->locations);
		if (field.number == 2)
			good = take_integers(&field, &r->values);
		if (field.number == 3 && field.type == PB_BYTES)
			good = take_label(r, field.bytes);
	}
	return (good && !m.bad) || leave_out(r, "it is damaged, or has more than 65536 frames");
}

/* wick's own profiles have the thread's name as a frame, which has no place. */
static void mark_group(struct reader *r, const struct pprof_row *location)
{
	struct tree_frame *root = &r->stack.at[r->stack.nr - 1];
	struct string name = strings_get(r->in->names, root->name);

	if (!location->mapping && !location->address && r->comm.size && name.size == r->comm.size &&
	    !memcmp(name.s, r->comm.s, name.size))
		root->kind = FRAME_GROUP;
}

static bool add_location(struct reader *r, u64 id, bool is_root)
{
	const struct pprof_row *location = pprof_row(&r->tables.locations, id);
	const struct run *run;

	if (!location)
		return leave_out(r, "one of its locations is not there");
	run = &r->runs.at[location - r->tables.locations.at];
	if (r->stack.nr + run->nr > STACK_FILE_MAX_FRAMES)
		return leave_out(r, "the stack has more than 65536 frames");
	for (u32 i = run->nr; i-- > 0;) {
		*vec_add(&r->stack) = r->frames.at[run->first + i];
		if (is_root && i == run->nr - 1)
			mark_group(r, location);
	}
	return true;
}

static void add_group(struct reader *r)
{
	const char *wanted = r->in->options->group;

	if (!wanted || !strcmp(wanted, "none"))
		return;
	*vec_add(&r->stack) =
		r->group.size ? (struct tree_frame){.name = strings_add(r->in->names, r->group.s,
									r->group.size),
						    .kind = FRAME_GROUP}
			      : module_note(r->group, r->in->names);
}

/* Values are of 64 bits, with a sign: profiles may be differences. */
static int add_value(struct reader *r)
{
	u64 value = r->values.at[r->choice.type];

	if (value > INT64_MAX) {
		leave_out(r, "its value is negative, as in a difference of profiles");
		return 0;
	}
	if (__builtin_mul_overflow(value, r->choice.scale, &value))
		return input_refuse(r->in, "a time in it is 2^64 nanoseconds or more");
	return value ? input_add(r->in, r->stack.at, r->stack.nr, value) : 0;
}

static int add_sample(struct reader *r, struct string body)
{
	r->number++;
	if (!take_sample(r, body))
		return 0;
	if (r->values.nr != r->tables.types.nr) {
		leave_out(r, "it has more or fewer values than the profile has types");
		return 0;
	}
	r->stack.nr = 0;
	add_group(r);
	for (size_t i = r->locations.nr; i-- > 0;)
		if (!add_location(r, r->locations.at[i], i == r->locations.nr - 1))
			return 0;
	return add_value(r);
}

static int read_samples(struct reader *r, struct string profile)
{
	struct pb_message m = pb_message(profile);
	struct pb_field field;
	int err = 0;

	while (!err && pb_next(&m, &field))
		if (field.number == PPROF_SAMPLE && field.type == PB_BYTES)
			err = add_sample(r, field.bytes);
	return err;
}

static int read_profile(struct reader *r)
{
	struct input *in = r->in;
	struct string profile;
	int err = lines_all(in->lines, STACK_FILE_MAX_PROFILE, &profile, in->error);

	if (!err)
		err = pprof_tables_read(&r->tables, profile, in->lines->name, in->error);
	if (!err)
		err = pprof_choose(&r->tables, in, &r->choice);
	if (!err)
		err = input_begin(in, in->options->view, r->choice.unit);
	if (!err)
		err = make_frames(r);
	return err ? err : read_samples(r, profile);
}

int pprof_read(struct input *in)
{
	_cleanup_(reader_release) struct reader r = {.in = in};

	if (in->options->columns == 2)
		return input_refuse(
			in, "--columns 2 is for folded text, and this is a profile of pprof");
	if (in->options->event)
		return input_refuse(
			in,
			"--event is for perf script's text, and this is a profile of pprof: say --metric");
	if (input_take_columns(in, 1))
		return -EINVAL;
	return read_profile(&r);
}

/* ---- */

/* Every profile has its first string, which is empty; no text has such bytes. */
static bool has_control_characters(struct string s)
{
	for (size_t i = 0; i < s.size; i++)
		if ((unsigned char)s.s[i] < FIRST_CONTROL_CHARACTERS)
			return true;
	return false;
}

/* The fields that a profile has; the last one may be longer than what is seen of it. */
bool pprof_is(struct string beginning)
{
	struct pb_message m = pb_message(beginning);
	struct pb_field field;
	size_t nr = 0;

	while (pb_next(&m, &field)) {
		if (field.number > MAX_KNOWN_FIELD ||
		    (field.type != PB_VARINT && field.type != PB_BYTES))
			return false;
		nr++;
	}
	return nr && has_control_characters(beginning);
}
