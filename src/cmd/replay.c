/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/numbers.h"
#include "cmd.h"
#include "draw.h"
#include "leg_filter.h"
#include "rights.h"

/* ---- the file */

static int open_recording(const char *path, struct error *error)
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

static void say_what_is_lost(const char *path, const struct recording *r)
{
	struct error text;

	if (r->nr_damaged) {
		fail(&text, 0,
		     "%s: %llu pieces are damaged, %llu bytes, the first at byte %llu: %s. What was "
		     "in them is not in the pictures.",
		     path, (unsigned long long)r->nr_damaged, (unsigned long long)r->damaged_bytes,
		     (unsigned long long)r->first_damaged, r->damage);
		print_error(&text);
	}
	if (r->nr_unknown) {
		fail(&text, 0,
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
	fail(&text, 0,
	     "%s: its run was killed: it ends after %s, %sand what is counted at the end (losses, "
	     "the account of threads) is not in it",
	     path, length.s, r->named ? "" : "its frames have no names, ");
	print_error(&text);
}

int replay_read(const char *path, const struct recording_range *range, struct profile *p,
		struct recording *r, struct error *error)
{
	_cleanup_close_ int fd = open_recording(path, error);
	struct error why;
	int err;

	if (fd < 0)
		return fd;
	err = recording_read(fd, range, p, r, &why);
	if (err)
		return fail(error, err, "cannot read %s: %s", path, why.text);
	say_what_is_lost(path, r);
	say_what_is_missing(path, r, p);
	return 0;
}

/* ---- the part of it */

/* "14:05", "14:05:30.5": seconds of the day; false: it is none. */
static bool parse_time_of_day(const char *text, double *seconds)
{
	unsigned int hours, minutes;
	double rest = 0;
	int end = 0;

	if (sscanf(text, "%2u:%2u%n", &hours, &minutes, &end) != 2 || hours > 23 || minutes > 59)
		return false;
	text += end;
	if (*text == ':' && sscanf(text, ":%lf%n", &rest, &end) == 1)
		text += end;
	*seconds = hours * 3600.0 + minutes * 60.0 + rest;
	return !*text && rest >= 0 && rest < 61;
}

/* Seconds from the recording's begin to that time of day, the first one after it. */
static double after_start(u64 wall_start_ns, double time_of_day)
{
	time_t start = (time_t)(wall_start_ns / NSEC_PER_SEC);
	double fraction = (double)(wall_start_ns % NSEC_PER_SEC) / 1e9, after;
	struct tm local = {};

	localtime_r(&start, &local);
	after = time_of_day -
		(local.tm_hour * 3600.0 + local.tm_min * 60.0 + local.tm_sec + fraction);
	return after < 0 ? after + 24 * 3600.0 : after;
}

/* Nanoseconds after the recording's begin. */
static int parse_end(const char *which, const char *text, u64 wall_start_ns, u64 *ns,
		     struct error *error)
{
	double seconds, time_of_day;
	char *end;

	if (!text)
		return 0;
	seconds = strtod(text, &end);
	if (parse_time_of_day(text, &time_of_day))
		seconds = after_start(wall_start_ns, time_of_day);
	else if (end == text || *end || !(seconds >= 0 && seconds < 1e9))
		return fail(
			error, -EINVAL,
			"bad %s of a part: '%s'; it takes seconds after the recording's begin, or "
			"a time of day, 14:05:30",
			which, text);
	*ns = (u64)(seconds * 1e9 + 0.5);
	return 0;
}

/* When the recording began has to be known for a time of day: it is read twice. */
static int parse_range(const char *path, const char *from, const char *to,
		       struct recording_range *range, struct error *error)
{
	struct recording r = {};
	struct profile p;
	int err;

	profile_init(&p);
	err = replay_read(path, NULL, &p, &r, error);
	*range = (struct recording_range){.to = UINT64_MAX};
	if (!err)
		err = parse_end("begin", from, p.wall_start_ns, &range->from, error);
	if (!err)
		err = parse_end("end", to, p.wall_start_ns, &range->to, error);
	if (!err && (range->from >= range->to || range->from >= p.end - p.begin))
		err = fail(error, -EINVAL,
			   "nothing is between begin and end of the part: %s has %.3f s", path,
			   (double)(p.end - p.begin) / 1e9);
	recording_release(&r);
	profile_release(&p);
	return err;
}

int replay_read_part(const char *path, const char *from, const char *to, struct profile *p,
		     struct recording *r, struct error *error)
{
	struct recording_range range;
	int err = from || to ? parse_range(path, from, to, &range, error) : 0;

	return err ? err : replay_read(path, from || to ? &range : NULL, p, r, error);
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

int replay(struct run_options *o)
{
	struct error error;
	struct profile p;
	int status = 1;

	profile_init(&p);
	if (replay_into(o, &p, &error))
		print_error(&error);
	else
		status = draw(&(struct drawn_run){.o = o, .p = &p});
	profile_release(&p);
	return status;
}
