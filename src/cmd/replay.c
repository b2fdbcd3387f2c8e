/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/numbers.h"
#include "cmd.h"
#include "draw.h"
#include "leg_filter.h"
#include "rights.h"
#include "stack_input.h"
#include "stack_replay.h"
#include "window_time.h"

/* ---- the file */

int replay_open(const char *path, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	/* A FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		return fail(error, -EINVAL, "cannot read %s: it is no file", path);
	}
	return fd >= 0 ? fd : fail(error, -errno, "cannot read %s: %s", path, strerror(errno));
}

bool replay_is_recording(const char *path)
{
	struct stat st;
	/* A pipe that is opened twice would lose its writer. */
	_cleanup_close_ int fd = is_standard(path) || stat(path, &st) || !S_ISREG(st.st_mode)
					 ? -1
					 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && recording_is(fd);
}

static void say_what_is_lost(const char *path, const struct recording *r)
{
	struct error text;

	if (r->nr_damaged) {
		fail(&text, -ENODATA,
		     "%s: %llu pieces are damaged, %llu bytes, the first at byte %llu: %s. What was "
		     "in them is not in the pictures.",
		     path, (unsigned long long)r->nr_damaged, (unsigned long long)r->damaged_bytes,
		     (unsigned long long)r->first_damaged, r->damage);
		print_error(&text);
	}
	if (r->nr_unknown) {
		fail(&text, -ENODATA,
		     "%s: it is of version %u.%u of the format; %llu things in it are not known to "
		     "this wick and passed over",
		     path, r->major, r->minor, (unsigned long long)r->nr_unknown);
		print_error(&text);
	}
}

/* The run was killed, or its last records are not there. */
static void say_what_is_missing(const char *path, const struct recording *r,
				const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf length = {};
	struct error text;

	if (r->ended)
		return;
	strbuf_add_time(&length, p->end - p->begin);
	fail(&text, -ENODATA,
	     "%s: its run was killed: it ends after %s, and what is counted at the end (losses, the "
	     "account of threads) is not in it%s%s%s",
	     path, length.s, r->named ? "" : "; its frames have no names: `wick resolve ",
	     r->named ? "" : path,
	     r->named ? "" : "` gives them, the kernel's until that host is booted again");
	print_error(&text);
}

void replay_say_lacks(const char *path, const struct recording *r, const struct profile *p)
{
	say_what_is_lost(path, r);
	say_what_is_missing(path, r, p);
}

static int read_silently(const char *path, const struct recording_range *range, struct profile *p,
			 struct recording *r, struct error *error)
{
	_cleanup_close_ int fd = replay_open(path, error);
	struct error why;
	int err;

	if (fd < 0)
		return fd;
	err = recording_read(fd, range, p, r, &why);
	return err ? fail(error, err, "cannot read %s: %s", path, why.text) : 0;
}

int replay_read(const char *path, const struct recording_range *range, struct profile *p,
		struct recording *r, struct error *error)
{
	int err = read_silently(path, range, p, r, error);

	if (err)
		return err;
	profile_set_apart(p, NULL, NULL);
	replay_say_lacks(path, r, p);
	return 0;
}

/* ---- the part of it */

/*
 * When the recording began, by its clock on the wall: the file is read for that, and says what it
 * lacks when it is read again.
 */
static int read_start(const char *path, u64 *wall_start_ns, struct error *error)
{
	struct recording r = {};
	struct profile p;
	int err;

	profile_init(&p);
	err = read_silently(path, NULL, &p, &r, error);
	*wall_start_ns = p.wall_start_ns;
	recording_release(&r);
	profile_release(&p);
	return err;
}

static bool has_time_of_day(const char *from, const char *to)
{
	return (from && strchr(from, ':')) || (to && strchr(to, ':'));
}

static int parse_range(const char *path, const char *from, const char *to,
		       struct recording_range *range, struct error *error)
{
	u64 wall_start_ns = 0;
	int err = has_time_of_day(from, to) ? read_start(path, &wall_start_ns, error) : 0;

	*range = (struct recording_range){.to = UINT64_MAX};
	if (!err && from)
		err = time_in_window("begin of a part", from, wall_start_ns, &range->from, error);
	if (!err && to)
		err = time_in_window("end of a part", to, wall_start_ns, &range->to, error);
	return err;
}

int replay_read_part(const char *path, const char *from, const char *to, struct profile *p,
		     struct recording *r, struct error *error)
{
	struct recording_range range;
	u64 length;
	int err;

	if (!from && !to)
		return replay_read(path, NULL, p, r, error);
	err = parse_range(path, from, to, &range, error);
	if (!err)
		err = replay_read(path, &range, p, r, error);
	if (err || (range.from < range.to && p->begin < p->end))
		return err;
	length = r->slices.nr ? r->slices.at[r->slices.nr - 1].end : 0;
	return fail(error, -EINVAL, "nothing is between begin and end of the part: %s has %.3f s",
		    path, (double)length / 1e9);
}

/* ---- what can be drawn of it */

const char *replay_lacks(const struct profile *p, const struct view *view)
{
	u32 lacks = view->needs & ~p->needs;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (lacks & 1u << kind)
			return instruments[kind].name;
	if (lacks & NEED_THREADS)
		return "look at threads";
	if (lacks & NEED_WAKERS)
		return "wakers";
	return lacks & NEED_CHAINS ? "chains of wakers" : NULL;
}

/* Leaves the views that the recording has something of. */
static int keep_drawable(struct run_options *o, const struct profile *p, struct error *error)
{
	struct drawing *drawing = &o->drawing;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < drawing->nr_views; i++) {
		const struct view *view = drawing->views[i];
		const char *lacks = replay_lacks(p, view);

		if (lacks)
			err = fail(error, -ENODATA,
				   "cannot draw %s: %s has no %s. Record it with `wick record`, or "
				   "`wick %s -o FILE" RECORDING_SUFFIX "`.",
				   view->name, o->input, lacks, view->name);
		else
			drawing->views[nr++] = view;
	}
	drawing->nr_views = nr;
	run_options_set_needs(o);
	return nr ? 0 : err;
}

/* ---- all of it */

static int replay_into(struct run_options *o, struct profile *p, struct error *error)
{
	struct recording r = {};
	int err = replay_read_part(o->input, o->from, o->to, p, &r, error);

	recording_release(&r);
	if (!err)
		err = keep_drawable(o, p, error);
	if (!err)
		err = filter_legs(o, p, error);
	return err ? err : check_outputs(o, error);
}

static int replay_recording(struct run_options *o, struct profile *p)
{
	struct error error;

	if (!replay_into(o, p, &error))
		return draw(&(struct drawn_run){.o = o, .p = p});
	/* A recording whose first bytes are damaged is read; what is none may be stacks. */
	if (!replay_is_recording(o->input))
		return stack_replay(o);
	print_error(&error);
	return 1;
}

int replay(struct run_options *o)
{
	struct profile p;
	int status;

	if (is_standard(o->input))
		return stack_replay(o);
	profile_init(&p);
	status = replay_recording(o, &p);
	profile_release(&p);
	return status;
}
