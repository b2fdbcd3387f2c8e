/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder.h"

#include <fcntl.h>

#include "base/numbers.h"
#include "cmd.h"
#include "draw.h"
#include "output.h"
#include "recording.h"

struct recorder {
	const struct run_options *o;
	const struct relay *relay;
	struct recording_writer *writer;
	struct strbuf bytes; /* of a slice */
	struct output out;
	char *directory, *path;
	u64 size;    /* of what is written */
	u64 largest; /* of the slices but the first */
	bool is_open, failed;
	bool waits; /* for the runner before it, which writes to the file */
};

struct recorder *recorder_new(const struct run_options *o, const struct relay *relay,
			      struct profile *p)
{
	struct recorder *r;

	if (!o->recording && !o->drawing.directory)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->o = o;
	r->relay = relay;
	r->out = OUTPUT_CLOSED;
	p->slice.wanted = true;
	return r;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	recording_writer_free(r->writer);
	strbuf_release(&r->bytes);
	output_release(&r->out);
	free(r->directory);
	free(r->path);
	free(r);
}

static int make_path(struct recorder *r, const struct profile *p, struct error *error)
{
	if (r->o->drawing.directory && r->o->look.outputs.nr) {
		r->directory = make_directory(r->o, p, error);
		if (!r->directory)
			return -EIO;
	}
	r->path = r->o->recording ? xstrdup(r->o->recording)
				  : format("%s/recording" RECORDING_SUFFIX, r->directory);
	return 0;
}

static void fail_recording(struct recorder *r, struct profile *p, u64 until,
			   const struct error *error)
{
	_cleanup_strbuf_ struct strbuf length = {};
	struct error whole;

	r->failed = true;
	profile_end_recording(p);
	strbuf_add_time(&length, until - min(until, p->begin));
	fail(&whole, -EIO, "%s\nThe recording ends here, after %s; the run goes on.", error->text,
	     length.s);
	print_error(&whole);
}

/* What is to be written would make the file larger than it may be. */
static bool is_too_large(const struct recorder *r)
{
	return r->o->max_size && r->size + r->bytes.size > r->o->max_size;
}

/* Whether the runner before it has ended: its file goes on here. */
static bool may_write(struct recorder *r, bool wait)
{
	off_t end;

	if (!r->waits)
		return true;
	if (!relay_lock(r->out.fd, wait))
		return false;
	end = lseek(r->out.fd, 0, SEEK_END);
	r->size = end < 0 ? 0 : (u64)end;
	r->waits = false;
	return true;
}

/* What fits is of no use if a record is not whole. */
static int write_bytes(struct recorder *r, struct error *error)
{
	int err = is_too_large(r) ? -EFBIG : write_whole(r->out.fd, r->bytes.s, r->bytes.size);

	if (err == -EFBIG && is_too_large(r))
		return fail(error, err, "cannot write %s: it would be larger than --max-size",
			    r->path);
	if (err && r->size && ftruncate(r->out.fd, (off_t)r->size))
		r->size = 0;
	if (err)
		return fail(error, err, "cannot write %s: %s", r->path, strerror(-err));
	/* On its way to the disk, which is not waited for. */
	sync_file_range(r->out.fd, (off_t)r->size, (off_t)r->bytes.size, SYNC_FILE_RANGE_WRITE);
	r->size += r->bytes.size;
	strbuf_clear(&r->bytes);
	return 0;
}

/* What another runner has begun. */
static int go_on(struct recorder *r, struct error *error)
{
	int fd = relay_open(r->relay, r->path, error);

	if (fd < 0)
		return fd;
	r->out.fd = fd;
	r->waits = true;
	return 0;
}

static int open_recording(struct recorder *r, const struct profile *p, struct error *error)
{
	int err = make_path(r, p, error);

	if (!err && relay_follows(r->relay))
		err = go_on(r, error);
	else if (!err)
		err = output_open(&r->out, r->path, OUTPUT_REPLACE, error);
	if (err)
		return err;
	r->is_open = true;
	r->writer = recording_writer_new();
	recording_put_header(&r->bytes);
	return 0;
}

void recorder_add_slice(struct recorder *r, struct profile *p, u64 until)
{
	struct error error;
	bool is_first = r && !r->is_open;
	int err = 0;

	if (!r || r->failed)
		return;
	if (is_first)
		err = open_recording(r, p, &error);
	if (!err) {
		recording_put_slice(r->writer, p, until, &r->bytes);
		r->largest = is_first ? 0 : max(r->largest, (u64)r->bytes.size);
		if (may_write(r, false))
			err = write_bytes(r, &error);
	}
	if (!err && is_first && !relay_follows(r->relay))
		err = output_appear(&r->out, &error);
	if (err)
		fail_recording(r, p, until, &error);
}

/*
 * A generous guess at the records of names and of the end: eight bytes for a frame, and thirty for
 * a thread were measured.
 */
static u64 size_of_end(const struct profile *p)
{
	return 8192 + 16 * p->frames.nr + 40 * p->legs.nr;
}

bool recorder_is_full(struct recorder *r, const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf length = {};
	struct error text;

	if (!r || !r->o->max_size || !r->is_open || r->failed)
		return false;
	if (r->size + 2 * r->largest + size_of_end(p) <= r->o->max_size)
		return false;
	strbuf_add_time(&length, p->counted_until - min(p->counted_until, p->begin));
	fail(&text, -EFBIG,
	     "%s has reached its --max-size: the run ends here, after %s, so that names and the end "
	     "find room",
	     r->path, length.s);
	print_error(&text);
	return true;
}

int recorder_finish(struct recorder *r, struct profile *p)
{
	struct error error;
	int err = 0;

	if (!r || r->failed || !r->is_open)
		return r && r->failed;
	recording_put_names(r->writer, p, &r->bytes);
	recording_put_end(r->writer, p, &r->bytes);
	may_write(r, true);
	err = write_bytes(r, &error);
	if (!err && !relay_follows(r->relay))
		err = output_commit(&r->out, &error);
	if (err)
		fail_recording(r, p, p->end, &error);
	return err != 0;
}

int recorder_file(const struct recorder *r)
{
	return r && r->is_open ? r->out.fd : -1;
}

const char *recorder_path(const struct recorder *r)
{
	return r && r->size ? r->path : NULL;
}

const char *recorder_directory(const struct recorder *r)
{
	return r ? r->directory : NULL;
}
