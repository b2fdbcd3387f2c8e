/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/kernel/verifier_stats.h"

#include "test.h"

/* ---- the log */

static void a_log_has_its_figures(void)
{
	struct verifier_stats s;

	CHECK_EQ(verifier_stats_parse(&s,
				      "Func#1 is safe for any args that match its prototype\n"
				      "verification time 6641 usec\n"
				      "stack depth 248+56+0+160\n"
				      "processed 10048 insns (limit 1000000) max_states_per_insn 6 "
				      "total_states 533 peak_states 516 mark_read 0\n"
				      "-- END PROG LOAD LOG --\n"),
		 0);
	CHECK_EQ(s.verification_ns, 6641000);
	CHECK_EQ(s.processed, 10048);
	CHECK_EQ(s.limit, 1000000);
	CHECK_EQ(s.states, 533);
	CHECK_EQ(s.peak_states, 516);
	CHECK_EQ(s.depths.nr, 4);
	CHECK_EQ(s.depths.at[0], 248);
	CHECK_EQ(s.depths.at[2], 0);
	CHECK_EQ(s.depths.at[3], 160);
	verifier_stats_release(&s);
}

static void a_log_without_figures_is_refused(void)
{
	static const char *const logs[] = {
		"", "verification time 1 usec\nstack depth 8\n", "processed some insns\n",
		/* The next program's. */
		"-- END PROG LOAD LOG --\nprocessed 1 insns (limit 1) max_states_per_insn 0 "
		"total_states 0 peak_states 0 mark_read 0\n"};
	struct verifier_stats s;

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++)
		CHECK_EQ(verifier_stats_parse(&s, logs[i]), -EINVAL);
}

/* ---- programs, written by hand */

#define CALL(offset)                                                                               \
	((struct bpf_insn){.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (offset)})
#define HELPER ((struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = 5})
/* Two instructions: the address of a function, for a helper. */
#define FUNCTION(offset)                                                                           \
	((struct bpf_insn){                                                                        \
		.code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = (offset)}),  \
		((struct bpf_insn){})
#define ADDRESS                                                                                    \
	((struct bpf_insn){.code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_MAP_FD}),      \
		((struct bpf_insn){.imm = 1})
#define NOTHING ((struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K})
#define EXIT	((struct bpf_insn){.code = BPF_JMP | BPF_EXIT})

/* entry calls b and a; a calls b; b hands c to a helper. In memory: entry 0, a 4, b 6, c 11. */
static const struct bpf_insn program[] = {
	CALL(5),     CALL(2), HELPER,  EXIT, /* entry */
	CALL(1),     EXIT,		     /* a */
	FUNCTION(4), HELPER,  ADDRESS,	     /* b; no exit is needed to be counted */
	EXIT,				     /* c */
};

static void functions_are_what_is_called_or_handed_on(void)
{
	struct functions f = {};

	functions_find(&f, program, ARRAY_SIZE(program));
	CHECK_EQ(f.nr, 4);
	CHECK_EQ(f.at[0], 0);
	CHECK_EQ(f.at[1], 4);
	CHECK_EQ(f.at[2], 6);
	CHECK_EQ(f.at[3], 11);
	vec_release(&f);
}

static void the_deepest_chain_is_rounded_as_old_kernels_do(void)
{
	static const struct {
		u32 depths[4];
		struct stack_use want;
	} rows[] = {
		{{0, 0, 0, 0}, {4 * 32, 4}}, /* nothing is 32 too */
		{{8, 0, 0, 0}, {4 * 32, 4}},
		{{33, 0, 0, 0}, {64 + 3 * 32, 4}},
		{{200, 100, 40, 1}, {224 + 128 + 64 + 32, 4}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stack_use use = {};

		CHECK_EQ(stack_use_of(program, ARRAY_SIZE(program), rows[i].depths, 4, &use), 0);
		CHECK_EQ(use.bytes, rows[i].want.bytes);
		CHECK_EQ(use.frames, rows[i].want.frames);
	}
}

/* Two that are called one after the other do not add up. */
static void brothers_share_their_stack(void)
{
	static const struct bpf_insn code[] = {CALL(2), CALL(2), EXIT, EXIT, EXIT};
	static const u32 depths[] = {32, 64, 96};
	struct stack_use use = {};

	CHECK_EQ(stack_use_of(code, ARRAY_SIZE(code), depths, 3, &use), 0);
	CHECK_EQ(use.bytes, 32 + 96);
	CHECK_EQ(use.frames, 2);
}

static void what_does_not_fit_is_refused(void)
{
	static const struct bpf_insn circle[] = {CALL(1), EXIT, CALL(-1), EXIT};
	static const struct bpf_insn out[] = {CALL(7), EXIT}, before[] = {CALL(-9), EXIT};
	static const u32 depths[4] = {};
	struct stack_use use;

	CHECK_EQ(stack_use_of(program, ARRAY_SIZE(program), depths, 3, &use), -EINVAL);
	CHECK_EQ(stack_use_of(circle, ARRAY_SIZE(circle), depths, 2, &use), -EINVAL);
	CHECK_EQ(stack_use_of(out, ARRAY_SIZE(out), depths, 2, &use), -EINVAL);
	CHECK_EQ(stack_use_of(before, ARRAY_SIZE(before), depths, 2, &use), -EINVAL);
}

/* ---- functions that the verifier removed */

/* The size of the last one is not known. */
static const struct function_size known[] = {{"b", 5}, {"other", 9}, {"c", 0}, {"a", 2}};

static void removed_functions_have_no_depth_and_keep_their_place(void)
{
	static const struct {
		const char *kept[4];
		u32 depths[4];
		u32 want[4];
	} rows[] = {
		{{"entry", "a", "b", "c"}, {1, 2, 3, 4}, {1, 2, 3, 4}},
		{{"entry", "b", "c"}, {1, 3, 4}, {1, 0, 3, 4}},
		{{"entry", "a"}, {1, 2}, {1, 2, 0, 0}},
		{{"entry", "c"}, {1, 4}, {1, 0, 0, 4}},
		{{"entry"}, {1}, {1, 0, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t nr = 0;
		u32 all[4];

		while (nr < 4 && rows[i].kept[nr])
			nr++;
		CHECK_EQ(depths_of_all(program, ARRAY_SIZE(program), known, ARRAY_SIZE(known),
				       rows[i].kept, rows[i].depths, nr, all, 4),
			 0);
		for (size_t k = 0; k < 4; k++)
			CHECK_EQ(all[k], rows[i].want[k]);
	}
}

static void unknown_functions_are_refused(void)
{
	static const char *const unknown[] = {"entry", "what"}, *const wrong_order[] = {"entry",
											"c", "a"};
	static const u32 depths[4] = {};
	u32 all[4];

	CHECK_EQ(depths_of_all(program, ARRAY_SIZE(program), known, ARRAY_SIZE(known), unknown,
			       depths, 2, all, 4),
		 -EINVAL);
	CHECK_EQ(depths_of_all(program, ARRAY_SIZE(program), known, ARRAY_SIZE(known), wrong_order,
			       depths, 3, all, 4),
		 -EINVAL);
	CHECK_EQ(depths_of_all(program, ARRAY_SIZE(program), known, ARRAY_SIZE(known), unknown,
			       depths, 0, all, 4),
		 -EINVAL);
}

int main(void)
{
	RUN(a_log_has_its_figures);
	RUN(a_log_without_figures_is_refused);
	RUN(functions_are_what_is_called_or_handed_on);
	RUN(the_deepest_chain_is_rounded_as_old_kernels_do);
	RUN(brothers_share_their_stack);
	RUN(what_does_not_fit_is_refused);
	RUN(removed_functions_have_no_depth_and_keep_their_place);
	RUN(unknown_functions_are_refused);
	return test_status();
}
