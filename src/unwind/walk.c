/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "java_rules.h"
#include "table.h"

/* Were these bytes of the copy there? Words are aligned, so they lie in one page. */
static bool is_there(const struct unwind_stack *stack, u64 within)
{
	return !stack->holes || !(stack->holes >> within / stack->page & 1);
}

static long read_word(void *ctx, __u64 address, __u64 *value)
{
	const struct unwind_stack *stack = ctx;
	u64 within = address - stack->base;

	if (within < stack->size && stack->size - within >= sizeof(*value) &&
	    is_there(stack, within)) {
		memcpy(value, (const char *)stack->bytes + within, sizeof(*value));
		return 0;
	}
	return stack->read_code && stack->read_code(stack->ctx, address, value, sizeof(*value))
		       ? 0
		       : -EFAULT;
}

static struct unwind_code unwind_code_at(const struct unwind_stack *stack, u64 address)
{
	struct unwind_code code = {};

	if (!stack->find(stack->ctx, address, &code))
		code.executable = false;
	return code;
}

static long is_code(void *ctx, __u64 address)
{
	return unwind_code_at(ctx, address - 1).executable ? 0 : -EFAULT;
}

static void mark_exact(struct unwind_walked *walked, u32 frame)
{
	walked->exact[frame / 64] |= 1ull << frame % 64;
}

static void add(struct unwind_walked *walked, const struct wick_unwind_regs *regs)
{
	walked->frames[walked->nr] = regs->ip;
	if (regs->exact)
		mark_exact(walked, walked->nr);
	walked->nr++;
}

/* One frame up. Where the file has no rows for the address, or there is no file, by frame pointer.
 */
static int step(struct unwind_stack *stack, const struct unwind_code *code,
		struct wick_unwind_regs *regs)
{
	u32 rule = code->table ? unwind_table_lookup(code->table, code->offset)
			       : wick_rule(WICK_RULE_NONE, 0);

	if (wick_rule_kind(rule) == WICK_RULE_NONE) {
		/* Most programs leave the frame pointer 0 until they use it, for anything. */
		if (code->of_file)
			regs->chained = 0;
		return wick_unwind_step_fp(regs, read_word, is_code, stack);
	}
	return wick_unwind_step(&code->table->shape, unwind_table_word, code->table, rule, regs,
				read_word, stack);
}

/* By a rule of java_rules.h. *word becomes the method's where the interpreter runs one. */
static int step_java(struct unwind_stack *stack, u32 rule, struct wick_unwind_regs *regs, u64 *word)
{
	const struct wick_unwind_special link = wick_java_link();
	__u64 fp = regs->reg[WICK_REG_FP], method = 0, sender_sp = 0;
	int end;

	if (wick_rule_kind(rule) == WICK_RULE_SPECIAL)
		return wick_unwind_step_special(&link, regs, read_word, stack);
	if (rule & WICK_JAVA_INTERPRETS &&
	    (read_word(stack, fp + 8 * (s64)WICK_JAVA_METHOD, &method) ||
	     read_word(stack, fp + 8 * (s64)WICK_JAVA_SENDER_SP, &sender_sp)))
		method = sender_sp = 0;
	end = wick_unwind_step_plain(rule, regs, read_word, stack);
	if (!(rule & WICK_JAVA_INTERPRETS))
		return end;
	*word = wick_java_word(*word, method);
	if (end == WICK_UNWIND_ON)
		wick_java_leave_interpreter(regs, sender_sp);
	return end;
}

void unwind_walk_on(const struct unwind_stack *stack, struct unwind_walked *walked)
{
	struct wick_unwind_regs *regs = &walked->at;
	struct unwind_stack own = *stack;
	int end = WICK_UNWIND_ON;

	while (end == WICK_UNWIND_ON) {
		struct unwind_code code = unwind_code_at(&own, wick_unwind_address(regs));
		u64 *word = &walked->frames[walked->nr - 1];
		bool was_exact = regs->exact;
		u32 rule = WICK_JAVA_BY_FP;

		walked->missing =
			code.missing || (code.executable && !code.table && own.find_rule &&
					 !own.find_rule(own.ctx, regs, &rule));
		if (walked->missing) {
			end = WICK_NO_UNWIND_INFO;
			break;
		}
		if (walked->nr > 1 && !code.executable) {
			walked->nr--; /* what was found is no code */
			end = WICK_BAD_FRAME;
			break;
		}
		end = rule == WICK_JAVA_BY_FP ? step(&own, &code, regs)
					      : step_java(&own, rule, regs, word);
		if (end != WICK_UNWIND_ON)
			break;
		/* What returns from a signal handler has not called it: the address is its own. */
		if (!was_exact && regs->exact)
			mark_exact(walked, walked->nr - 1);
		if (walked->nr == WICK_USER_FRAMES)
			end = WICK_TRUNCATED;
		else
			add(walked, regs);
	}
	walked->end = (enum wick_end)end;
}

void unwind_walk(const struct unwind_stack *stack, const struct wick_unwind_regs *leaf,
		 struct unwind_walked *walked)
{
	walked->at = *leaf;
	walked->nr = 0;
	memset(walked->exact, 0, sizeof(walked->exact));
	add(walked, leaf);
	unwind_walk_on(stack, walked);
}
