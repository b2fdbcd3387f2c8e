/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "javas.h"

#include "java_rules.h"

enum {
	LIMIT_MS = 2000,
	MAX_TRIES = 8,
	MAX_WANTED = 1 << 16,	      /* frames whose rules are asked for at a time */
	KEPT_NS = 1000 * 1000 * 1000, /* other code can take the place of what is gone */
	PAUSE_NS = 50 * 1000 * 1000,  /* before the second one; doubled for each one after that */
};

struct known_rule {
	u64 address; /* with WICK_JAVA_EXACT */
	u32 rule;
};

struct java {
	u32 pid;
	file_ref code;
	struct files_request *request; /* NULL: none is under way */
	bool is_told;
	unsigned int nr_tries;
	u64 next_ns; /* not before then */
	struct wick_java layout;
	/* Of frames in copied stacks. */
	struct {
		VEC_FIELDS(struct known_rule);
	} rules; /* by address */
	struct {
		VEC_FIELDS(u64);
	} wanted, asked;		     /* addresses */
	struct files_request *rules_request; /* for those that are asked; NULL: none are */
	u64 rules_ns;			     /* the oldest rule's */
};

struct javas {
	VEC_FIELDS(struct java);
	const struct profile *profile;
	struct files *files;
	struct java_sink sink;
};

struct javas *javas_new(const struct profile *profile, struct files *files, struct java_sink sink)
{
	struct javas *j = xcalloc(1, sizeof(*j));

	j->profile = profile;
	j->files = files;
	j->sink = sink;
	return j;
}

static void give_up(struct javas *j, struct java *java)
{
	if (java->request)
		files_abandon(j->files, steal(&java->request));
	if (java->rules_request)
		files_abandon(j->files, steal(&java->rules_request));
	vec_release(&java->rules);
	vec_release(&java->wanted);
	vec_release(&java->asked);
}

void javas_free(struct javas *j)
{
	if (!j)
		return;
	vec_for_each (j, java)
		give_up(j, java);
	vec_release(j);
	free(j);
}

static bool is_libjvm(const struct javas *j, const struct mapping *mapping)
{
	static const char name[] = "/libjvm.so", deleted[] = "/libjvm.so (deleted)";
	struct string path;

	if (mapping->kind != MAPPING_FILE || !mapping->file)
		return false;
	path = strings_get(&j->profile->names, j->profile->files.at[mapping->file].path);
	return string_ends(path, name) || string_ends(path, deleted);
}

bool javas_is_mapped(const struct javas *j, struct mappings *mappings)
{
	if (!mappings)
		return false;
	if (mappings->java == JAVA_NOT_LOOKED_FOR) {
		mappings->java = JAVA_IS_NOT_MAPPED;
		vec_for_each (mappings, mapping)
			if (is_libjvm(j, mapping))
				mappings->java = JAVA_IS_MAPPED;
	}
	return mappings->java == JAVA_IS_MAPPED;
}

static struct java *find(struct javas *j, u32 pid)
{
	vec_for_each (j, java)
		if (java->pid == pid)
			return java;
	return NULL;
}

void javas_ask(struct javas *j, u32 pid, file_ref code)
{
	struct java *java;

	if (!j->sink.tell || !code || j->nr == WICK_JAVAS || find(j, pid))
		return;
	java = vec_add(j);
	java->pid = pid;
	java->code = code;
	java->request = files_ask_java(j->files, code, LIMIT_MS);
	java->nr_tries = 1;
}

bool javas_are_asked(const struct javas *j)
{
	vec_for_each (j, java)
		if (java->request)
			return true;
	return false;
}

static void take_answer(struct javas *j, struct java *java)
{
	java->is_told = files_answer_java(j->files, steal(&java->request), &java->layout);
	if (java->is_told)
		j->sink.tell(j->sink.ctx, java->pid, &java->layout);
	java->next_ns = monotonic_ns() + ((u64)PAUSE_NS << java->nr_tries);
}

void javas_wait(struct javas *j, u64 until_ns)
{
	vec_for_each (j, java)
		if (java->request && files_is_answered(j->files, java->request, until_ns))
			take_answer(j, java);
}

void javas_retry(struct javas *j)
{
	vec_for_each (j, java) {
		if (java->request && files_is_answered(j->files, java->request, 0))
			take_answer(j, java);
		if (java->request || java->is_told || java->nr_tries == MAX_TRIES ||
		    monotonic_ns() < java->next_ns)
			continue;
		java->nr_tries++;
		java->request = files_ask_java(j->files, java->code, LIMIT_MS);
	}
}

/* ---- rules of frames in copied stacks */

static int compare_rules(const void *a, const void *b)
{
	const struct known_rule *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static const struct known_rule *find_rule(const struct java *java, u64 address)
{
	const struct known_rule key = {.address = address};

	if (!java->rules.nr)
		return NULL;
	return bsearch(&key, java->rules.at, java->rules.nr, sizeof(key), compare_rules);
}

/* Where there is no answer, frame pointers are all there is. */
static void take_rules(struct javas *j, struct java *java)
{
	_cleanup_free_ u32 *rules = files_answer_java_frames(j->files, steal(&java->rules_request));

	if (!java->rules.nr)
		java->rules_ns = monotonic_ns();
	for (size_t i = 0; i < java->asked.nr; i++)
		*vec_add(&java->rules) =
			(struct known_rule){java->asked.at[i], rules ? rules[i] : WICK_JAVA_BY_FP};
	vec_sort(&java->rules, compare_rules);
	java->asked.nr = 0;
}

static bool is_in_heaps(const struct java *java, u64 address)
{
	for (int i = 0; i < WICK_JAVA_HEAPS; i++)
		if (address >= java->layout.heaps[i].begin && address < java->layout.heaps[i].end)
			return true;
	return false;
}

static void want_rule(struct java *java, u64 address)
{
	if (java->wanted.nr < MAX_WANTED && !find_rule(java, address))
		*vec_add(&java->wanted) = address;
}

/* Of all words that may be return addresses. */
static void want_rules(struct java *java, const struct unwind_stack *stack)
{
	const u64 *words = stack->bytes;

	for (size_t i = 0; i < stack->size / sizeof(*words); i++) {
		u64 word = words[i] & WICK_CODE_MASK;

		if (is_in_heaps(java, word - 1))
			want_rule(java, word - 1);
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each once. */
static void ask_rules(struct javas *j, struct java *java)
{
	vec_sort(&java->wanted, compare_addresses);
	vec_for_each (&java->wanted, address)
		if (!java->asked.nr || java->asked.at[java->asked.nr - 1] != *address)
			*vec_add(&java->asked) = *address;
	java->wanted.nr = 0;
	java->rules_request = files_ask_java_frames(j->files, java->code, java->asked.at,
						    java->asked.nr, LIMIT_MS);
}

bool javas_rule(struct javas *j, u32 pid, const struct unwind_stack *stack,
		const struct wick_unwind_regs *regs, u32 *rule)
{
	struct java *java = find(j, pid);
	u64 address = wick_unwind_address(regs);
	const struct known_rule *known;

	if (java && java->request && files_is_answered(j->files, java->request, 0))
		take_answer(j, java);
	if (!java || (!java->request && !java->is_told))
		return true;
	if (java->request)
		return false;
	if (!is_in_heaps(java, address))
		return true;
	address |= regs->exact ? WICK_JAVA_EXACT : 0;
	if (java->rules_request && files_is_answered(j->files, java->rules_request, 0))
		take_rules(j, java);
	if (java->rules.nr && monotonic_ns() - java->rules_ns > KEPT_NS)
		java->rules.nr = 0;
	known = find_rule(java, address);
	if (known) {
		*rule = known->rule;
		return true;
	}
	want_rule(java, address);
	want_rules(java, stack);
	if (!java->rules_request)
		ask_rules(j, java);
	return false;
}

void javas_forget(struct javas *j, u32 pid)
{
	struct java *java = find(j, pid);

	if (!java)
		return;
	give_up(j, java);
	if (java->is_told)
		j->sink.tell(j->sink.ctx, pid, NULL);
	*java = j->at[--j->nr];
}
