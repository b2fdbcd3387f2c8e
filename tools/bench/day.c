// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * day.c: `day IN.wick OUT.wick HOURS`: records as many hours, in which the seconds of a recording
 * come again and again: its blocks each in its own second, its samples in about as many seconds as
 * they were seen in. Prints for each hour what is resident in memory and in the file, in bytes.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/numbers.h"
#include "recording.h"

enum { SECONDS_A_SAMPLE = 3, SECONDS_AN_HOUR = 3600 };

struct day {
	struct profile p;
	struct recording read;
	VEC(struct block) blocks;
	VEC(struct sample) samples;
	struct recording_writer *writer;
	struct strbuf bytes;
	u64 size, seconds; /* written; those that come again */
	int out;
};

static void die(const char *what)
{
	fprintf(stderr, "day: %s\n", what);
	exit(1);
}

static u64 resident(void)
{
	unsigned long all, here;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%lu %lu", &all, &here) != 2)
		die("cannot read /proc/self/statm");
	fclose(file);
	return (u64)here * (u64)sysconf(_SC_PAGESIZE);
}

/* What is in the recording is kept apart; its dictionaries stay in the profile. */
static void open_day(struct day *day, const char *from, const char *to)
{
	_cleanup_close_ int fd = open(from, O_RDONLY | O_CLOEXEC);
	struct error error = {};
	struct profile *p = &day->p;

	profile_init(p);
	if (fd < 0 || recording_read(fd, NULL, p, &day->read, &error))
		die(error.text[0] ? error.text : "cannot open the recording");
	for (u32 i = 0; i < p->samples.nr; i++) {
		*vec_add(&day->samples) = p->samples.at[i];
		memset(p->samples.at[i].column, 0, sizeof(p->samples.at[i].column));
		profile_index_sample(p, i);
	}
	vec_for_each (&p->blocks, block)
		*vec_add(&day->blocks) = *block;
	day->seconds = max((p->end - p->begin) / NSEC_PER_SEC, (u64)1);
	p->blocks.nr = p->threads.nr = 0;
	p->slice.wanted = true;
	day->writer = recording_writer_new();
	recording_put_header(&day->bytes);
	day->out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (day->out < 0)
		die("cannot write there");
}

static void write_out(struct day *day)
{
	if (write_whole(day->out, day->bytes.s, day->bytes.size))
		die("cannot write");
	day->size += day->bytes.size;
	strbuf_clear(&day->bytes);
}

static void count_second(struct day *day, u64 second)
{
	for (size_t i = 0; i < day->samples.nr; i++) {
		struct sample sample = day->samples.at[i];

		if ((second + i) % day->seconds >= SECONDS_A_SAMPLE)
			continue;
		for (size_t k = 0; k < MAX_COLUMNS; k++)
			sample.column[k] = (sample.column[k] + second % 7) / SECONDS_A_SAMPLE;
		profile_count(&day->p, &sample);
	}
}

static void block_second(struct day *day, u64 second)
{
	u64 begin = day->p.begin, shift = (second - second % day->seconds) * NSEC_PER_SEC;

	vec_for_each (&day->blocks, block) {
		struct block moved = *block;

		if ((block->begin - min(begin, block->begin)) / NSEC_PER_SEC % day->seconds !=
		    second % day->seconds)
			continue;
		moved.begin += shift;
		moved.woken += shift;
		moved.end += shift;
		moved.ran += shift / day->seconds;
		profile_block(&day->p, &moved);
	}
}

int main(int argc, char **argv)
{
	static struct day day;
	u64 hours = argc == 4 ? (u64)atoi(argv[3]) : 0;

	if (!hours)
		die("usage: day IN.wick OUT.wick HOURS");
	open_day(&day, argv[1], argv[2]);
	for (u64 second = 0; second < hours * SECONDS_AN_HOUR; second++) {
		count_second(&day, second);
		block_second(&day, second);
		recording_put_slice(day.writer, &day.p, day.p.begin + (second + 1) * NSEC_PER_SEC,
				    &day.bytes);
		write_out(&day);
		if ((second + 1) % SECONDS_AN_HOUR)
			continue;
		printf("%llu %llu\n", (unsigned long long)resident(), (unsigned long long)day.size);
		fflush(stdout);
	}
	day.p.end = day.p.begin + hours * SECONDS_AN_HOUR * NSEC_PER_SEC;
	recording_put_names(day.writer, &day.p, &day.bytes);
	recording_put_end(day.writer, &day.p, &day.bytes);
	write_out(&day);
	return 0;
}
