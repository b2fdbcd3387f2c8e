/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rights.h"

#include <sys/prctl.h>

#include "base/caller.h"
#include "collect.h"

/* Through all of it the permitted capabilities stay, as without a setuid bit. */
static int become_caller(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid) || prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0))
		return -errno;
	return 0;
}

/* The bounding set of a process without CAP_SETPCAP is not its own to change. */
static void clear_bounding_set(void)
{
	for (int i = 0; i <= cap_max_bits(); i++)
		cap_drop_bound(i);
}

static int set_capabilities(cap_t wanted)
{
	int err = !wanted || cap_set_proc(wanted) ? -errno : 0;

	if (wanted)
		cap_free(wanted);
	return err;
}

static int drop_all(void)
{
	clear_bounding_set();
	cap_reset_ambient();
	return set_capabilities(cap_init());
}

/*
 * Those for root and sudo, to write into a user's directory, are not among them. On a kernel
 * without CAP_BPF, CAP_SYS_ADMIN is what stands for it.
 */
static bool is_for_collecting(int number)
{
	for (size_t i = 0; i < nr_capabilities; i++)
		if (capabilities[i].number == number)
			return capabilities[i].required || capabilities[i].names ||
			       number == CAP_SYSLOG || number == CAP_SYS_NICE;
	return number == CAP_SYS_ADMIN && !has_capability(CAP_BPF);
}

/* What is inheritable was the caller's, and is its program's. */
static int keep_for_collecting(void)
{
	cap_t kept = cap_get_proc();

	for (cap_value_t i = 0; kept && i <= cap_max_bits(); i++) {
		cap_flag_value_t has = CAP_CLEAR;

		if (is_for_collecting(i))
			cap_get_flag(kept, i, CAP_PERMITTED, &has);
		cap_set_flag(kept, CAP_PERMITTED, 1, &i, has);
		cap_set_flag(kept, CAP_EFFECTIVE, 1, &i, has);
	}
	return set_capabilities(kept);
}

static int limit(bool collects)
{
	int err = caller_is_less() ? become_caller() : 0;

	if (err)
		return err;
	if (collects)
		return caller_is_less() ? keep_for_collecting() : 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return getuid() ? drop_all() : 0;
}

int rights_limit(bool collects, struct error *error)
{
	int err = limit(collects);

	return err ? fail(error, err,
			  "cannot give up the rights that this file has and its caller lacks: %s",
			  strerror(-err))
		   : 0;
}

static void use_none(cap_t of)
{
	cap_t less = cap_dup(of);

	if (!less || cap_clear_flag(less, CAP_EFFECTIVE))
		out_of_memory();
	if (cap_set_proc(less)) {
		fprintf(stderr, "wick: cannot put capabilities aside: %s\n", strerror(errno));
		exit(1);
	}
	cap_free(less);
}

cap_t rights_of_caller(void)
{
	cap_t own = getuid() ? cap_get_proc() : NULL;

	if (own)
		use_none(own);
	return own;
}

void rights_take_back(cap_t *own)
{
	int saved = errno;

	if (*own) {
		cap_set_proc(*own);
		cap_free(*own);
	}
	errno = saved;
}
