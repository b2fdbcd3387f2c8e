/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge_sums.h"

#include "base/numbers.h"

/* The other profile's texts end with it. */
static const char *own_text(const struct merged_rows *m, const char *text)
{
	struct strings *names = &m->to->names;

	return text ? strings_get(names, strings_adds(names, text)).s : NULL;
}

void merged_facts(const struct merged_rows *m)
{
	struct profile *p = m->to;
	const struct profile *from = m->from;

	p->needs |= from->needs;
	if (from->needs & NEED_CPU)
		p->frequency = from->frequency;
	add_to_sum(&p->expected, from->expected);
	add_to_sum(&p->failed_faults, from->failed_faults);
	add_to_sum(&p->processes_32_bit, from->processes_32_bit);
	p->unfollowed |= from->unfollowed;
	p->by_faults |= from->by_faults;
	p->huge_pages |= from->huge_pages;
	add_to_sum(&p->naming.resolved, from->naming.resolved);
	add_to_sum(&p->naming.unresolved, from->naming.unresolved);
	add_to_sum(&p->naming.files_without_time, from->naming.files_without_time);
	if (from->naming.kernel)
		p->naming.kernel = own_text(m, from->naming.kernel);
	else
		p->naming.kernel_error = from->naming.kernel_error;
}

void merged_losses(const struct merged_rows *m)
{
	vec_for_each (&m->from->losses, loss)
		profile_loss(m->to, own_text(m, loss->cause), own_text(m, loss->note), loss->kind,
			     loss->column, loss->value);
}

void merged_memory(struct memory_account *to, const struct memory_account *from,
		   const struct memory_account *before)
{
	add_to_sum(&to->mapped, from->mapped - before->mapped);
	add_to_sum(&to->unmapped, from->unmapped - before->unmapped);
	add_to_sum(&to->gone, from->gone - before->gone);
	add_to_sum(&to->held, from->held - before->held);
	add_to_sum(&to->given_back, from->given_back - before->given_back);
}
