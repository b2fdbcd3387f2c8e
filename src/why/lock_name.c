/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why.h"

static const char *const kinds[WHY_NR_LOCK_KINDS] = {
	[WHY_LOCK_MONITOR] = "monitor", [WHY_LOCK_FUTEX] = "lock",
	[WHY_LOCK_WORD] = "futex",	[WHY_LOCK_MUTEX] = "mutex",
	[WHY_LOCK_RWSEM] = "rwsem",	[WHY_LOCK_SEMAPHORE] = "semaphore",
	[WHY_LOCK_FILE] = "file lock",
};

const char *why_lock_kind(const struct why_lock *lock)
{
	return kinds[lock->kind];
}

void why_lock_name(const struct profile *p, const struct why_lock *lock, struct strbuf *to)
{
	const struct leg *leg = &p->legs.at[lock->leg];
	struct string comm = strings_get(&p->names, p->images.at[leg->image].comm);
	struct string object = strings_get(&p->names, p->objects.at[lock->object].name);
	struct string taker = strings_get(&p->names, p->functions.at[lock->taker].shown.name);

	strbuf_adds(to, kinds[lock->kind]);
	if (object.size) {
		strbuf_addc(to, ' ');
		strbuf_add(to, object.s, object.size);
	} else if (lock->taker) {
		strbuf_adds(to, " in ");
		strbuf_add(to, taker.s, taker.size);
	}
	if (!lock->pid)
		return;
	strbuf_adds(to, " of ");
	strbuf_add(to, comm.s, comm.size);
	strbuf_addf(to, "-%u", lock->pid);
}
