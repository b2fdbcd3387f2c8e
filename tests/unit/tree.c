/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "base/strbuf.h"
#include "tree.h"

struct fixture {
	struct strings names;
	struct call_tree tree;
};

static void fixture_init(struct fixture *f)
{
	strings_init(&f->names);
	call_tree_init(&f->tree, &f->names);
}

static void fixture_release(struct fixture *f)
{
	call_tree_release(&f->tree);
	strings_release(&f->names);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

/* "a;b;c" */
static void add(struct fixture *f, const char *stack, u64 value)
{
	struct tree_frame frames[16];
	size_t nr = 0;

	while (*stack) {
		size_t size = strcspn(stack, ";");

		frames[nr++] = (struct tree_frame){.name = strings_add(&f->names, stack, size)};
		stack += size + (stack[size] == ';');
	}
	call_tree_add(&f->tree, frames, nr, value);
}

/* The nodes in preorder, "name:self/total" with a dot before it for each level. */
static char *dump(const struct call_tree *tree)
{
	struct strbuf b = {};
	u32 node = 0;

	do {
		const struct tree_node *n = &tree->at[node];

		for (u32 i = 0; i < n->depth; i++)
			strbuf_addc(&b, '.');
		strbuf_addf(&b, "%s:%llu/%llu ", tree_name(tree, n->frame.name).s,
			    (unsigned long long)n->self, (unsigned long long)n->total);
		node = call_tree_next(tree, node);
	} while (node);
	return strbuf_detach(&b);
}

static void check_tree(struct fixture *f, const char *want)
{
	_cleanup_free_ char *got = NULL;

	call_tree_finish(&f->tree);
	got = dump(&f->tree);
	CHECK_STR(got, want);
}

static void no_stacks_is_a_root(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	check_tree(&f, ":0/0 ");
	CHECK_EQ(f.tree.max_depth, 0);
}

/* Sorted lines, or sorted joined strings, would make two boxes of foo. */
static void one_function_under_one_parent_is_one_node(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "main;foo", 5);
	add(&f, "main;foo.cold", 1);
	add(&f, "main;foo;kid", 5);
	check_tree(&f, ":0/11 .main:0/11 ..foo:5/10 ...kid:5/5 ..foo.cold:1/1 ");
}

static void totals_are_self_and_children(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "main;foo1;bar", 25);
	add(&f, "main;foo2;bar", 25);
	add(&f, "main;foo1", 15);
	add(&f, "main;foo2", 5);
	add(&f, "main", 20);
	check_tree(&f, ":0/90 .main:20/90 ..foo1:15/40 ...bar:25/25 ..foo2:5/30 ...bar:25/25 ");
}

static void the_order_of_adding_does_not_matter(void)
{
	_cleanup_fixture_ struct fixture f, g;
	_cleanup_free_ char *want = NULL;

	fixture_init(&f);
	fixture_init(&g);
	add(&f, "b;x", 1);
	add(&f, "a;y", 2);
	add(&f, "a;x", 3);
	add(&g, "a;x", 3);
	add(&g, "a;y", 2);
	add(&g, "b;x", 1);
	call_tree_finish(&f.tree);
	want = dump(&f.tree);
	check_tree(&g, want);
}

static void names_sort_as_bytes_the_shorter_first(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "\xff", 1);
	add(&f, "ab", 1);
	add(&f, "a", 1);
	add(&f, "B", 1);
	check_tree(&f, ":0/4 .B:1/1 .a:1/1 .ab:1/1 .\xff:1/1 ");
}

static void kinds_keep_nodes_apart_and_modules_do_not(void)
{
	_cleanup_fixture_ struct fixture f;
	struct tree_frame user = {.kind = FRAME_USER}, kernel = {.kind = FRAME_KERNEL}, other;

	fixture_init(&f);
	user.name = kernel.name = strings_adds(&f.names, "read");
	other = user;
	other.module = strings_adds(&f.names, "libc.so.6");
	call_tree_add(&f.tree, &kernel, 1, 1);
	call_tree_add(&f.tree, &user, 1, 2);
	call_tree_add(&f.tree, &other, 1, 4);
	check_tree(&f, ":0/7 .read:6/6 .read:1/1 ");
}

static void recursion_is_depth(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "a;a;a", 1);
	add(&f, "a", 1);
	check_tree(&f, ":0/2 .a:1/2 ..a:0/1 ...a:1/1 ");
	CHECK_EQ(f.tree.max_depth, 3);
}

static void a_stack_without_frames_is_the_roots_own(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "", 7);
	add(&f, "a", 1);
	check_tree(&f, ":7/8 .a:1/1 ");
}

static void skip_goes_behind_the_descendants(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 a;

	fixture_init(&f);
	add(&f, "a;b;c", 1);
	add(&f, "d", 1);
	call_tree_finish(&f.tree);
	a = call_tree_next(&f.tree, 0);
	CHECK_STR(tree_name(&f.tree, f.tree.at[call_tree_skip(&f.tree, a)].frame.name).s, "d");
	CHECK_EQ(call_tree_skip(&f.tree, call_tree_skip(&f.tree, a)), 0);
	CHECK_EQ(call_tree_skip(&f.tree, 0), 0);
}

static void very_deep_stacks_are_fine(void)
{
	enum { DEPTH = 200000 };
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ struct tree_frame *frames = xcalloc(DEPTH, sizeof(*frames));
	u32 nodes = 0;

	fixture_init(&f);
	frames[0].name = strings_adds(&f.names, "f");
	for (size_t i = 1; i < DEPTH; i++)
		frames[i].name = frames[0].name;
	call_tree_add(&f.tree, frames, DEPTH, 3);
	call_tree_add(&f.tree, frames, DEPTH / 2, 4);
	call_tree_finish(&f.tree);
	CHECK_EQ(f.tree.max_depth, DEPTH);
	CHECK_EQ(f.tree.at[0].total, 7);
	for (u32 node = call_tree_next(&f.tree, 0); node; node = call_tree_next(&f.tree, node))
		nodes++;
	CHECK_EQ(nodes, DEPTH);
}

static void sums_stay_at_their_largest_value(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 a;

	fixture_init(&f);
	add(&f, "a;b", UINT64_MAX - 1);
	add(&f, "a;b", 7);
	add(&f, "a;c", 5);
	add(&f, "d", 3);
	call_tree_finish(&f.tree);
	a = call_tree_next(&f.tree, 0);
	CHECK(f.tree.sum == UINT64_MAX);
	CHECK(f.tree.at[0].total == UINT64_MAX);
	CHECK(f.tree.at[a].total == UINT64_MAX);
	CHECK(f.tree.at[call_tree_next(&f.tree, a)].self == UINT64_MAX);
	CHECK_EQ(f.tree.at[call_tree_skip(&f.tree, a)].total, 3);
}

/* a, then b below it, then a again: two nodes of b, and what a was before each. */
static void a_chart_keeps_what_is_appended_apart(void)
{
	_cleanup_fixture_ struct fixture f;
	struct tree_frame a, b;
	u32 node;

	fixture_init(&f);
	a.name = strings_adds(&f.names, "a");
	b = a;
	b.name = strings_adds(&f.names, "b");
	node = call_tree_append(&f.tree, 0, &a);
	call_tree_add_self(&f.tree, node, 3);
	call_tree_add_self(&f.tree, call_tree_append(&f.tree, node, &b), 1);
	call_tree_add_self(&f.tree, node, 4);
	call_tree_add_self(&f.tree, call_tree_append(&f.tree, node, &b), 2);
	check_tree(&f, ":0/10 .a:7/10 ..b:1/1 ..b:2/2 ");
	CHECK_EQ(tree_lead(&f.tree, 2), 3);
	CHECK_EQ(tree_lead(&f.tree, 3), 7);
	CHECK_EQ(tree_lead(&f.tree, 1), 0);
}

static void what_was_before_is_summed_too(void)
{
	_cleanup_fixture_ struct fixture f;
	struct tree_frame a = {}, b = {};
	u32 parent, child;

	fixture_init(&f);
	a.name = strings_adds(&f.names, "a");
	b.name = strings_adds(&f.names, "b");
	parent = call_tree_child(&f.tree, 0, &a);
	child = call_tree_child(&f.tree, parent, &b);
	CHECK_EQ(call_tree_child(&f.tree, parent, &b), child);
	call_tree_add_before(&f.tree, child, 5);
	call_tree_add_before(&f.tree, child, 2);
	call_tree_add_before(&f.tree, parent, 1);
	check_tree(&f, ":0/0 .a:0/0 ..b:0/0 ");
	CHECK_EQ(tree_before(&f.tree, 0), 8);
	CHECK_EQ(tree_before(&f.tree, parent), 8);
	CHECK_EQ(tree_before(&f.tree, child), 7);
}

static void classes_of_a_node_are_summed_and_in_order(void)
{
	_cleanup_fixture_ struct fixture f;
	static const struct {
		u32 class;
		u64 value;
	} added[] = {{3, 10}, {1, 5}, {3, 1}, {7, 2}, {2, 4}, {1, 1}, {4, 0}},
	  want[] = {{1, 6}, {2, 4}, {3, 11}, {7, 2}};
	const struct tree_part *part;
	size_t nr = 0;

	fixture_init(&f);
	add(&f, "a;b", 23);
	add(&f, "a;c", 5);
	CHECK(!tree_first_part(&f.tree, 2));
	for (size_t i = 0; i < ARRAY_SIZE(added); i++)
		call_tree_add_class(&f.tree, 2, added[i].class, added[i].value);
	call_tree_finish(&f.tree);
	CHECK(!tree_first_part(&f.tree, 0) && !tree_first_part(&f.tree, 3));
	for (part = tree_first_part(&f.tree, 2); part; part = tree_next_part(&f.tree, part), nr++) {
		CHECK_EQ(part->class, want[nr].class);
		CHECK_EQ(part->value, want[nr].value);
	}
	CHECK_EQ(nr, ARRAY_SIZE(want));
}

static void scaling_multiplies_all_or_nothing(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	add(&f, "a;b", UINT64_MAX / 100);
	add(&f, "a", 7);
	CHECK_EQ(call_tree_scale(&f.tree, 10), 0);
	CHECK_EQ(call_tree_scale(&f.tree, 1000), -EOVERFLOW);
	CHECK_EQ(f.tree.sum, UINT64_MAX / 100 * 10 + 70);
	call_tree_finish(&f.tree);
	CHECK_EQ(f.tree.at[0].total, f.tree.sum);
	CHECK_EQ(f.tree.at[1].self, 70);
}

int main(void)
{
	RUN(no_stacks_is_a_root);
	RUN(one_function_under_one_parent_is_one_node);
	RUN(totals_are_self_and_children);
	RUN(the_order_of_adding_does_not_matter);
	RUN(names_sort_as_bytes_the_shorter_first);
	RUN(kinds_keep_nodes_apart_and_modules_do_not);
	RUN(recursion_is_depth);
	RUN(a_stack_without_frames_is_the_roots_own);
	RUN(skip_goes_behind_the_descendants);
	RUN(very_deep_stacks_are_fine);
	RUN(sums_stay_at_their_largest_value);
	RUN(a_chart_keeps_what_is_appended_apart);
	RUN(what_was_before_is_summed_too);
	RUN(classes_of_a_node_are_summed_and_in_order);
	RUN(scaling_multiplies_all_or_nothing);
	return test_status();
}
