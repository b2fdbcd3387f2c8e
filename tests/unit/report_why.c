/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_fixture.h"
#include "why.h"

enum { DEEP = 8, OTHERS = 40 };

static u32 woken_by(struct fixture *f, u32 leg)
{
	u32 hop = profile_hop(&f->p, &(struct hop){.cause = WICK_BY_TASK, .leg = leg});

	return profile_chain(&f->p, &hop, 1, WICK_CHAIN_RUNNING);
}

static u32 by_timer(struct fixture *f)
{
	struct hop hop = {.cause = WICK_BY_INTERRUPT,
			  .kernel = stack(f, FRAME_KERNEL,
					  "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;"
					  "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up")};
	u32 ref = profile_hop(&f->p, &hop);

	return profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

static void waits_for_lock(struct fixture *f, u32 leg, const char *user, u32 chain, u64 begin,
			   u64 woken)
{
	profile_block(
		&f->p,
		&(struct block){
			.leg = leg,
			.user = stack(f, FRAME_USER, user),
			.kernel = stack(f, FRAME_KERNEL, "futex_wait;__schedule"),
			.chain = chain,
			.state = 'S',
			.begin = f->p.begin + begin * NSEC_PER_MSEC,
			.woken = f->p.begin + woken * NSEC_PER_MSEC,
			.end = f->p.begin + woken * NSEC_PER_MSEC,
			.counted_block = (woken - begin) * NSEC_PER_MSEC,
			.object = profile_object(
				&f->p, &(struct object){.id = leg,
							.name = strings_adds(&f->p.names, "0x10")}),
			.object_kind = WICK_OBJECT_LOCK,
		});
}

/* A lock behind a lock, DEEP times; OTHERS delays; names that are longer than a line. */
static void fill(struct fixture *f)
{
	char user[256], name[16];
	u32 chain;

	fixture_init(f);
	chain = by_timer(f);
	for (u32 i = DEEP; i-- > 0;) {
		u32 leg;

		snprintf(name, sizeof(name), "deep-%u", i);
		leg = thread(f, name, 100, 100 + i);
		snprintf(user, sizeof(user), "main;wants_%u", i);
		waits_for_lock(f, leg, user, chain, 1000 + i, 5000 - i);
		chain = woken_by(f, leg);
	}
	for (u32 i = 0; i < OTHERS; i++) {
		snprintf(name, sizeof(name), "other-%u", i);
		snprintf(user, sizeof(user), "main;%0200u", i);
		waits_for_lock(f, thread(f, name, 200 + i, 200 + i), user, by_timer(f), 100,
			       101 + i);
	}
}

static void fill_idle(struct fixture *f)
{
	char name[16];

	for (u32 i = 0; i < OTHERS; i++) {
		snprintf(name, sizeof(name), "idle-%u", i);
		waits_for_lock(f, thread(f, name, 300 + i, 300 + i), "main;polls", by_timer(f), 0,
			       9000);
		f->p.blocks.at[f->p.blocks.nr - 1].kernel =
			stack(f, FRAME_KERNEL, "do_nanosleep;__schedule");
		f->p.blocks.at[f->p.blocks.nr - 1].object_kind = 0;
	}
}

static char *page_of(struct fixture *f, struct page_size size)
{
	struct why *why = why_new(&f->p);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	report_why(out, &f->p, why, size);
	fclose(out);
	why_free(why);
	return text;
}

static u32 lines_of(const char *text, u32 *widest)
{
	u32 nr = 0;

	for (*widest = 0; *text; nr++) {
		u32 width = (u32)strcspn(text, "\n");

		*widest = max(*widest, width);
		CHECK(width && text[width] == '\n');
		text += width + 1;
	}
	return nr;
}

static void a_page_fits_its_size(void)
{
	static const struct page_size sizes[] = {{PAGE_COLUMNS, PAGE_LINES},
						 {SCREEN_NARROW, PAGE_FEWEST_LINES},
						 {SCREEN_NARROW, 33}};
	_cleanup_fixture_ struct fixture f;

	fill(&f);
	fill_idle(&f);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_free_ char *text = page_of(&f, sizes[i]);
		u32 widest, nr = lines_of(text, &widest);

		CHECK(widest <= sizes[i].columns && widest > sizes[i].columns - 5);
		CHECK(nr <= sizes[i].lines && nr > sizes[i].lines - 6);
		CHECK(strstr(text, "more delays: --json has them\n"));
		CHECK(strstr(text, " more places\n"));
	}
}

static void the_root_of_a_delay_is_said_however_deep_it_lies(void)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_fixture_ struct fixture f;

	fill(&f);
	text = page_of(&f, (struct page_size){PAGE_COLUMNS, PAGE_LINES});
	CHECK(strstr(text, "3986.0 ms  deep-7 in wants_7: lock 0x10\n"));
	CHECK(strstr(text, "    worst: 4000.0 ms at 1.000 s in deep-0-100/100: 3998.0 deep-1 in "
			   "wants_1: lock < 3996.0 deep-2"));
}

static void a_class_and_its_share_are_in_one_line(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fill(&f);
	f.p.blocks.at[0].end += NSEC_PER_MSEC;
	f.p.blocks.at[0].counted_wait = NSEC_PER_MSEC;
	text = page_of(&f, (struct page_size){30, PAGE_LINES});
	CHECK(strstr(text, "waited 32.765 s: lock 100.0 %,\n    unclear 0.0 %\n"));
}

/* A wait of a second for something, in the place `wants`. */
static void waits_for_thing(struct fixture *f, u32 leg, const char *name, enum wick_object kind,
			    enum wick_object use, u64 begin)
{
	struct block *block;

	waits_for_lock(f, leg, "main;wants", woken_by(f, f->other), begin, begin + 1000);
	block = &f->p.blocks.at[f->p.blocks.nr - 1];
	block->object =
		profile_object(&f->p, &(struct object){.kind = kind,
						       .id = f->p.objects.nr,
						       .name = strings_adds(&f->p.names, name)});
	block->object_kind = use;
}

struct thing_case {
	enum wick_object kind, use;
	const char *names[3], *says; /* NULL: nothing */
};

static void check_things(const struct thing_case *of)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *line = NULL;
	u32 leg;

	fixture_init(&f);
	leg = thread(&f, "waiter", 100, 101);
	for (u32 i = 0; i < ARRAY_SIZE(of->names) && of->names[i]; i++)
		waits_for_thing(&f, leg, of->names[i], of->kind, of->use, 2000 * i);
	/* In the middle of its work: at its root it waits for more of that. */
	waits_for_lock(&f, leg, "main", woken_by(&f, f.other), 9000, 9010);
	f.p.blocks.at[f.p.blocks.nr - 1].object = 0;
	f.p.blocks.at[f.p.blocks.nr - 1].object_kind = 0;
	text = page_of(&f, (struct page_size){PAGE_COLUMNS, PAGE_LINES});
	line = line_of(text, "    for ");
	CHECK_STR(line ? line : "", of->says ? of->says : "");
}

static void things_with_one_name_are_said_once(void)
{
	static const struct thing_case cases[] = {
		{WICK_OBJECT_FUTEX, WICK_OBJECT_LOCK, {"0x10"}, "    for lock 0x10"},
		{WICK_OBJECT_FUTEX,
		 WICK_OBJECT_LOCK,
		 {"0x10", "0x20", "0x10"},
		 "    for lock 0x10, 2 of them, 67 %, and 1 other"},
		{WICK_OBJECT_SOCKET,
		 WICK_OBJECT_CONNECTED,
		 {"1.1.1.1:1 -> 2.2.2.2:2"},
		 "    for socket 1.1.1.1:1 -> 2.2.2.2:2 with other-30/30"},
		{WICK_OBJECT_SOCKET,
		 WICK_OBJECT_CONNECTED,
		 {"1.1.1.1:1 -> 2.2.2.2:2", "1.1.1.1:3 -> 2.2.2.2:2", "1.1.1.1:4 -> 2.2.2.2:2"},
		 "    for socket -> 2.2.2.2:2 with other-30/30, 3 of them"},
		{WICK_OBJECT_SOCKET,
		 WICK_OBJECT_ACCEPTED,
		 {"2.2.2.2:2 -> 1.1.1.1:1", "2.2.2.2:2 -> 1.1.1.1:3"},
		 "    for socket 2.2.2.2:2 with other-30/30, 2 of them"},
		{WICK_OBJECT_TIMER, WICK_OBJECT_TIMER, {""}, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_things(&cases[i]);
}

static void what_keeps_a_request_from_the_disk_is_said(void)
{
	static const struct {
		u32 state;
		const char *kernel, *says; /* NULL: that it is the delay's own wait goes without */
	} cases[] = {
		{0, "ext4_sync_file;folio_wait_bit_common;io_schedule;schedule", NULL},
		{0, "submit_bio;blk_mq_get_tag;io_schedule;schedule", "disk, its queue was full"},
		{0, "submit_bio;__rq_qos_throttle;ioc_rqos_throttle;io_schedule;schedule",
		 "disk, its cgroup's share was used up"},
		{0, "blkcg_maybe_throttle_current;schedule_timeout;schedule",
		 "disk, its cgroup's share was used up"},
		{0, "submit_bio;__rq_qos_throttle;wbt_wait;rq_qos_wait;io_schedule;schedule",
		 "disk, held back as writeback"},
		{0, "generic_perform_write;balance_dirty_pages;io_schedule_timeout;schedule",
		 "disk, too much memory to be written"},
		{WICK_STATE_IO_LIMIT, "iomap_dio_rw;blk_io_schedule;io_schedule;schedule",
		 "disk, its cgroup was at its limit"},
		/* It was in the cgroup's queue before. */
		{WICK_STATE_IO_LIMIT, "submit_bio;blk_mq_get_tag;io_schedule;schedule",
		 "disk, its queue was full"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL, *want = NULL;

		fixture_init(&f);
		waits_for_lock(&f, thread(&f, "writer", 100, 101), "main;writes", by_timer(&f), 0,
			       1000);
		f.p.blocks.at[0].kernel = stack(&f, FRAME_KERNEL, cases[i].kernel);
		f.p.blocks.at[0].object = 0;
		f.p.blocks.at[0].object_kind = 0;
		f.p.blocks.at[0].state |= cases[i].state;
		text = page_of(&f, (struct page_size){PAGE_COLUMNS, PAGE_LINES});
		CHECK_SAYS(text, "1000.0 ms  disk      writer in writes\n");
		want = format("      1000.0 ms  writer in writes: %s\n",
			      cases[i].says ? cases[i].says : "");
		if (!strstr(text, want) != !cases[i].says)
			test_report("%s: %s", cases[i].kernel, text);
	}
}

int main(void)
{
	RUN(a_page_fits_its_size);
	RUN(the_root_of_a_delay_is_said_however_deep_it_lies);
	RUN(a_class_and_its_share_are_in_one_line);
	RUN(things_with_one_name_are_said_once);
	RUN(what_keeps_a_request_from_the_disk_is_said);
	return test_status();
}
