/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weighted.c: weighted stacks are the call tree's, kept apart. */
#include "view_fixture.h"

static void count(struct fixture *f, enum wick_kind kind, u32 leg, u32 state, u32 chain, u64 value)
{
	profile_count(&f->p, &(struct sample){.kind = kind,
					      .state = state,
					      .leg = leg,
					      .user = f->user,
					      .kernel = f->kernel,
					      .chain = chain,
					      .column = {value, 1000 * value + 1, 10 * value}});
}

static u32 woken_by(struct fixture *f, enum wick_cause cause, u32 leg, const char *kernel)
{
	struct hop row = {.cause = cause, .leg = leg, .user = f->user};
	u32 hop;

	row.kernel = stack(f, FRAME_KERNEL, kernel);
	hop = profile_hop(&f->p, &row);
	return profile_chain(&f->p, &hop, 1, WICK_CHAIN_RUNNING);
}

static void fill(struct fixture *f)
{
	struct thread_time time = {.leg = f->waker, .end = 1000000, .running = 777};
	u32 task, timer;

	fixture_init(f);
	f->p.frequency = 99;
	task = woken_by(f, WICK_BY_TASK, f->waker, "do_syscall_64;futex_wake;try_to_wake_up");
	timer = woken_by(f, WICK_BY_INTERRUPT, 0,
			 "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;hrtimer_wakeup");
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++) {
		u32 state = kind == WICK_SCHED ? 'S' : 0;

		count(f, kind, f->sleeper, state, 0, 3);
		count(f, kind, f->waker, state, 0, 5);
		profile_loss(&f->p, "a cause", "[lost keys]", kind, 0, 2);
	}
	count(f, WICK_SCHED, f->sleeper, 'S', task, 11);
	count(f, WICK_SCHED, f->sleeper, 'D', timer, 13);
	count(f, WICK_SCHED, f->sleeper, 'Q', 0, 17);
	profile_thread(&f->p, &time);
}

static void weigh(struct fixture *f, const struct view *view, const struct metric *metric,
		  struct weighted_stacks *stacks)
{
	struct view_options options = f->options;

	options.metric = metric;
	weighted_stacks_init(stacks, &f->p.names);
	stacks->with_blocks = true;
	view_weigh(view, &f->p, &options, stacks);
}

/* Lines of folded text, of one of the values. */
static char *lines_of(const struct weighted_stacks *stacks, size_t unit)
{
	struct caption caption = {.unit = stacks->units[unit]};
	_cleanup_free_ struct tree_frame *path =
		xcalloc((size_t)stacks->max_depth + 1, sizeof(*path));
	struct call_tree tree;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	call_tree_init(&tree, stacks->names);
	vec_for_each (&stacks->rows, row) {
		size_t at = stacks->max_depth;

		for (u32 node = row->node; node; node = stacks->nodes.at[node].parent)
			path[at--] = stacks->frames.at[stacks->nodes.at[node].frame];
		call_tree_add(&tree, path + at + 1, stacks->max_depth - at, row->value[unit]);
	}
	call_tree_finish(&tree);
	CHECK_EQ(tree.sum, stacks->sum[unit]);
	CHECK_EQ(format_by_name("folded")->write(&tree, &caption, out, NULL), 0);
	fclose(out);
	call_tree_release(&tree);
	return text;
}

static void check_view(struct fixture *f, const struct view *view, const struct metric *metric)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;

	weigh(f, view, metric, &stacks);
	CHECK(stacks.nr_units >= 1 && stacks.units[0].name == metric->unit.name);
	for (size_t i = 0; i < stacks.nr_units; i++) {
		const char *name = stacks.units[i].name;
		_cleanup_free_ char *got = lines_of(&stacks, i);

		CHECK_LINES_BY(f, view->name, name, got);
	}
}

static void each_metric_of_each_view_has_the_lines_of_its_tree(void)
{
	for (size_t i = 0; i < NR_VIEWS; i++) {
		const struct view *view = views[i];

		for (size_t k = 0; k < MAX_METRICS && view->metrics[k].unit.name; k++) {
			for (int reverse = 0; reverse < 2; reverse++) {
				_cleanup_fixture_ struct fixture f;

				fill(&f);
				f.options.reverse = reverse;
				check_view(&f, view, &view->metrics[k]);
			}
		}
	}
}

static void add(struct operations *operations, enum operation_kind kind, const char *text)
{
	struct error error;

	CHECK_EQ(operations_add(operations, kind, text, &error), 0);
}

static void operations_leave_out_the_same_of_both(void)
{
	static const struct {
		enum operation_kind kind;
		const char *text;
	} cases[] = {
		{OPERATION_HIDE_STACKS, "^the waker"}, {OPERATION_SHOW_STACKS, "ksys_read"},
		{OPERATION_SHOW_FROM, "^ksys"},	       {OPERATION_FOCUS, "work"},
		{OPERATION_HIDE_FRAMES, "e"},	       {OPERATION_HIDE_PLUMBING, NULL},
		{OPERATION_MIN_PERCENT, "30"},	       {OPERATION_MIN_PERCENT, "80"},
	};

	for (size_t i = 0; i < NR_VIEWS * ARRAY_SIZE(cases) * 2; i++) {
		const struct view *view = views[i / 2 / ARRAY_SIZE(cases)];
		_cleanup_(operations_release) struct operations operations = {};
		_cleanup_(weighted_stacks_release) struct weighted_stacks stacks = {};
		_cleanup_free_ char *got = NULL;
		_cleanup_fixture_ struct fixture f;

		add(&operations, cases[i / 2 % ARRAY_SIZE(cases)].kind,
		    cases[i / 2 % ARRAY_SIZE(cases)].text);
		fill(&f);
		f.options.reverse = i % 2;
		f.options.operations = &operations;
		weigh(&f, view, &view->metrics[0], &stacks);
		got = lines_of(&stacks, 0);
		CHECK_LINES(&f, view->name, got);
		CHECK_EQ(operations_kept(&operations), stacks.sum[0]);
	}
}

static void operations_leave_out_single_waits_too(void)
{
	for (int hidden = 0; hidden < 2; hidden++) {
		_cleanup_(operations_release) struct operations operations = {};
		_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		profile_block(&f.p, &(struct block){.leg = f.sleeper,
						    .user = f.user,
						    .kernel = f.kernel,
						    .state = 'S',
						    .begin = 5,
						    .woken = 9});
		add(&operations, OPERATION_HIDE_STACKS, hidden ? "^my app$" : "^no app$");
		f.options.operations = &operations;
		weigh(&f, &offcpu_view, &offcpu_view.metrics[0], &stacks);
		CHECK_EQ(stacks.blocks.nr, !hidden);
	}
}

static void a_value_in_two_units_is_one(void)
{
	static const struct {
		const char *view, *metric;
		size_t nr;
		bool outstanding;
	} cases[] = {
		{"cpu", NULL, 1, false},  {"offcpu", NULL, 2, false}, {"offcpu", "ns", 2, false},
		{"wall", "ns", 1, false}, {"faults", NULL, 3, false}, {"mmap", "calls", 2, false},
		{"mmap", NULL, 1, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct view *view = view_by_name(cases[i].view);
		_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
		_cleanup_fixture_ struct fixture f;

		fill(&f);
		f.options.outstanding = cases[i].outstanding;
		weigh(&f, view, metric_by_name(view, cases[i].metric), &stacks);
		CHECK_EQ(stacks.nr_units, cases[i].nr);
		CHECK_EQ(stacks.frequency, view == &cpu_view ? 99 : 0);
	}
}

/* "COMM STATE WAKER VALUE" */
static char *told(const struct weighted_stacks *stacks, const struct weighted_row *row)
{
	const struct leg *leg = &stacks->profile->legs.at[row->leg];

	return format("%s %c %s %llu", strings_get(stacks->names, leg->comm).s,
		      row->state ? row->state : '-', strings_get(stacks->names, row->waker).s,
		      (unsigned long long)row->value[0]);
}

static void rows_tell_whose_they_are_and_why(void)
{
	static const char *const want[] = {
		"my app S  3001",
		"the waker S  5001",
		"my app S the waker-20/20 11001",
		"my app D [irq: sysvec_apic_timer_interrupt] 13001",
		"my app Q  17001",
	};
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	_cleanup_fixture_ struct fixture f;

	fill(&f);
	weigh(&f, &offcpu_view, &offcpu_view.metrics[0], &stacks);
	/* And the loss, which has only a count. */
	CHECK_EQ(stacks.rows.nr, ARRAY_SIZE(want) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		_cleanup_free_ char *got = told(&stacks, &stacks.rows.at[i]);

		CHECK_STR(got, want[i]);
	}
	CHECK_EQ(stacks.rows.at[ARRAY_SIZE(want)].leg, 0);
}

static void frames_have_their_places(void)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks;
	_cleanup_fixture_ struct fixture f;
	const struct weighted_row *row;
	size_t places = 0;

	fill(&f);
	weigh(&f, &cpu_view, &cpu_view.metrics[0], &stacks);
	row = &stacks.rows.at[0];
	for (u32 node = row->node; node; node = stacks.nodes.at[node].parent) {
		const struct tree_frame *frame = &stacks.frames.at[stacks.nodes.at[node].frame];
		const struct frame *place;

		if (!frame->place)
			continue;
		place = &f.p.frames.at[frame->place - 1];
		CHECK_EQ(f.p.functions.at[place->function].shown.name, frame->name);
		places++;
	}
	/* All but the thread's name. */
	CHECK_EQ(places, 6);
}

int main(void)
{
	RUN(each_metric_of_each_view_has_the_lines_of_its_tree);
	RUN(operations_leave_out_the_same_of_both);
	RUN(operations_leave_out_single_waits_too);
	RUN(a_value_in_two_units_is_one);
	RUN(rows_tell_whose_they_are_and_why);
	RUN(frames_have_their_places);
	return test_status();
}
